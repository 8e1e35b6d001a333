"""How far what-if is from the simulator: unchanged, and with every function at half its length.

    python -m benchmarks.what_if [--chips a2a3,a5] [--levels 4,3,2] [--workloads mixed:rounds=8,fan]
    python -m benchmarks.what_if --buffers
    python -m benchmarks.what_if --recorded ../shared/data

Every run is recorded, replayed and predicted from its trace alone; then the simulator runs again
with that function's tasks at half their length, recorded the same way. Exit code 1 when one is
further off than LIMITS says: at level 4, 0.5 % of a replay and 3 % of a prediction. With --buffers
the change is another number or size of recording buffers instead, of runs whose few and small ones
made producers wait. With --recorded every run below a folder is replayed unchanged: how far that is
off, with constant costs and as what-if replays it, and on halves that it has not seen. Runs that
cannot be replayed are left out. Exit code 1 when more than a fifth is over 10 % off.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from tests.analyze.simulated import recorded_halved, simulated

from lanescope import import_trace
from lanescope.errors import LanescopeError
from lanescope.platforms.recording import Recording
from lanescope.platforms.sim.chip import Chip, load_chip
from lanescope.replay.changes import Change, scale_function, set_buffers
from lanescope.replay.nearest import nearest_replica
from lanescope.replay.replica import distance, replica_of
from lanescope.replay.what_if import FAR_OFF, ChangePrediction, what_if
from lanescope.workloads import WORKLOADS, build_workload
from lanescope.workloads.graph import TaskGraph

LIMITS = {4: (0.005, 0.03), 3: (0.025, 0.05), 2: (0.025, 0.11)}
"""By level: how far a replay, and how far a prediction, may be off. Level 3 does not say when tasks
are submitted, and level 2 not what schedulers did either."""


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

    level: int
    unchanged: float
    halved: tuple[Halved, ...]


def compare(graph: TaskGraph, chip: Chip, recording: Recording) -> Row:
    replica = nearest_replica(simulated(graph, chip, level=int(recording.chip_swimlane)))
    ran = np.unique(replica.trace.tasks["func"][replica.units.rows]).tolist()
    changes = [Change(graph.functions[f], partial(scale_function, func=f, factor=0.5)) for f in ran]
    result = what_if(replica, changes)
    halved = []
    for func, prediction in zip(ran, result.predictions, strict=True):
        truth = replica_of(recorded_halved(graph, chip, recording, func=func)).window.length_ns
        halved.append(_against(prediction, truth))
    return Row(int(recording.chip_swimlane), result.honesty, tuple(halved))


BUFFERED = (
    *("random_dag", "fan", "chain", "paged_attention", "spmd_mix:rounds=8", "vector"),
    "mixed:rounds=8",
)
SIZES = ((1, 16), (2, 8), (2, 16), (1, 64), (4, 4))
"""Buffers, and records in each."""


def compare_buffers(graph: TaskGraph, chip: Chip, size: tuple[int, int]) -> Row:
    """More, many large, twice as many, and twice as large buffers."""
    count, records = size
    replica = nearest_replica(simulated(graph, chip, buffers=count, buffer_records=records))
    others = ((8, records), (8, 1024), (2 * count, records), (count, 2 * records))
    changes = [Change(f"{n}x{r}", partial(set_buffers, count=n, records=r)) for n, r in others]
    result = what_if(replica, changes)
    rows = []
    for (n, r), prediction in zip(others, result.predictions, strict=True):
        again = replica_of(simulated(graph, chip, buffers=n, buffer_records=r))
        rows.append(_against(prediction, again.window.length_ns))
    return Row(4, result.honesty, tuple(rows))


def _against(prediction: ChangePrediction, truth: int) -> Halved:
    return Halved(
        prediction.name,
        prediction.makespan_ns / truth - 1,
        prediction.low_ns <= truth <= prediction.high_ns,
        prediction.low_ns / truth - 1,
        prediction.high_ns / truth - 1,
    )


def score_recorded(folder: Path) -> bool:
    """Print a line per run below the folder; whether four fifths are explained."""
    explained, count = 0, 0
    print(
        f"{'recorded ms':>11} {'constant':>9} {'what-if':>9}  {'halves, unseen':20} {'off':>5}  run"
    )
    for path in sorted(folder.rglob("*.json")):
        if not (path.name.endswith("records.json") or path.name.startswith("perf_swimlane")):
            continue
        try:
            trace = import_trace(path)
            constant, replica = distance(replica_of(trace)), nearest_replica(trace)
        except LanescopeError:
            continue
        answer = what_if(replica, [])
        count += 1
        explained += abs(answer.honesty) <= FAR_OFF
        halves = " ".join(f"{100 * one:+.1f}%" for one in answer.unseen)
        off = "" if answer.off_processor is None else f"{100 * answer.off_processor:.0f}%"
        name = path.parent.relative_to(folder)
        print(
            f"{answer.recorded_ns / 1e6:11.3f} {100 * constant:+8.1f}% "
            f"{100 * answer.honesty:+8.1f}%  {halves:20} {off:>5}  {name}",
            flush=True,
        )
    print(f"{explained} of {count} runs within {100 * FAR_OFF:.0f} %")
    return explained >= 0.8 * count


def _graph(text: str) -> TaskGraph:
    name, _, settings = text.partition(":")
    return build_workload(name, dict(one.split("=", 1) for one in settings.split(";") if one))


def _rows(args: argparse.Namespace) -> Iterator[tuple[str, Row]]:
    if args.buffers:
        for text in BUFFERED:
            for count, records in SIZES:
                head = f"{text:18} {count}x{records:2}"
                yield head, compare_buffers(_graph(text), load_chip("a2a3"), (count, records))
        return
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
    parser.add_argument("--buffers", action="store_true", help="change recording buffers instead")
    parser.add_argument("--recorded", type=Path, metavar="FOLDER", help="score recorded runs")
    args = parser.parse_args()
    if args.recorded:
        return int(not score_recorded(args.recorded))
    missed, inside, count = 0, 0, 0
    print(f"{'workload':16} {'chip':5} L  unchanged  every function x0.5 (* outside its interval)")
    for head, row in _rows(args):
        cells = [
            f"{h.name} {100 * h.error:+.2f}{'' if h.inside else '*'} "
            f"[{100 * h.low:+.1f} {100 * h.high:+.1f}]"
            for h in row.halved
        ]
        replayed, predicted = LIMITS[row.level]
        missed += abs(row.unchanged) > replayed
        missed += sum(abs(h.error) > predicted for h in row.halved)
        inside += sum(h.inside for h in row.halved)
        count += len(row.halved)
        print(f"{head}  {100 * row.unchanged:+7.2f}%   {', '.join(cells)}", flush=True)
    print(f"{missed} missed; {inside} of {count} inside their interval")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
