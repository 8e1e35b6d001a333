"""Time that disjoint intervals cover, as a function of time: how much lies before a moment."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.trace.table import Array


@dataclass(frozen=True, slots=True, eq=False)
class Accumulated:
    """Disjoint intervals in rising order, added up."""

    start: Array
    end: Array
    before: Array
    """By interval: what the intervals before it add up to."""

    @classmethod
    def of_union(cls, start: Array, end: Array) -> Accumulated:
        """Add up the time that any of these intervals covers; they may overlap in any order."""
        start, end = union(start, end)
        return cls(start, end, np.cumsum(end - start) - (end - start))

    @property
    def total(self) -> int:
        """All of it."""
        return int((self.end - self.start).sum())

    def until(self, moments: Array) -> Array:
        """Covered time before each moment, in ns."""
        if not len(self.start):
            return np.zeros(len(moments), np.int64)
        at = np.searchsorted(self.start, moments, side="right") - 1
        here = np.maximum(at, 0)
        inside = np.clip(moments, self.start[here], self.end[here]) - self.start[here]
        result: Array = np.where(at >= 0, self.before[here] + inside, 0)
        return result

    def between(self, start: Array, end: Array) -> Array:
        """Covered time from each start to its end, in ns."""
        result: Array = self.until(end) - self.until(start)
        return result


def union(start: Array, end: Array) -> tuple[Array, Array]:
    """The time that any interval covers, as disjoint intervals in rising order."""
    wide = end > start
    # Where as many have ended as have begun, none is open just before the next start.
    return joined(np.sort(start[wide]), np.sort(end[wide]))


def joined(start: Array, end: Array) -> tuple[Array, Array]:
    """Disjoint intervals in rising order, with those that touch made one."""
    first = np.append(True, start[1:] > end[:-1])[: len(start)]
    last = np.append(first[1:], True)[: len(start)]
    return start[first], end[last]


@dataclass(frozen=True, slots=True, eq=False)
class Overlaps:
    """Where intervals meet others."""

    of: Array
    """Place of the interval."""
    other: Array
    """Place of the other interval that it meets."""
    start: Array
    """What both have in common."""
    end: Array


def overlaps(start: Array, end: Array, others: tuple[Array, Array]) -> Overlaps:
    """Every piece of time that two lists of disjoint rising intervals have in common.

    The cost is that of the pieces, however many of the others are met by none.
    """
    first = np.searchsorted(others[1], start, side="right")
    last = np.searchsorted(others[0], end, side="left")
    counts = np.maximum(last - first, 0)
    of = np.repeat(np.arange(len(start)), counts)
    other = np.arange(len(of)) - np.repeat(np.cumsum(counts) - counts, counts) + first[of]
    begin, until = np.maximum(start[of], others[0][other]), np.minimum(end[of], others[1][other])
    some = until > begin
    if not some.all():
        of, other, begin, until = of[some], other[some], begin[some], until[some]
    return Overlaps(of, other, begin, until)


def difference(start: Array, end: Array, without: tuple[Array, Array]) -> Overlaps:
    """What is left of disjoint rising intervals without others, which are so, too."""
    # Between the others lie the holes that remain; the first and the last have no end.
    limits = np.iinfo(np.int64)
    holes = np.append(limits.min, without[1]), np.append(without[0], limits.max)
    return overlaps(start, end, holes)
