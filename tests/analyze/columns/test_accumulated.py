"""Intervals added up and cut, against a count of every nanosecond."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lanescope.analyze.columns.accumulated import Accumulated, difference, overlaps, union

spans = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 8)), max_size=8)
Columns = tuple[np.ndarray, np.ndarray]


def columns(rows: list[tuple[int, int]]) -> Columns:
    pairs = np.array(rows, np.int64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 0] + pairs[:, 1]


def moments(start: np.ndarray, end: np.ndarray) -> set[int]:
    return {t for s, e in zip(start.tolist(), end.tolist(), strict=True) for t in range(s, e)}


@given(spans)
def test_a_union_covers_what_the_intervals_cover(rows: list[tuple[int, int]]) -> None:
    start, end = union(*columns(rows))
    assert moments(start, end) == moments(*columns(rows))
    assert (start[1:] > end[:-1]).all() and (end > start).all()


@given(spans, st.tuples(st.integers(0, 40), st.integers(0, 40)))
def test_time_between_two_moments(rows: list[tuple[int, int]], ends: tuple[int, int]) -> None:
    first, last = sorted(ends)
    covered = Accumulated.of_union(*columns(rows))
    counted = moments(*columns(rows))
    between = covered.between(np.array([first]), np.array([last])).tolist()
    assert between == [len([t for t in counted if first <= t < last])]
    assert covered.total == len(counted)


@given(spans, spans)
def test_what_two_lists_share_and_what_is_left(
    rows: list[tuple[int, int]], others: list[tuple[int, int]]
) -> None:
    start, end = union(*columns(rows))
    other = union(*columns(others))
    met, left = overlaps(start, end, other), difference(start, end, other)
    assert moments(met.start, met.end) == moments(start, end) & moments(*other)
    assert moments(left.start, left.end) == moments(start, end) - moments(*other)
    for found in (met, left):
        assert (start[found.of] <= found.start).all() and (found.end <= end[found.of]).all()
    assert (other[0][met.other] <= met.start).all()
