"""The join of two streams of records."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanescope.trace import MISSING, MISSING32, Table
from lanescope.trace.join import TaskKey, alone, join, places

Pairs = list[tuple[int, int]]


def keys(pairs: Pairs) -> TaskKey:
    return TaskKey(*np.array(pairs, np.int64).reshape(-1, 2).T)


def pairs_of(key: TaskKey) -> Pairs:
    return list(zip(key.core.tolist(), key.token.tolist(), strict=True))


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


@pytest.mark.parametrize("token", [-1, -(2**31), 2**40, 2**40 + 1, 2**62])
def test_a_token_of_any_size_stays_on_its_core(token: int) -> None:
    """32-bit tokens that run backwards from 0 become negative numbers."""
    assert joined([(0, token), (1, token), (0, 1)], [(1, token)]) == sorted(
        [(0, -1, False), (1, 0, False), (2, -1, False)],
        key=lambda row: [(0, token), (1, token), (0, 1)][row[0]],
    )


def test_the_key_of_a_row_is_that_of_the_record_it_has() -> None:
    assert pairs_of(join(keys([(1, 5), (0, 3)]), keys([(0, 2), (1, 5)])).key) == [
        (0, 2),
        (0, 3),
        (1, 5),
    ]


def test_columns_follow_the_rows_and_are_missing_without_a_record() -> None:
    rows = join(keys([(0, 1), (0, 3)]), keys([(0, 2), (0, 3)]))
    assert rows.of_left(np.array([10, 30], np.uint32)).tolist() == [10, MISSING, 30]
    assert rows.of_right(np.array([20, 31])).tolist() == [MISSING, 20, 31]
    assert join(keys([(0, 1)]), keys([])).of_right(np.empty(0)).tolist() == [MISSING]


def test_a_lone_stream_is_ordered_and_its_duplicates_are_marked() -> None:
    rows = alone(keys([(1, 0), (0, 7), (1, 0)]))
    assert pairs_of(rows.key) == [(0, 7), (1, 0), (1, 0)]
    assert rows.left.tolist() == [1, 0, 2]
    assert rows.right.tolist() == [-1, -1, -1]
    assert rows.duplicate.tolist() == [False, True, True]


def test_a_wanted_key_is_found_where_it_first_occurs() -> None:
    at = places(keys([(3, 1), (0, 2), (3, 1)]), keys([(3, 1), (3, 2), (0, 2)]))
    assert at.tolist() == [0, -1, 1]
    assert places(keys([]), keys([(0, 0)])).tolist() == [-1]


def test_a_record_without_a_core_is_not_taken_for_one_of_core_0() -> None:
    nowhere = TaskKey(np.array([MISSING32], np.int32), np.array([7]))
    assert places(keys([(0, 7)]), nowhere).tolist() == [-1]
    assert places(nowhere, nowhere).tolist() == [0]


def test_a_table_has_the_keys_of_its_rows() -> None:
    tasks = Table.build("tasks", {"core": np.array([2, 0], np.int32), "token": np.array([8, 9])})
    key = TaskKey.of(tasks)
    assert pairs_of(key) == [(2, 8), (0, 9)]
    assert pairs_of(key.rows(np.array([1]))) == [(0, 9)]
    assert pairs_of(TaskKey.below_each_other([key, keys([(5, 5)])])) == [(2, 8), (0, 9), (5, 5)]


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
