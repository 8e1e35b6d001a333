"""Which form of chunks explains captured bytes, by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from lanescope.probe.forms import FORMS, _same_steps, _stamped, _steps
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
