"""Moments at which something opens or closes, put together as events for a sweep over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lanescope.native import tiling
from lanescope.trace.table import Array


class Moments(NamedTuple):
    """Events of one sort; `change` and `by` are columns or one number for all."""

    time: Array
    where: Array
    what: int
    change: Array | int = 0
    by: Array | int = 0


def intervals(
    start: Array, end: Array, where: Array, what: int, change: Array | int = 1, by: Array | int = 0
) -> list[Moments]:
    """Each opens and closes; those without width or place are left out."""
    wide = (end > start) & (where >= 0)
    if not wide.all():
        start, end, where = start[wide], end[wide], where[wide]
        change = change if isinstance(change, int) else change[wide]
        by = by if isinstance(by, int) else by[wide]
    return [
        Moments(start, where, what, change, by),
        Moments(end, where, what, -change, by),
    ]


def events_of(parts: Sequence[Moments]) -> Array:
    """One array of all, part by part; it is the only copy."""
    events = np.zeros(sum(len(part.time) for part in parts), tiling.EVENT)
    begin = 0
    for part in parts:
        place = events[begin : begin + len(part.time)]
        for name in ("time", "where", "what", "change", "by"):
            place[name] = getattr(part, name)
        begin += len(part.time)
    return events
