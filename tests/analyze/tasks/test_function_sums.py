"""Costs of functions over some rows at a time; `tests/reports/test_streamed.py` has real ones."""

from __future__ import annotations

import numpy as np
import pytest
from tests.analyze.hand import Row, make_trace, task

from lanescope.analyze.columns.groups import group_by
from lanescope.analyze.tasks.function_sums import FunctionSums, SpreadSums
from lanescope.analyze.tasks.functions import functions
from lanescope.analyze.tasks.spread import Spread

NAMES = [{"func": 3, "name": "QK"}, {"func": 4, "name": "SF"}, {"func": 9, "name": "unused"}]


def spread(*values: int) -> Spread | None:
    sums = SpreadSums()
    for value in values:
        sums.add(group_by(np.array([0])), np.array([value]), np.array([True]))
    return sums.of(None)


def test_percentiles_below_4096_are_exact() -> None:
    assert spread(3, 5, 7) == Spread(3, 15, 3, 5, 7, 7)
    assert spread(4091, 4093, 4095) == Spread(3, 12_279, 4091, 4093, 4095, 4095)
    assert spread(-5, 0, 1) == Spread(3, -4, -5, 0, 1, 1)


def test_larger_ones_are_the_least_of_a_bin_and_never_beyond_the_ends() -> None:
    assert spread(4000, 4097, 9000) == Spread(3, 17_097, 4000, 4096, 9000, 9000)
    assert spread(8195) == Spread(1, 8195, 8195, 8195, 8195, 8195)
    assert spread(0, (1 << 40) + 1, 1 << 50) == Spread(
        3, (1 << 40) + (1 << 50) + 1, 0, 1 << 40, 1 << 50, 1 << 50
    )


def test_functions_are_apart_and_together() -> None:
    sums = SpreadSums()
    assert (sums.keys(), sums.of(None)) == (set(), None)
    values, known = np.array([5, 0, 9, 7]), np.array([True, False, True, True])
    sums.add(group_by(np.array([3, 3, 4, 3])), values, known)
    sums.add(group_by(np.array([3])), np.array([0]), np.array([False]))
    sums.add(group_by(np.array([4])), np.array([1]), np.array([True]))
    assert sums.keys() == {3, 4}
    assert sums.of({3}) == Spread(2, 12, 5, 5, 7, 7)
    assert sums.of({4, 5}) == Spread(2, 10, 1, 1, 9, 9)
    assert sums.of(None) == Spread(4, 22, 1, 5, 9, 9)
    assert sums.of({5}) is None


ROWS = [
    task(0, 0, 4, 5, 15, 20, func=3),
    task(0, 20, 21, 25, 45, 50, func=3),
    task(1, 0, 1, 2, 102, 110, func=4),
    task(0, None, None, 200, 230, None, func=3),
    task(0, 5, None, None, None, 9, func=3),
    {"kind": "alloc", "task": 7},
]


@pytest.mark.parametrize("each", [1, 2, 6])
@pytest.mark.parametrize("more", [[], [task(0, None, 8, 10, 20, None)]], ids=["named", "unnamed"])
def test_chunks_of_rows_give_what_all_rows_give(more: list[Row], each: int) -> None:
    trace = make_trace(tasks=[*ROWS, *more], functions=NAMES)
    sums = FunctionSums()
    for first in range(0, len(trace.tasks), each):
        sums.add(trace.tasks.rows(np.arange(first, min(first + each, len(trace.tasks)))))
    assert sums.result(trace) == functions(trace)


def test_no_rows_cost_nothing() -> None:
    assert FunctionSums().result(make_trace()) == functions(make_trace())
