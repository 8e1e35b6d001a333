"""Runs random graphs on random chips with a sanitized C library, recorded into real regions.

Run by test_sanitizers.py in a process of its own:
python -m tests.native.sanitized_machine LIBRARY SECONDS SEED

Of every run: it ends, a second run without the truth is the same one, tasks keep their order, and
the trace is the truth.
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

from tests.platforms.sim.same_cases import drawn_case
from tests.platforms.sim.same_chips import chip
from tests.platforms.sim.same_digest import SameCase, digest, outcome_of
from tests.platforms.sim.same_graphs import graph_of
from tests.platforms.sim.test_truth import require_same_phases, require_same_tasks

from lanescope import native
from lanescope.errors import UsageError
from lanescope.platforms.sim.truth import Truth
from lanescope.workloads.graph import TaskGraph


def use(path: Path) -> None:
    """Let all of lanescope call this build of the library."""
    library, own = native.load_library(path), native.library
    for name, module in list(sys.modules.items()):
        if name.startswith("lanescope") and getattr(module, "library", None) is own:
            module.library = lambda: library  # type: ignore[attr-defined]


def drawn(number: int) -> SameCase:
    """A case of the seed; its window may be smaller, and its costs larger, than those that stay."""
    fields, draws = drawn_case(number), Random(f"fuzz {number}")
    changes: dict[str, Any] = fields["changes"]
    if draws.randrange(2):
        changes |= {"orchestrator.window_tasks": 4 + draws.randrange(60)}
    if draws.randrange(8) == 0:
        changes |= {"recording.host_latency_ns": 10**9, "link.finish_latency_ns": 10**9}
    return SameCase(**fields | {"keep_truth": True})


def require_order(graph: TaskGraph, truth: Truth) -> None:
    """No task starts before its predecessors have ended; a core does one thing at a time."""
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    cores: dict[int, list[tuple[int, int]]] = {}
    for true in truth.tasks:
        assert 0 <= true.dispatch_ps <= true.receive_ps <= true.start_ps <= true.end_ps
        assert true.end_ps <= true.finish_ps
        first[true.task] = min(first.get(true.task, true.start_ps), true.start_ps)
        last[true.task] = max(last.get(true.task, 0), true.end_ps)
        cores.setdefault(true.core, []).append((true.start_ps, true.end_ps))
    for pred, succ in zip(graph.pred.tolist(), graph.succ.tolist(), strict=True):
        if pred in last and succ in first:
            assert last[pred] <= first[succ], (pred, succ)
    for times in cores.values():
        assert all(one[1] <= other[0] for one, other in pairwise(sorted(times)))


def check(case: SameCase) -> None:
    """Run the case twice, with and without the truth."""
    outcome, _ = outcome_of(case)
    truth, trace, graph = outcome.result.truth, outcome.trace, graph_of(case.graph)
    assert truth is not None
    require_order(graph, truth)
    level, machine = case.recording["chip_swimlane"], chip(case.chip, case.changes)
    whole = case.recording["on_full"] == "block" and case.recording["first_token"] == 0
    if trace is not None and level and whole:
        require_same_tasks(trace, truth, machine, level)
        require_same_phases(trace, truth, machine, level)
        assert all((one.dropped, one.closes) == (0, True) for one in trace.meta.ledger)
    again, _ = outcome_of(replace(case, keep_truth=False))
    assert digest(again).split(".")[:3] == digest(outcome).split(".")[:3]


def main() -> None:
    """Run cases until the time is over."""
    use(Path(sys.argv[1]))
    until, number = time.monotonic() + float(sys.argv[2]), int(sys.argv[3]) * 10**6
    ran = 0
    while time.monotonic() < until:
        case = drawn(number)
        print(f"case {number}", file=sys.stderr, flush=True)
        number += 1
        try:
            check(case)
        except UsageError:
            continue
        ran += 1
    print(f"{ran} runs")


if __name__ == "__main__":
    main()
