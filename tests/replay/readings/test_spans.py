"""Spans of time: joined, cut, inside and outside of each other."""

from __future__ import annotations

import numpy as np

from lanescope.replay.readings.spans import Spans, both, cut_at, either, open_at_once, outside


def spans(*pairs: tuple[int, int]) -> Spans:
    table = np.array(pairs, np.int64).reshape(-1, 2)
    return Spans(table[:, 0], table[:, 1])


def pairs(found: Spans) -> list[tuple[int, int]]:
    return list(zip(found.start.tolist(), found.end.tolist(), strict=True))


def test_a_span_is_where_enough_intervals_are_open() -> None:
    start, end = np.array([0, 5, 10, 30, 7]), np.array([10, 20, 12, 40, 7])
    assert pairs(open_at_once(start, end)) == [(0, 20), (30, 40)]
    assert pairs(open_at_once(start, end, least=2)) == [(5, 12)]
    assert pairs(open_at_once(start, end, least=3)) == []


def test_both_either_and_outside() -> None:
    left, right = spans((0, 10), (20, 30)), spans((5, 25), (40, 50))
    assert pairs(both(left, right)) == [(5, 10), (20, 25)]
    assert pairs(either([left, right])) == [(0, 30), (40, 50)]
    assert pairs(either([])) == []
    assert pairs(outside(left, 5, 40)) == [(10, 20), (30, 40)]
    assert pairs(outside(spans(), 5, 40)) == [(5, 40)]


def test_spans_are_cut_at_moments_inside_them() -> None:
    moments = np.array([-1, 0, 4, 10, 15, 25, 25])
    assert pairs(cut_at(spans((0, 10), (20, 30)), moments)) == [(0, 4), (4, 10), (20, 25), (25, 30)]
