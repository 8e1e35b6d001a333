"""How far what-if is from the simulator: unchanged, and with every function at half its length.

    python -m benchmarks.what_if [--chips a2a3,a5] [--levels 4,3,2] [--workloads mixed:rounds=8,fan]

Every run is recorded, replayed and predicted from its trace alone; then the simulator runs again
with that function's tasks at half their length, recorded the same way. Exit code 1 when a replay is
more than 0.5 % or a prediction more than 3 % off.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
from tests.analyze.simulated import recorded_halved, simulated

from lanescope.analyze.model import model
from lanescope.analyze.what_if import Named, scale_function, what_if
from lanescope.platforms.recording import Recording
from lanescope.platforms.sim.chip import Chip, load_chip
from lanescope.workloads import WORKLOADS, build_workload
from lanescope.workloads.graph import TaskGraph

UNCHANGED_LIMIT = 0.005
HALVED_LIMIT = 0.03


class Halved(NamedTuple):
    """One function at half its length: predicted and simulated."""

    name: str
    error: float
    inside: bool
    """the interval holds what the simulator then took"""
    low: float
    high: float
    """the interval's ends over what the simulator then took"""


class Row(NamedTuple):
    """One recorded run."""

    unchanged: float
    halved: tuple[Halved, ...]


def compare(graph: TaskGraph, chip: Chip, recording: Recording) -> Row:
    found = model(simulated(graph, chip, level=int(recording.chip_swimlane)))
    ran = np.unique(found.trace.tasks["func"][found.unit_rows]).tolist()
    changes = [Named(graph.functions[f], partial(scale_function, func=f, factor=0.5)) for f in ran]
    result = what_if(found, changes)
    halved = []
    for func, prediction in zip(ran, result.predictions, strict=True):
        truth = model(recorded_halved(graph, chip, recording, func=func)).window.length_ns
        halved.append(
            Halved(
                prediction.name,
                prediction.makespan_ns / truth - 1,
                prediction.low_ns <= truth <= prediction.high_ns,
                prediction.low_ns / truth - 1,
                prediction.high_ns / truth - 1,
            )
        )
    return Row(result.honesty, tuple(halved))


def _graph(text: str) -> TaskGraph:
    name, _, settings = text.partition(":")
    return build_workload(name, dict(one.split("=", 1) for one in settings.split(";") if one))


def _rows(args: argparse.Namespace) -> Iterator[tuple[str, Row]]:
    for text in args.workloads.split(","):
        for chip in args.chips.split(","):
            for level in args.levels.split(","):
                recording = Recording(chip_swimlane=int(level))
                yield (
                    f"{text:16} {chip:5} {level}",
                    compare(_graph(text), load_chip(chip), recording),
                )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--chips", default="a2a3,a5")
    parser.add_argument("--levels", default="4,3,2")
    parser.add_argument("--workloads", default=",".join(WORKLOADS), help="NAME[:KEY=VALUE;…],…")
    args = parser.parse_args()
    missed, inside, count = 0, 0, 0
    print(f"{'workload':16} {'chip':5} L  unchanged  every function x0.5 (* outside its interval)")
    for head, row in _rows(args):
        cells = [
            f"{h.name} {100 * h.error:+.2f}{'' if h.inside else '*'} "
            f"[{100 * h.low:+.1f} {100 * h.high:+.1f}]"
            for h in row.halved
        ]
        missed += abs(row.unchanged) > UNCHANGED_LIMIT
        missed += sum(abs(h.error) > HALVED_LIMIT for h in row.halved)
        inside += sum(h.inside for h in row.halved)
        count += len(row.halved)
        print(f"{head}  {100 * row.unchanged:+7.2f}%   {', '.join(cells)}", flush=True)
    print(f"{missed} missed; {inside} of {count} inside their interval")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
