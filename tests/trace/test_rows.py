"""Rows by number, and the slices that stand for them."""

from __future__ import annotations

import numpy as np
import pytest

from lanescope.trace.rows import as_slice, which


@pytest.mark.parametrize(
    ("mask", "expected"),
    [
        ([1, 1, 1], slice(0, 3)),
        ([0, 1, 1, 0], slice(1, 3)),
        ([0, 0], slice(0, 0)),
        ([], slice(0, 0)),
    ],
)
def test_rows_that_follow_one_another_are_a_slice(mask: list[int], expected: slice) -> None:
    assert which(np.array(mask, bool)) == expected


@pytest.mark.parametrize("numbers", [[0, 2], [1, 0], [0, 2, 1, 3], [0, 1, 1, 3]])
def test_other_rows_stay_numbers(numbers: list[int]) -> None:
    rows = as_slice(np.array(numbers))
    assert not isinstance(rows, slice)
    assert rows.tolist() == numbers
