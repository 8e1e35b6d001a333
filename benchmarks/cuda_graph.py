"""What a task graph takes on the GPU that is there, and what recording adds to it.

    python -m benchmarks.cuda_graph levels     makespan at levels 0 to 4, runs that take turns
    python -m benchmarks.cuda_graph hop        from a task's end to its successor's start
    python -m benchmarks.cuda_graph what-if    half the work of a function, foreseen and really

Prints JSON. Every run's numbers are checked.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import numpy as np

import lanescope
from lanescope.cli import main as command
from lanescope.platforms.execute import execute
from lanescope.platforms.outcome import RunOutcome
from lanescope.platforms.recording import Recording
from lanescope.platforms.request import MachineRequest
from lanescope.workloads import build_workload

Figures = dict[str, Any]
GRAPHS = (("paged_attention", 256), ("paged_attention", 16384), ("random_dag", None))
STEPS = {"QK": "qk_ns", "SF": "sf_ns", "PV": "pv_ns"}
EVEN = {"qk_ns": 50_000, "sf_ns": 66_000, "pv_ns": 50_000, "up_ns": 2_000}
"""Times whose halves are whole passes."""


def ran(name: str, settings: dict[str, int], *, level: int = 4, schedulers: int = 1) -> RunOutcome:
    graph = build_workload(name, {key: str(value) for key, value in settings.items()})
    with tempfile.TemporaryDirectory() as folder:
        outcome = execute(
            graph,
            MachineRequest(platform="cuda", schedulers=schedulers),
            Recording(chip_swimlane=level),
            directory=Path(folder) / "run.capture",
        )
    if outcome.capture is not None:
        shutil.rmtree(outcome.capture)
    if outcome.check is None or outcome.check.problem:
        raise SystemExit(outcome.check.problem if outcome.check else "interrupted")
    return outcome


def levels(args: argparse.Namespace) -> list[Figures]:
    """The first round only warms up."""
    found = []
    for name, batches in GRAPHS:
        settings = {"batches": batches} if batches else {}
        times: dict[int, list[float]] = {level: [] for level in range(5)}
        for _ in range(args.rounds + 1):
            for level, taken in times.items():
                taken.append(ran(name, settings, level=level).makespan_ns / 1e6)
        off = mean(times[0][1:])
        for level, taken in times.items():
            middle = mean(taken[1:])
            found.append(
                {
                    "workload": name,
                    **settings,
                    "level": level,
                    "ms": round(middle, 4),
                    "sd": round(stdev(taken[1:]), 4),
                    "added": round(middle / off - 1, 4),
                }
            )
    return found


def hop(args: argparse.Namespace) -> list[Figures]:
    """A chain: nothing but the way from one task to the next."""
    off = ran("chain", {}, level=0)
    trace = ran("chain", {}).trace
    assert trace is not None
    order = np.argsort(trace.tasks["task"])
    end, start = trace.tasks["end_ns"][order][:-1], trace.tasks["start_ns"][order][1:]
    length = np.median(trace.tasks["end_ns"] - trace.tasks["start_ns"])
    return [
        {
            "recorded_us": float(np.median(start - end)) / 1e3,
            "unrecorded_us": (off.makespan_ns / off.tasks_done - float(length)) / 1e3,
        }
    ]


def what_if(args: argparse.Namespace) -> Iterator[Figures]:
    for batches, schedulers in ((256, 1), (2048, 4), (2048, 1)):
        settings = {**EVEN, "batches": batches}
        for function, setting in STEPS.items():
            half = {**settings, setting: EVEN[setting] // 2}
            real = [ran("paged_attention", half, schedulers=schedulers) for _ in range(3)]
            whole = [ran("paged_attention", settings, schedulers=schedulers) for _ in range(3)]
            answers = [_foreseen(one, function) for one in whole]
            foreseen = mean(answer["predictions"][0]["makespan_ns"] for answer in answers)
            made = mean(one.makespan_ns for one in real)
            yield {
                "batches": batches,
                "schedulers": schedulers,
                "function": function,
                "before_ms": mean(one.makespan_ns for one in whole) / 1e6,
                "half_ms": made / 1e6,
                "foreseen_ms": foreseen / 1e6,
                "error": round(foreseen / made - 1, 4),
                "honesty": round(mean(answer["honesty"] for answer in answers), 4),
            }


def _foreseen(outcome: RunOutcome, function: str) -> Figures:
    assert outcome.trace is not None
    with tempfile.TemporaryDirectory() as folder:
        lanescope.save(outcome.trace, Path(folder) / "run.lanes")
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            words = ["what-if", f"{folder}/run.lanes", "--scale", f"{function}=0.5", "--json"]
            command(words)
    answer: Figures = json.loads(said.getvalue())
    return answer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=("levels", "hop", "what-if"))
    parser.add_argument("--rounds", type=int, default=10)
    args = parser.parse_args()
    for figures in {"levels": levels, "hop": hop, "what-if": what_if}[args.what](args):
        print(json.dumps(figures), flush=True)


if __name__ == "__main__":
    main()
