"""Fuzz targets: the machine in C, on random graphs, chips and inputs, recorded into real regions.

Of every run: it ends, a second run without the truth is the same one, tasks keep their order, and
the trace is the truth.
"""

from __future__ import annotations

from dataclasses import fields, replace
from itertools import pairwise
from random import Random
from typing import Any

import numpy as np
from tests.fuzz.drawn import DrawnArrays
from tests.fuzz.target import Target, some_bytes
from tests.platforms.sim.same_cases import drawn_case
from tests.platforms.sim.same_chips import chip
from tests.platforms.sim.same_digest import SameCase, digest, outcome_of
from tests.platforms.sim.same_graphs import graph_of
from tests.platforms.sim.test_truth import require_same_phases, require_same_tasks

from lanescope.native.machine import MachineCosts, run_machine
from lanescope.platforms.sim.truth import Truth
from lanescope.workloads.graph import TaskGraph


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


def runs(data: bytes) -> None:
    """Run a case twice, with and without the truth."""
    case = drawn(int.from_bytes(data[:4], "little"))
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


def banks(data: bytes) -> None:
    """Run a random graph on schedulers that serve many cores in one step."""
    draws = DrawnArrays(data)
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
        "tells_first": 1,
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


_CHANGED = (
    *("first", "target", "kind", "node", "blocks", "partners", "partner_kind", "manner", "wait"),
    *("length", "unit_first", "unit_length", "submit_order", "submit_cost", "submit_records"),
    *("core_kind", "core_scheduler", "cluster_first", "cluster_cores", "buffer_records"),
    *("buffer_count", "consumers", "kernel", "kernel_first", "op_length", "op_bytes"),
    *("op_before", "op_after_first", "op_after", "scopes", "ending_first", "ending"),
)
_NUMBERS = (
    *("tasks", "cores", "kinds", "schedulers", "orchestrators", "release_tasks", "core_rotates"),
    "tells_first",
    *("window", "pre_dispatch", "bank_cores", "sweeps", "clusters", "scope_count", "core_choice"),
    *("pop_order", "collect_order", "first_token", "records_phases", "records_submits"),
)


def inputs(data: bytes) -> None:
    """A sound input with a few fields replaced: it runs, or it is refused before C sees it."""
    draws = DrawnArrays(data)
    tasks, cores = draws.integers(1, 6), draws.integers(1, 5)
    given: dict[str, Any] = {
        "tasks": tasks, "first": np.arange(tasks + 1).clip(0, tasks - 1),
        "target": np.arange(1, tasks), "func": np.zeros(tasks), "kind": np.zeros(tasks),
        "length": draws.integers(0, 9000, tasks), "cores": cores, "kinds": 2, "schedulers": 2,
        "orchestrators": 1, "release_tasks": 1, "core_kind": draws.integers(0, 2, cores),
        "core_scheduler": draws.integers(0, 2, cores), "core_rotates": 1, "tells_first": 1,
        "pre_dispatch": draws.integers(0, 3),
    }  # fmt: skip
    for _ in range(draws.integers(0, 5)):
        if draws.integers(0, 3) == 0:
            given[draws.choice(_NUMBERS)] = draws.integers(-1, 5)
            continue
        name, size = draws.choice(_CHANGED), draws.choice((tasks, cores, tasks + 1, 4, 2))
        values = draws.integers(-1, 4, size)
        given[name] = np.sort(values.clip(0)) if name.endswith("first") else values
    try:
        run_machine(given, MachineCosts(dispatch=10, complete=draws.integers(0, 2**40)))
    except (ValueError, IndexError):
        pass


def machine_targets() -> list[Target]:
    """The machine under whole simulated runs, under banks of cores, and under any input."""
    return [
        Target("c/machine runs", some_bytes(4), runs),
        Target("c/machine banks", some_bytes(4000), banks),
        Target("c/machine input", some_bytes(300), inputs),
    ]
