"""Spread, outliers and intervals against values worked out by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from lanescope.analyze.compare.student import t_probability, t_quantile
from lanescope.overhead.statistics import (
    SampleSpread,
    is_outlier,
    paired_difference,
    spread,
)


@pytest.mark.parametrize(
    ("freedom", "quantile"),
    [(1, 12.7062), (2, 4.30265), (3, 3.18245), (4, 2.77645), (14, 2.14479), (120, 1.97993)],
)
def test_t_quantile_is_that_of_the_printed_tables(freedom: int, quantile: float) -> None:
    assert t_quantile(freedom, 0.95) == pytest.approx(quantile, abs=5e-5)


def test_t_probability_of_one_degree_of_freedom_is_cauchys() -> None:
    assert t_probability(1.0, 1) == pytest.approx(0.5)


def test_t_probability_approaches_the_normal_one() -> None:
    assert t_probability(1.959964, 100_000) == pytest.approx(0.95, abs=1e-5)


def test_spread_with_an_outlier_keeps_it_and_says_so() -> None:
    # Median 12, absolute deviations 2 1 0 1 88: MAD 1, limit 12 ± 5.19.
    found = spread([10, 11, 12, 13, 100])
    assert found.sd == pytest.approx(math.sqrt(6270.8 / 4))
    assert replace(found, sd=0) == SampleSpread(
        n=5, mean=29.2, sd=0, median=12, min=10, max=100, outliers=1, mean_inside=11.5
    )


def test_a_value_at_the_limit_is_no_outlier() -> None:
    limit = 3.5 * 1.4826
    assert spread([-1, 0, 0, 1, 1, -1, limit]).outliers == 0
    assert spread([-1, 0, 0, 1, 1, -1, limit + 0.01]).outliers == 1


def test_equal_values_have_no_outliers() -> None:
    assert spread([7, 7, 7]).outliers == 0


def test_paired_difference_by_hand() -> None:
    # Differences 1 2 3: mean 2, sd 1, half the interval 4.30265 / sqrt(3).
    found = paired_difference([11, 22, 33], [10, 20, 30])
    half = 4.302653 / math.sqrt(3)
    assert found.mean == 2
    assert found.median == 2
    assert found.low == pytest.approx(2 - half, abs=1e-5)
    assert found.high == pytest.approx(2 + half, abs=1e-5)
    assert not found.told_apart


def test_drift_that_hits_both_alike_does_not_widen_the_interval() -> None:
    base = [10.0, 200.0, 3000.0, 40000.0]
    found = paired_difference([value + 5 for value in base], base)
    assert (found.low, found.high) == (5, 5)
    assert found.told_apart


def test_equal_samples_are_not_told_apart() -> None:
    assert not paired_difference([1, 2, 3], [1, 2, 3]).told_apart


def test_the_limit_of_outliers_is_on_both_sides_of_the_median() -> None:
    """Deviations of 10 from 100: a value may lie 51.891 off."""
    others = [80.0, 90.0, 90.0, 100.0, 110.0, 110.0]
    assert not is_outlier(100 - 51.891 + 1e-9, [*others, 151.0])
    assert is_outlier(100 - 51.9, [*others, 151.0])
    assert is_outlier(100 + 51.9, [*others, 151.0])


@pytest.mark.parametrize("sign", [1, -1])
def test_a_difference_below_zero_is_told_apart_like_one_above(sign: int) -> None:
    found = paired_difference([sign * 10.0, sign * 11.0, sign * 9.0], [0.0, 0.0, 0.0])
    half = 4.302653 / math.sqrt(3)
    assert (found.mean, found.median, found.told_apart) == (sign * 10, sign * 10, True)
    assert (found.low, found.high) == pytest.approx((sign * 10 - half, sign * 10 + half))
    with pytest.raises(ValueError, match="shorter"):
        paired_difference([1.0, 2.0, 3.0], [1.0, 2.0])
