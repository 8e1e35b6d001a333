"""What a task graph takes on the GPU that is there, and what recording adds to it.

    python -m benchmarks.cuda_graph levels     makespan at levels 0 to 4, runs that take turns
    python -m benchmarks.cuda_graph hop        from a task's end to its successor's start
    python -m benchmarks.cuda_graph what-if    half the work, foreseen and really

Prints JSON. Every run's numbers are checked. Exit code 1 when a what-if is more than 5 % off, or
level 4 adds more than 8 % to the short graph.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np

import lanescope
from benchmarks.cuda_limits import graph_missed
from lanescope.overhead import bench
from lanescope.platforms.cuda.program import NS_PER_PASS
from lanescope.platforms.execute import execute
from lanescope.platforms.outcome import RunOutcome
from lanescope.platforms.recording import Recording
from lanescope.platforms.request import MachineRequest
from lanescope.replay.what_if import WhatIf
from lanescope.workloads import build_workload
from lanescope.workloads.graph import TaskGraph

Figures = dict[str, Any]
GRAPHS = (("paged_attention", 256), ("paged_attention", 16384), ("random_dag", None))
CASES: tuple[tuple[str, dict[str, int]], ...] = (
    ("paged_attention", {"batches": 256}),
    ("paged_attention", {"batches": 2048}),
    ("paged_attention", {"batches": 128, "groups": 8, "qk_ns": 20_000, "pv_ns": 20_000}),
    ("random_dag", {"tasks": 1500, "min_spin_ns": 20_000, "max_spin_ns": 40_000}),
    ("fan", {"width": 2000, "spin_ns": 20_000}),
    ("chain", {"tasks": 200, "spin_ns": 20_000}),
)


def ran(name: str, *, level: int = 4) -> RunOutcome:
    return _ran(build_workload(name, {}), level=level)


def _ran(graph: TaskGraph, *, level: int = 4, schedulers: int = 1) -> RunOutcome:
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


def levels(args: argparse.Namespace) -> Iterator[Figures]:
    """What `lanescope bench --platform cuda` measures, of three graphs."""
    for name, batches in GRAPHS:
        settings = {"batches": batches} if batches else {}
        for result in bench(name, settings=settings, platform="cuda", rounds=args.rounds).results:
            added = result.to_off_ns
            yield {
                "workload": name,
                **settings,
                "level": result.configuration.level,
                "ms": round(result.makespan_ns.mean / 1e6, 4),
                "sd": round(result.makespan_ns.sd / 1e6, 4),
                "added": round((result.to_off_percent or 0.0) / 100, 4),
                "interval_ms": added and [round(added.low / 1e6, 4), round(added.high / 1e6, 4)],
                "dropped": result.dropped,
                "blocked_us": round(result.blocked_ns_per_run / 1e3, 1),
            }


def hop(args: argparse.Namespace) -> list[Figures]:
    """A chain: nothing but the way from one task to the next."""
    off = ran("chain", level=0)
    trace = ran("chain").trace
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
    """Half the work of one function and of all, each case with one scheduler and with four.

    The what-if is asked for what the functions' runs then really took.
    """
    for name, settings in CASES:
        graph = _even(build_workload(name, {key: str(value) for key, value in settings.items()}))
        largest = int(np.argmax(np.bincount(graph.func, weights=graph.amount)))
        for schedulers in (1, 4):
            recorded = partial(_ran, schedulers=schedulers, level=args.level)
            whole = [recorded(graph) for _ in range(args.repeats)]
            for functions in ((largest,), tuple(range(len(graph.functions)))):
                half = _halved(graph, functions)
                real = [recorded(half) for _ in range(args.repeats)]
                scale = {
                    graph.functions[func]: _length_ns(real, func) / _length_ns(whole, func)
                    for func in functions
                }
                answers = [_answer(one, scale) for one in whole]
                foreseen = mean(answer.predictions[0].makespan_ns for answer in answers)
                made = mean(_span_ns(one) for one in real)
                yield {
                    "workload": name,
                    **settings,
                    "schedulers": schedulers,
                    "level": args.level,
                    "halved": {name: round(factor, 3) for name, factor in scale.items()},
                    "before_ms": mean(_span_ns(one) for one in whole) / 1e6,
                    "half_ms": made / 1e6,
                    "foreseen_ms": foreseen / 1e6,
                    "error": round(foreseen / made - 1, 4),
                    "honesty": [round(answer.honesty, 4) for answer in answers],
                }


def _even(graph: TaskGraph) -> TaskGraph:
    """The graph with times whose halves are whole passes."""
    unit = 2 * NS_PER_PASS
    return replace(graph, amount=np.maximum(-(-graph.amount // unit) * unit, unit))


def _halved(graph: TaskGraph, functions: tuple[int, ...]) -> TaskGraph:
    amount = np.where(np.isin(graph.func, functions), graph.amount // 2, graph.amount)
    return replace(graph, amount=amount)


def _span_ns(outcome: RunOutcome) -> int:
    """First dispatch to last finish: what a what-if foresees."""
    assert outcome.trace is not None
    tasks = outcome.trace.tasks
    return int(tasks["finish_ns"].max() - tasks["dispatch_ns"].min())


def _length_ns(outcomes: list[RunOutcome], func: int) -> float:
    """Mean length of a function's runs. A part of it stays, however little they compute."""
    lengths = []
    for outcome in outcomes:
        assert outcome.trace is not None
        tasks = outcome.trace.tasks
        lengths.append((tasks["end_ns"] - tasks["start_ns"])[tasks["func"] == func].mean())
    return float(mean(lengths))


def _answer(outcome: RunOutcome, scale: dict[str, float]) -> WhatIf:
    assert outcome.trace is not None
    return lanescope.what_if(outcome.trace, scale=scale)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=("levels", "hop", "what-if"))
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument(
        "--level", type=int, default=4, choices=(2, 3, 4), help="of the runs of a what-if"
    )
    parser.add_argument("--repeats", type=int, default=3, help="runs of each half of a what-if")
    args = parser.parse_args()
    missed = 0
    for figures in {"levels": levels, "hop": hop, "what-if": what_if}[args.what](args):
        print(json.dumps(figures), flush=True)
        missed += graph_missed(figures)
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
