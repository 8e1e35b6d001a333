"""Intervals as moments."""

from __future__ import annotations

import numpy as np

from lanescope.analyze.columns.moments import interval_moments
from lanescope.native.tiling import BEHIND, RUNNING, Moments

Row = tuple[int, int, int, int]


def rows(moments: Moments) -> list[Row]:
    """Time, where, change and by of each moment."""
    columns = np.broadcast_arrays(moments.time, moments.where, moments.change, moments.by)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def test_an_interval_opens_and_closes() -> None:
    start, end, where = np.array([5, 1]), np.array([9, 3]), np.array([0, 2])
    opens, closes = interval_moments(start, end, where, what=RUNNING)
    assert (opens.what, closes.what) == (RUNNING, RUNNING)
    assert rows(opens) == [(5, 0, 1, 0), (1, 2, 1, 0)]
    assert rows(closes) == [(9, 0, -1, 0), (3, 2, -1, 0)]


def test_empty_intervals_and_those_without_a_place_are_left_out() -> None:
    start, end = np.array([5, 6, 7, 8]), np.array([5, 9, 3, 9])
    where, four = np.array([0, -1, 0, 1]), np.arange(4)
    opens, closes = interval_moments(start, end, where, what=BEHIND, change=four, by=four + 10)
    assert rows(opens) == [(8, 1, 3, 13)]
    assert rows(closes) == [(9, 1, -3, 13)]


def test_no_intervals_give_no_moments() -> None:
    none = np.zeros(0, np.int64)
    opens, closes = interval_moments(none, none, none, what=RUNNING)
    assert (rows(opens), rows(closes)) == ([], [])
