"""Rows that lie in each other, against a look at every nanosecond; and chains of nodes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanescope.native.nesting import nest
from lanescope.native.paths import follow


def of(*rows: tuple[int, int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    ordered = sorted(rows, key=lambda row: (row[0], row[1], -row[2]))
    lane, start, end = np.array(ordered, np.int64).reshape(-1, 3).T
    return lane, start, end


def test_the_innermost_row_owns_the_time() -> None:
    found = nest(*of((0, 0, 10), (0, 2, 6), (0, 3, 4), (0, 8, 9), (1, 3, 5)))
    assert found.parent.tolist() == [-1, 0, 1, 0, -1]
    assert found.own.tolist() == [5, 3, 1, 1, 2]
    assert found.piece_row.tolist() == [0, 1, 2, 1, 0, 3, 0, 4]
    assert found.piece_start.tolist() == [0, 2, 3, 4, 6, 8, 9, 3]


def test_a_row_that_outlives_the_one_around_it_ends_with_it() -> None:
    found = nest(*of((0, 0, 10), (0, 5, 15), (0, 12, 20)))
    assert found.until.tolist() == [10, 10, 20]
    assert found.parent.tolist() == [-1, 0, -1]


def test_a_row_without_length_is_around_none() -> None:
    found = nest(*of((0, 5, 5), (0, 5, 9), (0, 9, 9)))
    assert (found.parent.tolist(), found.own.tolist()) == ([-1, 0, -1], [4, 0, 0])


rows = st.tuples(st.integers(0, 1), st.integers(0, 20), st.integers(0, 9))


@given(st.lists(rows, max_size=12))
def test_pieces_are_disjoint_and_cover_the_roots(made: list[tuple[int, int, int]]) -> None:
    lane, start, end = of(*((lane, s, s + length) for lane, s, length in made))
    found = nest(lane, start, end)
    assert int(found.own.sum()) == int((found.piece_end - found.piece_start).sum())
    seen: set[tuple[int, int]] = set()
    for row, s, e in zip(
        found.piece_row.tolist(), found.piece_start.tolist(), found.piece_end.tolist(), strict=True
    ):
        times = {(int(lane[row]), t) for t in range(s, e)}
        assert times and not times & seen
        assert start[row] <= s and e <= found.until[row] <= end[row]
        seen |= times
    roots = np.flatnonzero(found.parent < 0).tolist()
    assert seen == {(int(lane[r]), t) for r in roots for t in range(int(start[r]), int(end[r]))}


def test_columns_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="the same length"):
        nest(np.zeros(2), np.zeros(2), np.zeros(3))


def test_a_chain_is_followed_to_its_end() -> None:
    assert follow(np.array([-1, 0, 1, 1]), 3).tolist() == [3, 1, 0]
    assert follow(np.array([1, 0]), 0).tolist() == [0, 1]


@pytest.mark.parametrize(("chain", "node"), [([0, 2], 0), ([-2, 0], 1), ([-1], 1), ([-1], -1)])
def test_a_chain_names_only_nodes_that_exist(chain: list[int], node: int) -> None:
    with pytest.raises(IndexError):
        follow(np.array(chain), node)
