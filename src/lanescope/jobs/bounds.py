"""Clocks of ranks that only messages, broadcasts and reductions join.

A receiver cannot end before the sender has begun and the transfer is done, which takes at least as
long as the shorter of the two operations. So a message from A to B says how far B's clock is ahead
of A's at most, and one from B to A the same of A's. Over time that is a cloud of points above the
truth, and one below. The clock is taken to lie where both ways take equally long, as in NTP: on the
line with most room to both clouds. The farthest line between them is the error.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np

from lanescope.jobs.arrivals import FROM_ROOT, MESSAGE, TO_ROOT, Arrivals
from lanescope.trace.table import Array

_STEEPEST = 200e-6
"""Two clocks drift apart by less than this."""
_SLOPES = 201


@dataclass(frozen=True, slots=True, eq=False)
class Bounds:
    """One row per message: `before` on one rank was not later than `after` on another one."""

    from_rank: Array
    to_rank: Array
    before: Array
    after: Array
    transfer: Array
    """At least so much time lay between them."""


@dataclass(frozen=True, slots=True, eq=False)
class JoinedIslands:
    """By island: how its clock goes beside that of the first island."""

    known: Array
    """Mask: there are limits from both sides."""
    offset: Array
    drift: Array
    error: Array
    """In ns; infinite where it is not known."""


def bounds_of(arrivals: Arrivals, start: Array, end: Array) -> Bounds:
    """The bounds that collectives with a root and messages give; times are on rough axes."""
    parts: list[tuple[Array, Array]] = []
    collective = arrivals.collective
    root = arrivals.root[collective]
    is_root = arrivals.rank == root
    head = np.full(len(arrivals), -1)
    head[collective[is_root]] = np.flatnonzero(is_root)
    rooted = head[collective] >= 0
    tie = arrivals.tie[collective]
    others = np.flatnonzero(rooted & ~is_root)
    outward = others[np.isin(tie[others], (FROM_ROOT, MESSAGE))]
    inward = others[tie[others] == TO_ROOT]
    parts.append((head[collective[outward]], outward))
    parts.append((inward, head[collective[inward]]))
    first = np.concatenate([one for one, _ in parts])
    second = np.concatenate([one for _, one in parts])
    transfer = np.minimum((end - start)[first], (end - start)[second])
    return Bounds(arrivals.rank[first], arrivals.rank[second], start[first], end[second], transfer)


def join(bounds: Bounds, island: Array, count: int, first: int) -> JoinedIslands:
    """Find how far the clocks of `count` islands are apart; the island `first` is the measure.

    `island` is the number of each rank's island.
    """
    source, target = island[bounds.from_rank], island[bounds.to_rank]
    apart = np.flatnonzero(source != target)
    low, high = np.minimum(source, target)[apart], np.maximum(source, target)[apart]
    order = np.lexsort((high, low))
    rows, keys = apart[order], np.stack([low, high], axis=1)[order]
    cuts = np.flatnonzero((keys[1:] != keys[:-1]).any(axis=1)) + 1
    lines = {}
    for mine in np.split(rows, cuts) if len(rows) else ():
        one, other = sorted((int(source[mine[0]]), int(target[mine[0]])))
        line = _line(bounds, mine, source[mine] == one)
        if line is not None:
            lines[one, other] = line
    return _chained(lines, count, first)


class _Line(NamedTuple):
    """How far one island's clock is ahead of another's: offset at time 0, slope, error."""

    offset: float
    slope: float
    error: float


def _line(bounds: Bounds, rows: Array, forward: Array) -> _Line | None:
    """The line between what messages one way and those the other way allow."""
    if forward.all() or not forward.any():
        return None
    time, room = bounds.after[rows], (bounds.after - bounds.before)[rows]
    middle = float((time.min() + time.max()) / 2)
    time = time - middle
    spare = room - bounds.transfer[rows]
    slopes = np.linspace(-_STEEPEST, _STEEPEST, _SLOPES)
    low, high = _clouds(time, room, forward, slopes)
    flat = np.abs(slopes) * float(np.ptp(time)) * 1e-3
    best = int(np.argmax(high - low - flat))
    if 0 < best < len(slopes) - 1:
        slopes = np.linspace(slopes[best - 1], slopes[best + 1], _SLOPES)
        low, high = _clouds(time, room, forward, slopes)
        best = int(np.argmax(high - low))
    slope, offset = float(slopes[best]), float(low[best] + high[best]) / 2
    sloped = np.linspace(-_STEEPEST, _STEEPEST, _SLOPES)
    low, high = _clouds(time, spare, forward, sloped)
    fits = high >= low
    if not fits.any():
        fits = high - low >= (high - low).max()
    error = 0.0
    for end in (float(time.min()), float(time.max())):
        here = offset + slope * end
        error = max(
            error,
            float(np.abs(high[fits] + sloped[fits] * end - here).max()),
            float(np.abs(low[fits] + sloped[fits] * end - here).max()),
        )
    return _Line(offset - slope * middle, slope, error)


def _clouds(time: Array, room: Array, forward: Array, slopes: Array) -> tuple[Array, Array]:
    """By slope: the least and the most that the offset can be."""
    upper = (room[forward] - slopes[:, None] * time[forward]).min(axis=1)
    lower = (-room[~forward] - slopes[:, None] * time[~forward]).max(axis=1)
    return lower, upper


def _chained(lines: dict[tuple[int, int], _Line], count: int, first: int) -> JoinedIslands:
    """Islands one after the other, each by the chain with the least error."""
    result = JoinedIslands(
        np.zeros(count, bool), np.zeros(count), np.zeros(count), np.full(count, np.inf)
    )
    beside: dict[int, list[tuple[int, _Line]]] = {}
    for (one, other), line in lines.items():
        beside.setdefault(one, []).append((other, line))
        back = _Line(-line.offset, -line.slope, line.error)
        beside.setdefault(other, []).append((one, back))
    waiting = [(0.0, first, 0.0, 0.0)]
    while waiting:
        error, island, offset, slope = heappop(waiting)
        if result.known[island]:
            continue
        result.known[island], result.error[island] = True, error
        result.offset[island], result.drift[island] = offset, slope
        for other, line in beside.get(island, ()):
            if not result.known[other]:
                told = error + line.error, other, offset + line.offset, slope + line.slope
                heappush(waiting, told)
    return result
