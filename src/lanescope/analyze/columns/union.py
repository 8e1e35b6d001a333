"""How long each group was covered by intervals, counting overlapping time once."""

from __future__ import annotations

import numpy as np

from lanescope.analyze.columns.groups import sort_within
from lanescope.trace.table import Array


def _lengths(codes: Array, length: Array, *, groups: int) -> Array:
    """Sums of lengths; the codes rise."""
    covered = np.zeros(groups, np.int64)
    first = np.flatnonzero(np.append(True, codes[1:] != codes[:-1])[: len(codes)])
    if len(first):
        covered[codes[first]] = np.add.reduceat(length, first)
    return covered


def covered_ns(codes: Array, start: Array, end: Array, *, groups: int) -> Array:
    """Length of the union of the intervals of each group 0..groups-1.

    In a group, sorted starts s and sorted ends e: before s[i] nothing is open exactly when
    e[i-1] <= s[i], because by then i intervals have begun and i have ended. This needs
    intervals of some width, so those of no width are left out.
    """
    wide = end > start
    if not wide.all():
        codes, start, end = codes[wide], start[wide], end[wide]
    apart = (codes[1:] > codes[:-1]) | ((codes[1:] == codes[:-1]) & (start[1:] >= end[:-1]))
    if apart.all():
        return _lengths(codes, end - start, groups=groups)
    starts, ends = sort_within(codes, start), sort_within(codes, end)
    counts = np.bincount(codes, minlength=groups)
    used = np.flatnonzero(counts)
    covered = np.zeros(groups, np.int64)
    if not len(used):
        return covered
    last = np.cumsum(counts)[used] - 1
    first = last - counts[used] + 1
    gap = np.zeros(len(starts), np.int64)
    gap[1:] = np.maximum(starts[1:] - ends[:-1], 0)
    gap[first] = 0
    covered[used] = ends[last] - starts[first] - np.add.reduceat(gap, first)
    return covered
