"""Comparing samples: Welch's interval of a difference, Holm's correction for many comparisons, and
Student's t distribution for whole degrees of freedom."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from lanescope.results import Result

Sample = Sequence[float] | npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Compared(Result):
    """How much the mean of a second sample differs from that of a first one."""

    difference: float
    """Mean of the second sample less mean of the first."""
    low: float
    """Lower end of the interval of the difference."""
    high: float
    """Upper end of it."""
    p: float
    """Probability that two samples of the same distribution differ at least as much."""
    effect: float
    """Hedges' g: the difference in standard deviations, corrected for small samples. It is
    infinite where neither sample varies and the means differ."""


def welch(first: Sample, second: Sample, *, confidence: float) -> Compared:
    """Welch's comparison of the means of two samples with at least two values each.

    The samples may vary by different amounts. Degrees of freedom are rounded down, which makes the
    interval a little wider.
    """
    means = float(np.mean(first)), float(np.mean(second))
    spreads = [float(np.var(one, ddof=1)) for one in (first, second)]
    parts = [spread / len(one) for spread, one in zip(spreads, (first, second), strict=True)]
    difference, error = means[1] - means[0], math.sqrt(sum(parts))
    if error == 0:
        return Compared(
            difference, difference, difference, float(difference == 0), _far(difference)
        )
    weights = (part**2 / (len(one) - 1) for part, one in zip(parts, (first, second), strict=True))
    freedom = max(math.floor(sum(parts) ** 2 / sum(weights)), 1)
    half = t_quantile(freedom, confidence) * error
    p = max(1 - t_probability(abs(difference) / error, freedom), 0.0)
    effect = _hedges(difference, spreads, (len(first), len(second)))
    return Compared(difference, difference - half, difference + half, p, effect)


def _hedges(difference: float, spreads: Sequence[float], sizes: tuple[int, int]) -> float:
    """Hedges' g; `spreads` are the variances of the two samples."""
    freedom = sum(sizes) - 2
    pooled = sum(spread * (size - 1) for spread, size in zip(spreads, sizes, strict=True)) / freedom
    if pooled == 0:
        return _far(difference)
    return difference / math.sqrt(pooled) * (1 - 3 / (4 * freedom - 1))


def _far(difference: float) -> float:
    """Effect between samples that do not vary: 0 where they are equal, else infinite."""
    return 0.0 if difference == 0 else math.copysign(math.inf, difference)


@cache
def t_quantile(freedom: int, confidence: float) -> float:
    """The t for which |T| < t has probability `confidence`, for T of Student's distribution."""
    low, high = 0.0, 1.0
    while t_probability(high, freedom) < confidence:
        high *= 2
    for _ in range(100):
        middle = (low + high) / 2
        if t_probability(middle, freedom) < confidence:
            low = middle
        else:
            high = middle
    return (low + high) / 2


_NORMAL = 1000
"""Above so many degrees of freedom, the normal distribution is right to four digits."""


def t_probability(t: float, freedom: int) -> float:
    """Probability of |T| < t, for T of Student's distribution with whole degrees of freedom.

    Source of the finite series: Abramowitz and Stegun, 26.7.3 (odd) and 26.7.4 (even).
    """
    if freedom > _NORMAL:
        return math.erf(t / math.sqrt(2))
    angle = math.atan(t / math.sqrt(freedom))
    odd = freedom % 2
    term = math.cos(angle) if odd else 1.0
    total = 0.0
    for k in range(odd, freedom - 1, 2):
        total += term
        term *= (k + 1) / (k + 2) * math.cos(angle) ** 2
    if odd:
        return 2 / math.pi * (angle + math.sin(angle) * total)
    return math.sin(angle) * total


def holm(ps: Sequence[float], *, rate: float) -> list[bool]:
    """Which of many comparisons are called different, from the p of each (Holm's step-down).

    If no comparison is really different, the probability that any is called so is at most `rate`.
    """
    order = sorted(range(len(ps)), key=lambda place: ps[place])
    called = [False] * len(ps)
    for rank, place in enumerate(order):
        if ps[place] > rate / (len(ps) - rank):
            break
        called[place] = True
    return called
