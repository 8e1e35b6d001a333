"""Spans of time in which several intervals are open."""

from __future__ import annotations

import numpy as np

from lanescope.replay.readings.spans import Spans, open_at_once


def pairs(found: Spans) -> list[tuple[int, int]]:
    return list(zip(found.start.tolist(), found.end.tolist(), strict=True))


def test_a_span_is_where_enough_intervals_are_open() -> None:
    start, end = np.array([0, 5, 10, 30, 7]), np.array([10, 20, 12, 40, 7])
    assert pairs(open_at_once(start, end)) == [(0, 20), (30, 40)]
    assert pairs(open_at_once(start, end, least=2)) == [(5, 12)]
    assert pairs(open_at_once(start, end, least=3)) == []
