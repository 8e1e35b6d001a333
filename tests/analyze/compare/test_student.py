"""Student's t, Welch's comparison and Holm's correction, against figures from tables."""

from __future__ import annotations

import math

import pytest

from lanescope.analyze.compare.student import Compared, holm, t_probability, t_quantile, welch


@pytest.mark.parametrize(
    ("freedom", "confidence", "t"),
    [(1, 0.95, 12.706), (4, 0.95, 2.776), (9, 0.99, 3.250), (30, 0.9, 1.697), (5000, 0.95, 1.960)],
)
def test_quantiles_are_those_of_the_table(freedom: int, confidence: float, t: float) -> None:
    assert t_quantile(freedom, confidence) == pytest.approx(t, abs=6e-4)


@pytest.mark.parametrize("freedom", [1, 2, 7, 8, 1000, 1001])
def test_the_probability_rises_from_none_to_all(freedom: int) -> None:
    values = [t_probability(t, freedom) for t in (0.0, 0.5, 1.0, 5.0, 1e6)]
    assert values[0] == 0 and values[-1] == pytest.approx(1, abs=1e-5)
    assert values == sorted(values)


def test_welch_of_equal_spreads_is_students_interval() -> None:
    compared = welch([1.0, 2.0, 3.0], [3.0, 4.0, 5.0], confidence=0.95)
    half = 2.7764 * math.sqrt(2 / 3)
    assert compared.difference == 2
    assert (compared.low, compared.high) == (
        pytest.approx(2 - half, abs=1e-3),
        pytest.approx(2 + half, abs=1e-3),
    )
    assert compared.p == pytest.approx(0.0705, abs=1e-4)
    assert compared.effect == pytest.approx(2 * (1 - 3 / 15))


def test_degrees_of_freedom_are_rounded_down() -> None:
    """Variances 1 and 100 of three values each give 2.04 degrees of freedom: t is 4.303."""
    compared = welch([0.0, 1.0, 2.0], [0.0, 10.0, 20.0], confidence=0.95)
    error = math.sqrt(1 / 3 + 100 / 3)
    assert compared.high - compared.difference == pytest.approx(4.3027 * error, rel=1e-4)


def test_samples_that_do_not_vary_are_equal_or_infinitely_apart() -> None:
    assert welch([5.0, 5.0], [5.0, 5.0], confidence=0.95) == Compared(0, 0, 0, 1, 0)
    assert welch([5.0, 5.0], [3.0, 3.0], confidence=0.95) == Compared(-2, -2, -2, 0, -math.inf)


def test_holm_steps_down() -> None:
    assert holm([0.01, 0.04, 0.03], rate=0.05) == [True, False, False]
    assert holm([0.01, 0.02, 0.03], rate=0.05) == [True, True, True]
    assert holm([0.2], rate=0.05) == [False]
    assert holm([], rate=0.05) == []
