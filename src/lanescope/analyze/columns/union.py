"""Length of the union of intervals, group by group: time that two of them cover counts once."""

from __future__ import annotations

import numpy as np

from lanescope.analyze.columns.groups import sort_within
from lanescope.trace.table import Array


def _lengths(codes: Array, length: Array, *, groups: int) -> Array:
    """Sum of the lengths of each group; the codes must rise."""
    covered = np.zeros(groups, np.int64)
    first = np.flatnonzero(np.append(True, codes[1:] != codes[:-1])[: len(codes)])
    if len(first):
        covered[codes[first]] = np.add.reduceat(length, first)
    return covered


def covered_ns(codes: Array, start: Array, end: Array, *, groups: int) -> Array:
    """Nanoseconds that the intervals of each group 0 … groups - 1 cover; `codes` are the groups.

    Let s be a group's sorted starts and e its sorted ends. No interval is open just before s[i]
    exactly when e[i-1] <= s[i], because then i intervals have begun and i have ended. The gaps are
    the times from e[i-1] to s[i]. An empty interval breaks this rule, so all of them are left out.
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
