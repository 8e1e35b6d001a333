"""To which operator a call belongs: the innermost range around it on its thread."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from lanescope.formats.streams.host import depths
from lanescope.trace import MISSING
from lanescope.trace.table import Array


def inherited(thread: Array, start: Array, end: Array, op: Array) -> Array:
    """The operator of each row: its own, else that of the nearest row around it that has one."""
    order = np.lexsort((-end, start, thread))
    depth = depths(thread[order], start[order], end[order])
    own = op[order].copy()
    first, last = start[order], end[order]
    by_depth = [np.flatnonzero(depth == level) for level in range(int(depth.max(initial=-1)) + 1)]
    for outer, inner in pairwise(by_depth):
        # A row has at most one more around it than the row before, and the first of a thread none.
        parent = outer[np.searchsorted(outer, inner) - 1]
        inside = last[parent] > first[inner]
        own[inner] = np.where((own[inner] == MISSING) & inside, own[parent], own[inner])
    result = np.empty_like(own)
    result[order] = own
    return result
