"""Clocks of ranks that only messages, broadcasts and reductions join.

A receiver cannot end before the sender has begun and the transfer is done, which takes at least as
long as the shorter of the two operations. So a message from A to B says how far B's clock is ahead
of A's at most, and one from B to A the same of A's. The tightest of each within a stretch of time
are the two limits. Between them the clock is taken to lie where both ways take equally long, as in
NTP; the farther limit is the error.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.jobs.arrivals import FROM_ROOT, MESSAGE, TO_ROOT, Arrivals
from lanescope.trace.table import Array

_MOST_STRETCHES = 32
_PER_STRETCH = 8
"""A stretch of time has so many bounds per pair, or there is only one stretch."""
_FEW = 4
"""From so many stretches on, a clock may drift."""


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
    apart = source != target
    source, target = source[apart], target[apart]
    room, moment = (bounds.after - bounds.before)[apart], bounds.after[apart]
    result = JoinedIslands(
        np.zeros(count, bool), np.zeros(count), np.zeros(count), np.full(count, np.inf)
    )
    if not len(room):
        return result
    pairs, pair = np.unique(np.stack([source, target], axis=1), axis=0, return_inverse=True)
    pair = pair.reshape(-1)
    stretches = int(np.clip(len(room) / len(pairs) / _PER_STRETCH, 1, _MOST_STRETCHES))
    low, high = float(moment.min()), float(moment.max())
    width = max((high - low) / stretches, 1.0)
    stretch = np.clip(((moment - low) / width).astype(np.int64), 0, stretches - 1)
    limits = []
    for spare in (bounds.transfer[apart], 0):
        least = np.full((len(pairs), stretches), np.inf)
        np.minimum.at(least, (pair, stretch), room - spare)
        limits.append(_limits(pairs, least, count, first))
    centre = low + width * (np.arange(stretches) + 0.5)
    return _lines(limits[0], limits[1], centre, result)


def _limits(pairs: Array, least: Array, count: int, first: int) -> tuple[Array, Array]:
    """By island and stretch: the most and the least that its clock can be ahead."""
    upper = np.full((count, least.shape[1]), np.inf)
    lower = np.full((count, least.shape[1]), -np.inf)
    upper[first] = lower[first] = 0.0
    for _ in range(count):
        more, less = upper.copy(), lower.copy()
        np.minimum.at(more, pairs[:, 1], upper[pairs[:, 0]] + least)
        np.maximum.at(less, pairs[:, 0], lower[pairs[:, 1]] - least)
        more[first] = less[first] = 0.0
        # Limits that contradict each other would go round for ever; they move less and less.
        if np.allclose(more, upper, equal_nan=True) and np.allclose(less, lower, equal_nan=True):
            break
        upper, lower = more, less
    return upper, lower


_Limits = tuple[Array, Array]


def _lines(hard: _Limits, equal: _Limits, centre: Array, result: JoinedIslands) -> JoinedIslands:
    """A straight line through where each island's clock is taken to lie in every stretch."""
    upper, lower = hard
    both = np.isfinite(upper) & np.isfinite(lower)
    for island in np.flatnonzero(both.any(axis=1)).tolist():
        mine = both[island]
        most, least = upper[island, mine], lower[island, mine]
        most, least = np.maximum(most, least), np.minimum(most, least)
        middle = np.clip((equal[0][island, mine] + equal[1][island, mine]) / 2, least, most)
        time = centre[mine]
        slope, offset = 0.0, float(np.median(middle))
        if len(time) >= _FEW:
            slope, offset = (float(one) for one in np.polyfit(time - time.mean(), middle, 1))
            offset -= slope * float(time.mean())
        line = offset + slope * time
        result.known[island] = True
        result.offset[island], result.drift[island] = offset, slope
        farther = np.maximum(most - line, line - least)
        result.error[island] = float(np.median(farther) + np.abs(middle - line).max())
    return result
