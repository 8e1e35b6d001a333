"""Covered time counts overlap once."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lanescope.analyze.columns.union import covered_ns

INTERVALS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 30), st.integers(0, 9)))


@given(INTERVALS)
def test_union_equals_counting_every_nanosecond(rows: list[tuple[int, int, int]]) -> None:
    table = np.array(rows, np.int64).reshape(-1, 3)
    codes, start, end = table[:, 0], table[:, 1], table[:, 1] + table[:, 2]
    expected = [
        len({ns for code, at, width in rows if code == group for ns in range(at, at + width)})
        for group in range(3)
    ]
    assert covered_ns(codes, start, end, groups=3).tolist() == expected
