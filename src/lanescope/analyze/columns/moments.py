"""Intervals as the moments at which they open and close, for a sweep over time."""

from __future__ import annotations

from lanescope.native.tiling import Moments
from lanescope.trace.table import Array


def interval_moments(
    start_ns: Array,
    end_ns: Array,
    where: Array,
    *,
    what: int,
    change: Array | int = 1,
    by: Array | int = 0,
) -> list[Moments]:
    """Two moments per interval: it adds `change` at its start and takes it back at its end.

    `what` is a code of `native.tiling`; `where` is the place of the core or kind that it is about.
    An interval that is empty or whose place is -1 is left out.
    """
    used = (end_ns > start_ns) & (where >= 0)
    if not used.all():
        start_ns, end_ns, where = start_ns[used], end_ns[used], where[used]
        change = change if isinstance(change, int) else change[used]
        by = by if isinstance(by, int) else by[used]
    return [
        Moments(start_ns, where, what, change, by),
        Moments(end_ns, where, what, -change, by),
    ]
