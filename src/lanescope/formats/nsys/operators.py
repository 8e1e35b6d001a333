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
    last = end[order]
    lane = thread[order]
    by_depth = [np.flatnonzero(depth == level) for level in range(int(depth.max(initial=-1)) + 1)]
    for outer, inner in pairwise(by_depth):
        at = np.searchsorted(outer, inner) - 1
        parent = outer[np.maximum(at, 0)]
        inside = (at >= 0) & (lane[parent] == lane[inner]) & (last[parent] >= start[order[inner]])
        own[inner] = np.where((own[inner] == MISSING) & inside, own[parent], own[inner])
    result = np.empty_like(own)
    result[order] = own
    return result
