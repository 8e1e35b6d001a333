"""Time that disjoint intervals cover, as a function of time: how much lies before a moment."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.trace.table import Array


@dataclass(frozen=True, slots=True, eq=False)
class Accumulated:
    """Disjoint intervals in rising order; `mask` tells which of them count."""

    start: Array
    end: Array
    counted: Array
    """By interval: its length, 0 where it does not count."""
    before: Array
    """By interval: what the intervals before it add up to."""

    @classmethod
    def of(cls, start: Array, end: Array, mask: Array | None = None) -> Accumulated:
        """Add up the intervals of a mask, or all of them."""
        counted = end - start
        if mask is not None:
            counted = np.where(mask, counted, 0)
        return cls(start, end, counted, np.cumsum(counted) - counted)

    @classmethod
    def of_union(cls, start: Array, end: Array) -> Accumulated:
        """Add up the time that any of these intervals covers; they may overlap in any order."""
        return cls.of(*union(start, end))

    def until(self, moments: Array) -> Array:
        """Counted time before each moment, in ns."""
        if not len(self.start):
            return np.zeros(len(moments), np.int64)
        at = np.searchsorted(self.start, moments, side="right") - 1
        here = np.maximum(at, 0)
        inside = np.clip(moments - self.start[here], 0, self.counted[here])
        result: Array = np.where(at >= 0, self.before[here] + inside, 0)
        return result

    def between(self, start: Array, end: Array) -> Array:
        """Counted time from each start to its end, in ns."""
        result: Array = self.until(end) - self.until(start)
        return result


def union(start: Array, end: Array) -> tuple[Array, Array]:
    """The time that any interval covers, as disjoint intervals in rising order."""
    wide = end > start
    start, end = np.sort(start[wide]), np.sort(end[wide])
    # As many have ended as have begun: none is open just before this start.
    first = np.append(True, start[1:] > end[:-1])[: len(start)]
    last = np.append(first[1:], True)[: len(start)]
    return start[first], end[last]


def difference(
    start: Array, end: Array, without: tuple[Array, Array]
) -> tuple[Array, Array, Array]:
    """What is left of disjoint rising intervals without others, which are disjoint and rise, too.

    Return start and end of each remaining piece, and the place of the interval that it is of.
    """
    if not len(without[0]):
        return start, end, np.arange(len(start))
    # Between the others lie the holes that remain; the first and the last have no end.
    holes = (
        np.append(np.iinfo(np.int64).min, without[1]),
        np.append(without[0], np.iinfo(np.int64).max),
    )
    first = np.searchsorted(holes[1], start, side="right")
    last = np.searchsorted(holes[0], end, side="left")
    counts = np.maximum(last - first, 0)
    of = np.repeat(np.arange(len(start)), counts)
    hole = np.arange(len(of)) - np.repeat(np.cumsum(counts) - counts, counts) + first[of]
    begin, until = np.maximum(start[of], holes[0][hole]), np.minimum(end[of], holes[1][hole])
    some = until > begin
    return begin[some], until[some], of[some]
