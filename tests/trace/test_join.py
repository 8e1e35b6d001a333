"""The join of two streams of records."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lanescope.trace.join import join, key

Pairs = list[tuple[int, int]]


def keys(pairs: Pairs) -> np.ndarray:
    cores, tokens = np.array(pairs, np.int64).reshape(-1, 2).T
    return key(cores, tokens)


def joined(left: Pairs, right: Pairs) -> list[tuple[int, int, bool]]:
    result = join(keys(left), keys(right))
    columns = (result.left, result.right, result.duplicate)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def test_records_meet_on_core_and_token() -> None:
    assert joined([(0, 1), (0, 2), (1, 1)], [(1, 1), (0, 1), (0, 2)]) == [
        (0, 1, False),
        (1, 2, False),
        (2, 0, False),
    ]


def test_a_record_without_partner_is_kept_on_its_side() -> None:
    assert joined([(0, 1), (0, 3)], [(0, 2), (0, 3)]) == [
        (0, -1, False),
        (-1, 0, False),
        (1, 1, False),
    ]


def test_duplicates_are_marked_and_never_paired() -> None:
    assert joined([(0, 1), (0, 1), (0, 2)], [(0, 1), (0, 2)]) == [
        (0, -1, True),
        (1, -1, True),
        (-1, 0, True),
        (2, 1, False),
    ]


def test_nothing_joins_nothing() -> None:
    assert joined([], []) == []
    assert joined([(0, 1)], []) == [(0, -1, False)]
    assert joined([], [(0, 1)]) == [(-1, 0, False)]


def test_the_largest_token_does_not_reach_the_next_core() -> None:
    assert joined([(0, 2**32 - 1)], [(1, 0)]) == [(0, -1, False), (-1, 0, False)]


pairs = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), max_size=12)


@given(pairs, pairs)
def test_every_record_appears_once_and_pairs_agree(left: Pairs, right: Pairs) -> None:
    rows = joined(left, right)
    assert sorted(a for a, _, _ in rows if a >= 0) == list(range(len(left)))
    assert sorted(b for _, b, _ in rows if b >= 0) == list(range(len(right)))
    for a, b, duplicate in rows:
        mine = left[a] if a >= 0 else right[b]
        once = left.count(mine) <= 1 and right.count(mine) <= 1
        assert duplicate == (not once)
        assert (a >= 0 and b >= 0) == (once and mine in left and mine in right)
        assert not (a >= 0 and b >= 0) or left[a] == right[b]
    order = [left[a] if a >= 0 else right[b] for a, b, _ in rows]
    assert order == sorted(order)
