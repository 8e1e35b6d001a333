"""Times finer than a nanosecond: rounded once, halves to the even one."""

from __future__ import annotations

import numpy as np
import pytest

from lanescope.formats.exact_times import round_ends, round_times
from lanescope.trace import MISSING

HALF = 5 * 10**17
WHOLE = 10**18


def times(*pairs: tuple[int, int]) -> np.ndarray:
    return np.array(pairs, np.int64)


@pytest.mark.parametrize(
    ("time", "rounded"),
    [
        ((7, 0), 7),
        ((7, HALF - 1), 7),
        ((7, HALF), 8),
        ((8, HALF), 8),
        ((8, HALF + 1), 9),
        ((-7, -HALF), -8),
        ((-8, -HALF), -8),
        ((-8, -HALF - 1), -9),
        ((-8, 1 - HALF), -8),
        ((MISSING, 0), MISSING),
    ],
)
def test_a_time_is_rounded_halves_to_even(time: tuple[int, int], rounded: int) -> None:
    assert round_times(times(time)).tolist() == [rounded]


@pytest.mark.parametrize(
    ("start", "duration", "end"),
    [
        ((7, HALF), (1, HALF - 1), 9),
        ((7, HALF), (1, HALF), 9),
        ((7, WHOLE - 1), (1, WHOLE - 1), 10),
        ((7, WHOLE - 1), (0, HALF + 1), 8),
        ((-3, -HALF), (3, 0), 0),
        ((-3, -HALF), (4, 0), 0),
        ((MISSING, 0), (5, 0), MISSING),
        ((5, 0), (MISSING, 0), MISSING),
    ],
)
def test_an_end_is_rounded_once(
    start: tuple[int, int], duration: tuple[int, int], end: int
) -> None:
    assert round_ends(times(start), times(duration)).tolist() == [end]
