"""What the machine refuses before it runs: the C code trusts its input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lanescope.errors import UsageError
from lanescope.native.machine import Hooks, MachineCosts, cost_meanings, run_machine


def two(**more: Any) -> dict[str, Any]:
    """Two tasks on one core, the second after the first."""
    return {
        "tasks": 2,
        "first": np.array([0, 1, 1]),
        "target": np.array([1]),
        "func": np.zeros(2),
        "kind": np.zeros(2),
        "length": np.array([1000, 2000]),
        "cores": 1,
        "kinds": 1,
        "schedulers": 1,
        "orchestrators": 1,
        "release_tasks": 1,
        "core_kind": np.zeros(1),
        "core_scheduler": np.zeros(1),
        "core_rotates": 1,
        "tells_first": 1,
    } | more


KERNEL = {
    "kernel": np.array([0, 1]), "kernel_first": np.array([0, 1, 3]), "op_length": np.ones(3),
    "op_bytes": np.zeros(3), "op_before": np.zeros(3), "op_after_first": np.array([0, 1, 1, 1]),
    "op_after": np.array([0]),
}  # fmt: skip
"""Two kernels, of one and of two operations."""


def test_the_costs_are_those_of_the_table() -> None:
    assert list(cost_meanings()) == list(MachineCosts.__dataclass_fields__)
    assert all(about.meaning and about.section for about in cost_meanings().values())


def test_two_tasks_take_their_lengths_and_what_the_scheduler_takes() -> None:
    output = run_machine(two(), MachineCosts(dispatch=10, complete=5))
    assert output.answer == 0
    assert output.last_finish_ps == 10 + 1000 + 5 + 10 + 2000 + 5


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"target": np.array([2])}, "target points outside"),
        ({"first": np.array([0, 2, 1])}, "expected places that rise"),
        ({"first": np.array([0, 1])}, "first: expected 3 values, found 2"),
        ({"kind": np.array([0, 1])}, "kind points outside"),
        ({"core_scheduler": np.array([1])}, "core_scheduler points outside"),
        ({"length": np.array([0, -1])}, "length points outside"),
        ({"unit_first": np.array([0, 1, 3]), "unit_length": np.zeros(3)}, "do not add up"),
        ({"manner": np.array([3, 0])}, "only a task on one core can be early"),
        ({"partners": np.array([16, 0])}, "partners points outside"),
        ({"window": 1}, "window without consumers"),
        ({"schedulers": 0, "core_scheduler": None}, "expected a scheduler"),
        ({"kernel": np.array([0, -1])}, "kernel without kernel_first, op_length"),
        ({"scopes": np.array([0, 2]), "scope_count": 1}, "scopes without ending_first, ending"),
        ({"clusters": 1}, "clusters without cluster_first, cluster_cores"),
        ({"length": None}, "expected lengths"),
        (KERNEL | {"kernel": np.array([2, -1])}, "kernel points outside"),
        (KERNEL | {"op_after": np.array([1])}, "op_after points outside of its kernel"),
        (
            {"buffer_records": np.array([1, 0, 0, 0]), "buffer_count": np.zeros(4)},
            "at least one of them",
        ),
    ],
)
def test_what_points_outside_is_refused(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises((ValueError, IndexError), match=said):
        run_machine(two(**wrong), MachineCosts())


def test_a_run_that_is_too_long_for_its_clock_is_refused() -> None:
    with pytest.raises(UsageError, match=r"might take .* of simulated time"):
        run_machine(two(), MachineCosts(complete=1 << 61))


def test_what_a_hook_raises_ends_the_run_and_is_raised() -> None:

    def fails(*_: int) -> None:
        raise RuntimeError("this one")

    with pytest.raises(RuntimeError, match="this one"):
        run_machine(two(), MachineCosts(), Hooks(computes=fails))


def test_an_early_task_was_received_when_it_came_whatever_comes_behind_it() -> None:
    """Task 2 goes to the idle core early and waits there for task 0; task 3 comes behind it."""
    times: dict[int, tuple[int, int, int]] = {}

    def keep(what: Any) -> None:
        if what[0].kind == 1:
            times[what[0].task] = (what[0].dispatch, what[0].receive, what[0].start)

    given = {
        **two(),
        "tasks": 4,
        "first": np.array([0, 1, 1, 1, 1]),
        "target": np.array([2]),
        "func": np.zeros(4),
        "kind": np.array([0, 1, 1, 1]),
        "length": np.array([9000, 100, 100, 100]),
        "manner": np.array([0, 0, 1, 0]),
        "cores": 2,
        "kinds": 2,
        "core_kind": np.array([0, 1]),
        "core_scheduler": np.zeros(2),
        "pre_dispatch": 1,
        "submit_cost": np.array([1, 1, 1000, 1000]),
        "submit_records": np.zeros(4),
    }
    run_machine(
        given, MachineCosts(dispatch=10, dispatch_latency=5, setup=50), Hooks(happened=keep)
    )
    dispatch, receive, start = times[2]
    assert times[3][0] > dispatch  # the other came behind it while it waited
    assert receive == dispatch + 5
    assert start > 9000


def many(count: int, **more: Any) -> dict[str, Any]:
    """Tasks without edges, 100 ps each, with a unit each, all submitted at 0."""
    none = np.zeros(count)
    return {
        "tasks": count,
        "first": np.zeros(count + 1),
        "target": none[:0],
        "func": none,
        "kind": none,
        "unit_first": np.arange(count + 1),
        "unit_length": none + 100,
        "cores": 1,
        "kinds": 1,
        "schedulers": 1,
        "core_kind": np.zeros(1),
        "core_scheduler": np.zeros(1),
        "core_rotates": 1,
        "tells_first": 1,
    } | more


def found(given: dict[str, Any], **costs: int) -> Any:
    output = run_machine(given, MachineCosts(**costs))
    assert output.answer == 0
    return output.runs


def test_a_unit_has_its_own_pick_up_and_moment_to_be_seen_or_those_of_the_costs() -> None:
    own = {"unit_pick_up": np.array([7, -1]), "unit_seen": np.array([-1, 9])}
    two_cores = {"cores": 2, "core_kind": np.zeros(2), "core_scheduler": np.zeros(2)}
    runs = found(many(2, **own, **two_cores), dispatch_latency=50, finish_latency=30)
    assert (runs["receive"] - runs["dispatch"]).tolist() == [7, 50]
    assert (runs["finish"] - runs["end"]).tolist() == [30, 9]


def test_a_pick_up_counts_from_the_end_of_the_run_before_it() -> None:
    runs = found(many(2, unit_pick_up=np.array([7, 5]), pre_dispatch=1))
    assert runs["receive"][1] == runs["end"][0] + 5


def test_a_unit_takes_its_own_time_to_be_given_and_may_be_ready_later() -> None:
    given = many(2, unit_give=np.array([40, -1]), pre_dispatch=1)
    assert found(given, pop=2, dispatch=3)["dispatch"].tolist() == [40, 45]
    late = many(2, unit_wait=np.array([500, 0]), pre_dispatch=1)
    assert found(late)["dispatch"].tolist() == [500, 0]


@pytest.mark.parametrize(("order", "expected"), [(0, [0, 1, 2, 3]), (1, [0, 3, 2, 1])])
def test_the_last_task_that_became_ready_may_go_first(order: int, expected: list[int]) -> None:
    fan = {"first": np.array([0, 3, 3, 3, 3]), "target": np.array([1, 2, 3]), "pop_order": order}
    runs = found(many(4, **fan))
    assert np.argsort(runs["start"]).tolist() == expected


@pytest.mark.parametrize(("choice", "cores"), [(0, [0, 1]), (1, [0, 0]), (2, [1, 1])])
def test_which_of_the_idle_cores_is_chosen(choice: int, cores: list[int]) -> None:
    """When the second task is ready, one core ran the first and is idle again, the other was."""
    line = {"first": np.array([0, 1, 1]), "target": np.array([1]), "core_choice": choice}
    two_cores = {"cores": 2, "core_kind": np.zeros(2), "core_scheduler": np.zeros(2)}
    assert found(many(2, **line, **two_cores))["core"].tolist() == cores


@pytest.mark.parametrize(("order", "expected"), [(0, [1, 0]), (1, [0, 1])])
def test_ends_are_handled_as_they_came_or_by_core(order: int, expected: list[int]) -> None:
    cores = {"cores": 2, "core_kind": np.zeros(2), "core_scheduler": np.zeros(2)}
    given = many(2, **cores, collect_order=order, unit_length=np.array([150, 100]))
    runs = found(given, loop=1000, complete=1)
    assert np.argsort(runs["finish"]).tolist() == expected
