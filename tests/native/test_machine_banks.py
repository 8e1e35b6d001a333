"""Schedulers that serve many cores in one step: what they pay once, and how they give tasks out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lanescope.native import Array
from lanescope.native.machine import MachineCosts, run_machine


def ran(
    edges: list[tuple[int, int]], costs: MachineCosts, *, tasks: int, cores: int, **given: Any
) -> Array:
    """Run tasks of 100 ps each, unless `length` says otherwise; all are submitted at 0."""
    ordered = sorted(edges)
    first = np.searchsorted([pred for pred, _ in ordered], np.arange(tasks + 1))
    schedulers = given.pop("schedulers", 1)
    machine = {
        "tasks": tasks,
        "first": first,
        "target": np.array([succ for _, succ in ordered], np.int32),
        "func": np.zeros(tasks),
        "kind": np.zeros(tasks),
        "unit_first": np.arange(tasks + 1),
        "unit_length": given.pop("length", np.full(tasks, 100)),
        "cores": cores,
        "kinds": 1,
        "schedulers": schedulers,
        "cluster_first": np.zeros(1),
        "core_kind": np.zeros(cores),
        "core_scheduler": np.arange(cores) % schedulers,
        "release_tasks": 1,
        "bank_cores": 2,
    }
    output = run_machine({**machine, **given}, costs)
    assert output.answer == 0
    assert output.runs is not None
    return output.runs


def test_a_bank_of_cores_is_served_in_one_step() -> None:
    costs = MachineCosts(complete_base=30, complete=7, pop=3, dispatch=10)
    runs = ran([], costs, tasks=3, cores=3)
    assert runs["core"].tolist() == [0, 1, 2]
    assert runs["dispatch"].tolist() == [13, 13, 23]
    assert runs["end"].tolist() == [113, 113, 123]
    # The look at 113 sees the first bank; the next one, after it, the second.
    assert runs["finish"].tolist() == [150, 150, 187]


def test_further_tasks_of_a_core_are_further_steps() -> None:
    costs = MachineCosts(complete_base=30, complete=7, rotate=500)
    runs = ran([], costs, tasks=3, cores=2, pre_dispatch=1, length=np.array([100, 100, 0]))
    assert runs["core"].tolist() == [0, 1, 0]
    # The first step opens both cores' buffers, once.
    assert runs["finish"].tolist() == [137, 137, 644]


def test_successors_are_told_for_a_bank_at_once() -> None:
    costs = MachineCosts(resolve_bank=1000, resolve_edge=10, dispatch_base=5)
    edges = [(0, 2), (0, 3), (1, 3)]
    runs = ran(edges, costs, tasks=4, cores=2)
    # The longest list of the bank counts: two successors, not three.
    assert runs["dispatch"].tolist() == [0, 0, 1125, 1125]
    many = ran([(0, 1 + k) for k in range(9)], costs, tasks=10, cores=2)
    # Nine successors are told by both together, in five turns.
    assert many["dispatch"][1] == 100 + 1000 + 50 + 5


def test_banks_of_one_core_are_none() -> None:
    """Each core is served at its own moment, and a task ends in a step of its own."""
    costs = MachineCosts(complete_base=30, complete=7, pop=3, dispatch=10)
    runs = ran([], costs, tasks=3, cores=3, bank_cores=1)
    assert runs["dispatch"].tolist() == [13, 26, 39]
    assert runs.tolist() == ran([], costs, tasks=3, cores=3, bank_cores=0).tolist()


def test_tasks_stay_with_the_scheduler_that_made_them_ready() -> None:
    costs = MachineCosts(dispatch=10, loop=1)
    runs = ran([(0, 2), (2, 3)], costs, tasks=4, cores=2, schedulers=2)
    assert runs["core"].tolist() == [0, 1, 0, 0]


def test_what_does_not_fit_on_the_desk_is_for_all() -> None:
    runs = ran([(0, 2), (0, 3)], MachineCosts(loop=1), tasks=4, cores=2, schedulers=2)
    assert sorted(runs["core"][2:].tolist()) == [0, 1]


def test_the_end_of_a_round_delays_the_next_look() -> None:
    quick = ran([(0, 1)], MachineCosts(dispatch=10), tasks=2, cores=1)
    slow = ran([(0, 1)], MachineCosts(dispatch=10, dispatch_end=150), tasks=2, cores=1)
    assert quick["finish"].tolist() == [110, 220]
    assert slow["finish"].tolist() == [160, 320]


def test_a_ready_task_that_is_not_submitted_holds_its_scheduler_up() -> None:
    costs = MachineCosts(dispatch=10)
    submits = {
        "orchestrators": 1,
        "submit_order": np.arange(3),
        "submit_cost": np.array([0, 0, 700]),
        "submit_records": np.zeros(3),
    }
    runs = ran([(0, 2)], costs, tasks=3, cores=2, length=np.array([100, 200, 100]), **submits)
    assert runs["dispatch"].tolist() == [10, 10, 710]
    # The second task ended at 210; nobody looked until the third was out.
    assert runs["finish"].tolist() == [110, 710, 810]


@pytest.mark.parametrize(
    "other",
    [
        {"blocks": np.array([2, 1]), "unit_first": np.array([0, 2, 3]), "length": np.full(3, 1)},
        {"window": 4, "consumers": np.zeros(0)},
    ],
)
def test_what_banks_do_not_know_is_refused(other: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="banks need tasks of one block"):
        ran([], MachineCosts(), tasks=2, cores=2, **other)


def test_more_cores_than_a_round_can_sort_are_refused() -> None:
    with pytest.raises(ValueError, match="banks: 40000 cores are too many"):
        ran([], MachineCosts(), tasks=1, cores=40_000)
