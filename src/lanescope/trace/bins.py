"""How much of each bin of time intervals cover: the sum behind every picture of busy cores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.trace.table import Array


@dataclass(frozen=True, slots=True)
class Bins:
    """`count` bins of one length that begin at `start_ns` and together last `length_ns`."""

    start_ns: int
    length_ns: int
    count: int

    @property
    def each_ns(self) -> float:
        """Length of one bin; a span without length counts as one nanosecond."""
        return max(self.length_ns, 1) / self.count


def covered_per_bin(start_ns: Array, end_ns: Array, bins: Bins) -> Array:
    """Nanoseconds of the intervals that lie in each bin; overlapping intervals add up."""
    return _after(start_ns - bins.start_ns, bins) - _after(end_ns - bins.start_ns, bins)


def _after(moment_ns: Array, bins: Bins) -> Array:
    """Per bin, the sum over all moments of the part of the bin that comes after the moment."""
    place = np.clip(moment_ns / bins.each_ns, 0, bins.count)
    index = np.minimum(place.astype(np.int64), bins.count - 1)
    moments = np.bincount(index, minlength=bins.count)
    inside = np.bincount(index, weights=(index + 1 - place) * bins.each_ns, minlength=bins.count)
    before = np.cumsum(moments) - moments
    after: Array = before * bins.each_ns + inside
    return after
