"""Intervals as events for a sweep over time: one opens, one closes."""

from __future__ import annotations

import numpy as np

from lanescope.native import tiling
from lanescope.trace.table import Array


def intervals(start: Array, end: Array, where: Array, what: int, change: Array | int = 1) -> Array:
    """Events that open and close something."""
    wide = (end > start) & (where >= 0)
    count = int(np.count_nonzero(wide))
    events = np.zeros(2 * count, tiling.EVENT)
    events["time"][:count], events["time"][count:] = start[wide], end[wide]
    events["where"][:count] = events["where"][count:] = where[wide]
    events["what"] = what
    change = np.broadcast_to(np.asarray(change, np.int64), wide.shape)[wide]
    events["change"][:count], events["change"][count:] = change, -change
    return events


def moments(time: Array, where: Array, what: int, *, change: Array | int = 0) -> Array:
    """Events that say all by themselves."""
    events = np.zeros(len(time), tiling.EVENT)
    events["time"], events["where"], events["what"] = time, where, what
    events["change"] = change
    return events
