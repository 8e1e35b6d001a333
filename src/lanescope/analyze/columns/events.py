"""Intervals as the moments at which they open and close, for a sweep over time."""

from __future__ import annotations

from lanescope.native.tiling import Moments
from lanescope.trace.table import Array


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
