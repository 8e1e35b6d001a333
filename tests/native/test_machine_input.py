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
    } | more


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
        ({"window": 1}, "a window needs consumers"),
        ({"schedulers": 0, "core_scheduler": None}, "expected a scheduler"),
        ({"kernel": np.array([0, -1])}, "kernel points outside"),
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
