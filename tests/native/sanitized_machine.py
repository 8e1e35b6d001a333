"""Runs random graphs on random chips with a sanitized C library, recorded into real regions.

Run by test_sanitizers.py in a process of its own:
python -m tests.native.sanitized_machine LIBRARY SECONDS SEED

Of every run: it ends, a second run without the truth is the same one, tasks keep their order, and
the trace is the truth.
"""

from __future__ import annotations

import sys
import time
from dataclasses import fields, replace
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from tests.platforms.sim.same_cases import drawn_case
from tests.platforms.sim.same_chips import chip
from tests.platforms.sim.same_digest import SameCase, digest, outcome_of
from tests.platforms.sim.same_graphs import graph_of
from tests.platforms.sim.test_truth import require_same_phases, require_same_tasks

from lanescope import native
from lanescope.errors import UsageError
from lanescope.native.machine import MachineCosts, run_machine
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
        changes |= {"recording.host_latency_ns": 10**7, "link.finish_latency_ns": 10**7}
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


def check_banks(number: int) -> None:
    """Run a random graph on schedulers that serve many cores in one step."""
    draws = np.random.default_rng(number)
    tasks, cores, schedulers = (int(draws.integers(1, most)) for most in (300, 140, 5))
    pred, succ = np.sort(draws.integers(0, tasks, (2, int(draws.integers(0, 900)))), axis=0)
    pred, succ = pred[pred < succ], succ[pred < succ]
    order = np.argsort(pred, kind="stable")
    costs = {field.name: int(draws.integers(0, 3000)) for field in fields(MachineCosts)}
    given = {
        "tasks": tasks,
        "first": np.concatenate([[0], np.cumsum(np.bincount(pred, minlength=tasks))]),
        "target": succ[order],
        "func": np.zeros(tasks),
        "kind": np.zeros(tasks),
        "unit_first": np.arange(tasks + 1),
        "unit_length": draws.integers(0, 9000, tasks),
        "orchestrators": int(draws.integers(0, 2)),
        "submit_order": draws.permutation(tasks),
        "submit_cost": draws.integers(0, 900, tasks),
        "submit_records": draws.integers(0, 2, tasks),
        "cores": cores,
        "kinds": 1,
        "schedulers": schedulers,
        "bank_cores": int(draws.integers(1, 40)),
        "sweeps": int(draws.integers(0, 2)),
        "pre_dispatch": int(draws.integers(0, 3)),
        "release_tasks": int(draws.integers(0, 3)),
        "cluster_first": np.zeros(1),
        "core_kind": np.zeros(cores),
        "core_scheduler": draws.integers(0, schedulers, cores),
        "core_rotates": 1,
        "records_phases": int(draws.integers(0, 2)),
        "buffer_records": draws.integers(0, 20, 4),
        "buffer_count": draws.integers(1, 9, 4),
    }
    output = run_machine(given, MachineCosts(**costs))
    assert output.answer == 0 and output.runs is not None
    runs = output.runs
    assert (runs["start"][succ] >= runs["finish"][pred]).all()
    order = np.lexsort((runs["start"], runs["core"]))
    same = runs["core"][order][1:] == runs["core"][order][:-1]
    assert (runs["start"][order][1:] >= runs["end"][order][:-1])[same].all()


def main() -> None:
    """Run cases until the time is over."""
    use(Path(sys.argv[1]))
    until, number = time.monotonic() + float(sys.argv[2]), int(sys.argv[3]) * 10**6
    ran = 0
    while time.monotonic() < until:
        check_banks(number)
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
