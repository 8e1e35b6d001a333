"""Which form of chunks explains captured bytes, by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from lanescope.probe.device import Step
from lanescope.probe.forms import FORMS, _against, _same_steps, _stamped, _steps
from lanescope.trace.pipes import PIPES


def test_each_form_becomes_chunks_of_four_bytes() -> None:
    data = bytes(range(8))
    assert FORMS["chip6"](data) == data
    assert FORMS["byte_swapped"](data) == bytes([3, 2, 1, 0, 7, 6, 5, 4])
    assert FORMS["eight_byte"](data) == b""
    assert FORMS["eight_byte"](bytes([1, 2, 3, 4, 0, 0, 0, 0, 5, 6, 7, 8, 0, 0, 0, 0])) == bytes(
        [1, 2, 3, 4, 5, 6, 7, 8]
    )


@pytest.mark.parametrize(("cycles", "same"), [(150, True), (151, False), (2050, False)])
def test_a_step_takes_50_cycles_and_5_percent_more_or_less_than_asked(
    cycles: int, same: bool
) -> None:
    """2000 cycles may be 1850 to 2150."""
    for sign in (-1, 1):
        assert _same_steps([("cube", 2_000 + sign * cycles)], [("cube", 2_000)]) is same


def test_steps_of_other_pipes_or_in_another_order_are_not_the_same() -> None:
    seen = [("cube", 10), ("mte1", 10)]
    assert _same_steps(seen, [("cube", 10), ("mte1", 10)])
    assert not _same_steps(seen, [("mte1", 10), ("cube", 10)])
    assert not _same_steps(seen, [("cube", 10)])
    assert not _same_steps(seen, [("cube", 10), ("mte1", 500)])


@pytest.mark.parametrize(
    ("base", "stamps", "there"),
    [(99, 1, False), (100, 1, True), (200, 1, True), (201, 1, False), (150, 2, False)],
)
def test_one_stamp_lies_between_the_two_readings(base: int, stamps: int, there: bool) -> None:
    decoded = SimpleNamespace(stamps=SimpleNamespace(time=np.zeros(stamps)), base_ticks=base)
    capture = SimpleNamespace(counter_before=100, counter_after=200)
    assert _stamped(cast(Any, decoded), cast(Any, capture)) is there


def test_steps_are_by_start_and_in_whole_cycles() -> None:
    busy = SimpleNamespace(pipe=np.array([1, 0]), start=np.array([70, 10]), end=np.array([109, 40]))
    decoded = SimpleNamespace(busy=busy, clocks=SimpleNamespace(units_per_cycle=10))
    assert _steps(cast(Any, decoded)) == [(PIPES[0], 3), (PIPES[1], 3)]


def decoded(**more: Any) -> Any:
    """What is decoded of a kernel that ran cube for 10 cycles with mark 3, then mte1 for 20."""
    usual = {
        "account": SimpleNamespace(total=64, damaged=0),
        "stamps": SimpleNamespace(time=np.zeros(1)),
        "base_ticks": 150,
        "clocks": SimpleNamespace(units_per_cycle=1),
        "busy": SimpleNamespace(
            pipe=np.array([PIPES.index("cube"), PIPES.index("mte1")]),
            start=np.array([0, 50]),
            end=np.array([10, 70]),
        ),
        "marks": SimpleNamespace(mark=np.array([0x403, 0xC03, 0x405])),
    }
    return SimpleNamespace(**usual | more)


RAN = cast(
    Any,
    SimpleNamespace(
        counter_before=100, counter_after=200, steps=(Step("cube", 10, 3), Step("mte1", 20, 5))
    ),
)


@pytest.mark.parametrize(
    ("more", "against"),
    [
        ({}, []),
        (
            {"account": SimpleNamespace(total=64, damaged=8)},
            ["8 of 64 bytes make no sense"],
        ),
        ({"account": SimpleNamespace(total=0, damaged=0)}, ["0 of 0 bytes make no sense"]),
        (
            {"base_ticks": 99},
            ["no single start stamp between the two readings of the system counter"],
        ),
        (
            {"busy": SimpleNamespace(pipe=np.array([0]), start=np.array([0]), end=np.array([10]))},
            ["busy times are not those of the kernel"],
        ),
        (
            {"marks": SimpleNamespace(mark=np.array([0x403, 0xC03]))},
            ["marks of the kernel are missing"],
        ),
        (
            {"marks": SimpleNamespace(mark=np.array([], int)), "base_ticks": 201},
            [
                "no single start stamp between the two readings of the system counter",
                "marks of the kernel are missing",
            ],
        ),
    ],
)
def test_all_that_speaks_against_a_form_is_told(more: dict[str, Any], against: list[str]) -> None:
    assert _against(decoded(**more), RAN) == against


def test_intervals_that_begin_together_stay_in_their_order() -> None:
    busy = SimpleNamespace(pipe=np.arange(3)[::-1], start=np.zeros(3, int), end=np.arange(3))
    made = decoded(busy=busy, clocks=SimpleNamespace(units_per_cycle=1))
    assert _steps(made) == [(PIPES[2], 0), (PIPES[1], 1), (PIPES[0], 2)]
