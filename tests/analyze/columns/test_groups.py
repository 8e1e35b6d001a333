"""Exact sums and order per group, also at the edges of 64 bits."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lanescope.analyze.columns.groups import (
    combine,
    distinct,
    distinct_pairs,
    group_by,
    pick_within,
    sort_within,
)

BIG = 1 << 62
NUMBERS = st.integers(-(1 << 62), 1 << 62)
PAIRS = st.lists(st.tuples(st.integers(0, 5), NUMBERS | st.integers(-3, 3)))


def columns(pairs: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    rows = np.array(pairs, np.int64).reshape(-1, 2)
    return rows[:, 0], rows[:, 1]


def test_sums_are_exact_beyond_64_bits() -> None:
    groups = group_by(np.array([7, 7, 7, -1]))
    assert groups.keys.tolist() == [-1, 7]
    assert groups.sums(np.array([BIG, BIG, BIG, -5])) == [-5, 3 * BIG]


@given(PAIRS)
def test_sums_and_counts_equal_a_plain_loop(pairs: list[tuple[int, int]]) -> None:
    keys, values = columns(pairs)
    groups = group_by(keys)
    expected: dict[int, list[int]] = {}
    for key, value in pairs:
        expected.setdefault(key, []).append(value)
    assert groups.keys.tolist() == sorted(expected)
    assert groups.sums(values) == [sum(expected[key]) for key in sorted(expected)]
    assert groups.counts() == [len(expected[key]) for key in sorted(expected)]


@given(PAIRS)
def test_sort_within_equals_sorting_pairs(pairs: list[tuple[int, int]]) -> None:
    codes, values = columns(pairs)
    assert sort_within(codes, values).tolist() == [value for _, value in sorted(pairs)]


@given(PAIRS.filter(bool))
def test_pick_within_finds_the_least_of_each_group(pairs: list[tuple[int, int]]) -> None:
    codes, values = columns(pairs)
    counts = np.bincount(codes)
    first = (np.cumsum(counts) - counts).reshape(1, -1)
    picked = pick_within(codes, values, first)[0]
    for code in set(codes.tolist()):
        assert picked[code] == values[codes == code].min()


@given(PAIRS)
def test_distinct_counts_like_a_set(pairs: list[tuple[int, int]]) -> None:
    left, right = columns(pairs)
    assert distinct(right) == len(set(right.tolist()))
    assert distinct_pairs(left, right) == len(set(pairs))
    assert distinct_pairs(right, left) == len(set(pairs))


def test_combine_keeps_the_order_of_the_columns() -> None:
    key = combine(np.array([2, 1, 1, 2]), np.array([-1, 9, -1, -1]))
    assert np.argsort(key, kind="stable").tolist() == [2, 1, 0, 3]
    assert key[0] == key[3]
