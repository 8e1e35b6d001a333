"""Numbers found among others: dense and sparse ones, in order and not."""

from __future__ import annotations

import numpy as np
import pytest

from lanescope.trace.numbering import (
    different,
    find,
    is_rising,
    nth,
    numbered,
    places,
    replaced,
    rising_order,
)

NONE = np.empty(0, np.int64)


@pytest.mark.parametrize("scale", [1, 10**12], ids=["dense", "sparse"])
def test_a_value_is_found_where_it_first_occurs(scale: int) -> None:
    values = np.array([7, 3, 7, 5]) * scale
    assert find(values, np.array([7, 5, 4, 9, -1]) * scale).tolist() == [0, 3, -1, -1, -1]


def test_nothing_is_found_in_nothing() -> None:
    assert find(np.empty(0, np.int64), np.array([1, 2])).tolist() == [-1, -1]
    assert find(np.array([1, 2]), np.empty(0, np.int64)).tolist() == []


def test_equal_values_keep_their_order_when_they_are_sorted() -> None:
    assert rising_order(np.array([2, 1, 2, 1])).tolist() == [1, 3, 0, 2]
    assert rising_order(np.array([1, 5, 6])).tolist() == [0, 1, 2]


def test_equal_neighbours_do_not_rise() -> None:
    assert is_rising(np.array([1, 2, 3]))
    assert is_rising(np.array([4]))
    assert not is_rising(np.array([1, 2, 2]))


def test_nth_counts_earlier_rows_of_the_same_key() -> None:
    assert nth(np.array([7, 3, 7, 7, 3])).tolist() == [0, 0, 1, 2, 1]
    assert nth(np.empty(0, np.int64)).tolist() == []


@pytest.mark.parametrize("scale", [1, 10**12])
def test_values_are_numbered_in_rising_order(scale: int) -> None:
    ids, codes = numbered(np.array([9, 3, 9]) * scale)
    assert (ids.tolist(), codes.tolist()) == ([3 * scale, 9 * scale], [1, 0, 1])
    ids, codes = numbered(np.array([5, 3, 4, 5]))
    assert (ids.tolist(), codes.tolist()) == ([3, 4, 5], [2, 0, 1, 2])


def test_places_among_ids_without_gaps() -> None:
    ids = np.array([3, 4, 5])
    assert places(ids, np.array([5, 3])).tolist() == [2, 0]
    assert places(ids, np.array([2, 5, 6])).tolist() == [-1, 2, -1]


@pytest.mark.parametrize("scale", [1, 10**12], ids=["dense", "sparse"])
def test_places_among_ids_with_gaps(scale: int) -> None:
    ids = np.array([3, 5, 9]) * scale
    assert places(ids, np.array([9, 3, 5]) * scale).tolist() == [2, 0, 1]
    assert places(ids, np.array([2, 4, 9, 10, 3]) * scale).tolist() == [-1, -1, 2, -1, 0]


@pytest.mark.parametrize("scale", [1, 10**12], ids=["dense", "sparse"])
def test_different_values_rise_and_stand_there_once(scale: int) -> None:
    values = np.array([7, -3, 7, 5, -3]) * scale
    assert different(values).tolist() == [-3 * scale, 5 * scale, 7 * scale]
    small = different(np.array([9, 4, 9], np.int32))
    assert (small.tolist(), small.dtype) == ([4, 9], np.int32)


@pytest.mark.parametrize("scale", [1, 10**12], ids=["dense", "sparse"])
def test_every_value_is_replaced(scale: int) -> None:
    values, used = np.array([9, 3, 5, 9]) * scale, np.array([3, 5, 9]) * scale
    assert replaced(values, used, np.array([30, 50, 90])).tolist() == [90, 30, 50, 90]


def test_of_nothing_there_is_nothing() -> None:
    assert different(NONE).tolist() == []
    assert [found.tolist() for found in numbered(NONE)] == [[], []]
    assert replaced(NONE, NONE, np.array([1])[:0]).tolist() == []
    assert places(NONE, np.array([4, 5])).tolist() == [-1, -1]
