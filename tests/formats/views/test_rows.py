"""Rows of tables by group."""

from __future__ import annotations

import numpy as np
import pytest

from lanescope.formats.views.rows import groups


@pytest.mark.parametrize(
    ("codes", "expected"),
    [
        ([], []),
        ([3, 3, 7], [(3, [0, 1]), (7, [2])]),
        ([7, 3, 7], [(3, [1]), (7, [0, 2])]),
        ([3, 7, 3], [(3, [0, 2]), (7, [1])]),
    ],
)
def test_every_code_has_its_rows(codes: list[int], expected: list[tuple[int, list[int]]]) -> None:
    numbers = np.arange(len(codes))
    found = [(code, numbers[rows].tolist()) for code, rows in groups(np.array(codes, np.int64))]
    assert found == expected
