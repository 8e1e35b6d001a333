"""Statistics of a sample of times: sum, mean, minimum, percentiles, maximum; also per group.

A percentile is the value at place ceil(p/100 x n) of n sorted values (nearest rank), so that it is
a value that was measured. Sums are exact whole nanoseconds; a mean divides the exact sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lanescope.analyze.columns.groups import Groups, exact_sum, pick_within
from lanescope.results import Result
from lanescope.trace.table import Array


@dataclass(frozen=True, slots=True)
class Mean(Result):
    """Sum and mean of a sample of times."""

    DERIVED = ("mean_ns",)

    count: int
    """Number of values."""
    total_ns: int
    """Their sum."""

    @property
    def mean_ns(self) -> float:
        """Mean of the values, ns."""
        return self.total_ns / self.count


@dataclass(frozen=True, slots=True)
class Spread(Mean):
    """Minimum, median, 99th percentile and maximum of a sample of times, with its sum and mean."""

    min_ns: int
    p50_ns: int
    p99_ns: int
    max_ns: int


def spread_of(values: Array) -> Spread:
    """The spread of a sample of at least one value. It puts the values into another order."""
    middle, high = (int(_rank(np.array(len(values)), percent)) for percent in (50, 99))
    values.partition([0, middle, high, len(values) - 1])
    least, most = int(values[0]), int(values[-1])
    return Spread(
        count=len(values),
        total_ns=exact_sum(values),
        min_ns=least,
        p50_ns=int(values[middle]),
        p99_ns=int(values[high]),
        max_ns=most,
    )


def mean_of_parts(parts: Sequence[Mean | None]) -> Mean | None:
    """The mean of several samples together; None where there is none."""
    known = [part for part in parts if part is not None]
    if not known:
        return None
    return Mean(sum(part.count for part in known), sum(part.total_ns for part in known))


def spread_of_parts(values: Array, parts: Sequence[Spread | None]) -> Spread | None:
    """The spread of a sample whose parts have known spreads; None where there is no part."""
    known = [part for part in parts if part is not None]
    if not known:
        return None
    middle, high = (int(_rank(np.array(len(values)), percent)) for percent in (50, 99))
    ordered = np.partition(values, [middle, high])
    return Spread(
        count=len(values),
        total_ns=sum(part.total_ns for part in known),
        min_ns=min(part.min_ns for part in known),
        p50_ns=int(ordered[middle]),
        p99_ns=int(ordered[high]),
        max_ns=max(part.max_ns for part in known),
    )


def means_of(groups: Groups, values: Array, known: Array) -> list[Mean | None]:
    """Mean of each group's values in the mask `known`; None for a group without one.

    Values outside the mask must be 0.
    """
    counts = groups.counts(known)
    if not any(counts):
        return [None] * len(groups)
    pairs = zip(counts, groups.sums(values), strict=True)
    return [Mean(count, total) if count else None for count, total in pairs]


def spreads_of(groups: Groups, values: Array, known: Array | None) -> list[Spread | None]:
    """Spread of each group's values, or of those in the mask `known`; None for a group without one.

    Values outside the mask must be 0.
    """
    counts = groups.counts(known)
    if not any(counts):
        return [None] * len(groups)
    totals = groups.sums(values)
    codes = groups.codes
    if known is not None:
        codes, values = codes[known], values[known]
    count = np.array(counts)
    first = np.cumsum(count) - count
    places = np.array([first, *(first + _rank(count, p) for p in (50, 99)), first + count - 1])
    least, middle, high, most = pick_within(codes, values, places).tolist()
    return [
        Spread(n, totals[i], least[i], middle[i], high[i], most[i]) if n else None
        for i, n in enumerate(counts)
    ]


def _rank(count: Array, percent: int) -> Array:
    """Place of a percentile in `count` sorted values, from 0 on."""
    rank: Array = (count * percent + 99) // 100 - 1
    return rank
