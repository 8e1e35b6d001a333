"""How much of each bin of time intervals cover."""

from __future__ import annotations

import numpy as np
import pytest

from lanescope.trace.bins import Bins, covered_per_bin


def test_time_is_shared_between_the_bins_it_lies_in() -> None:
    start, end = np.array([0, 15]), np.array([5, 35])
    assert covered_per_bin(start, end, Bins(0, 40, 4)).tolist() == [5, 5, 10, 5]


def test_every_nanosecond_is_counted_once() -> None:
    rng = np.random.default_rng(5)
    start = rng.integers(-50, 900, 500)
    end = start + rng.integers(0, 300, 500)
    covered = covered_per_bin(start, end, Bins(0, 1000, 13))
    inside = np.clip(end, 0, 1000) - np.clip(start, 0, 1000)
    assert covered.sum() == pytest.approx(inside.sum())
    width = 1000 / 13
    third = np.clip(end, 2 * width, 3 * width) - np.clip(start, 2 * width, 3 * width)
    assert covered[2] == pytest.approx(third.sum())
