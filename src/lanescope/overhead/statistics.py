"""Mean, spread and outliers of a sample, and Student's interval of paired differences."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from lanescope.analyze.compare.student import t_quantile
from lanescope.results import Result

CONFIDENCE = 0.95
OUTLIER_LIMIT = 3.5
"""A value further than this many scaled deviations from the median is an outlier."""
_MAD_SCALE = 1.4826
"""For a normal sample, the median absolute deviation times this is the standard deviation."""


@dataclass(frozen=True, slots=True)
class SampleSpread(Result):
    """Mean, standard deviation, median and extremes of one sample.

    `mean_inside` is the mean without the outliers. All other figures include them.
    """

    n: int
    mean: float
    sd: float
    median: float
    min: float
    max: float
    outliers: int
    mean_inside: float


@dataclass(frozen=True, slots=True)
class PairedDifference(Result):
    """Mean of paired differences with its confidence interval, and their median."""

    mean: float
    low: float
    high: float
    median: float
    told_apart: bool
    """Whether the interval leaves out 0, so that the two sides differ."""


def spread(values: Sequence[float]) -> SampleSpread:
    """Describe a sample of at least two values."""
    inside = [value for value in values if not is_outlier(value, values)]
    return SampleSpread(
        n=len(values),
        mean=statistics.fmean(values),
        sd=statistics.stdev(values),
        median=statistics.median(values),
        min=min(values),
        max=max(values),
        outliers=len(values) - len(inside),
        mean_inside=statistics.fmean(inside),
    )


def is_outlier(value: float, values: Sequence[float]) -> bool:
    """Say whether a value is too far from the median.

    Too far means more than 3.5 times the scaled median absolute deviation.
    """
    middle = statistics.median(values)
    deviation = statistics.median(abs(other - middle) for other in values)
    return abs(value - middle) > OUTLIER_LIMIT * _MAD_SCALE * deviation


def paired_difference(values: Sequence[float], base: Sequence[float]) -> PairedDifference:
    """Return the mean of `values - base` with Student's 95 % interval.

    Value i and base i were measured in the same round.
    """
    differences = [value - other for value, other in zip(values, base, strict=True)]
    mean = statistics.fmean(differences)
    error = statistics.stdev(differences) / math.sqrt(len(differences))
    half = t_quantile(len(differences) - 1, CONFIDENCE) * error
    return PairedDifference(
        mean=mean,
        low=mean - half,
        high=mean + half,
        median=statistics.median(differences),
        told_apart=abs(mean) > half,
    )
