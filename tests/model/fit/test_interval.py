"""Intervals from the errors on published points."""

from __future__ import annotations

import pytest

from lanescope.model.fit.interval import published_ratios, published_spread, spread


def test_intervals_leave_out_one_in_fifteen_on_both_sides() -> None:
    # Of 29 values, the second smallest and the second largest.
    low, high = spread([float(n) for n in range(29)])
    assert (low, high) == (pytest.approx(2.718281828**1), pytest.approx(2.718281828**27))
    # Of few values none can be left out.
    assert spread([0.0, 1.0]) == (1.0, pytest.approx(2.718281828))


def test_published_ratios_are_there_for_both_pools() -> None:
    for pool in ("streaming", "resident"):
        low, high, count = published_spread(pool)
        assert 0 < low < 1 < high
        assert count == len(published_ratios(pool)) >= 5
