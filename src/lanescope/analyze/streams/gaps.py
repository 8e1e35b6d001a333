"""Times in which a lane, or all lanes of a device together, ran nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.trace.table import Array


@dataclass(frozen=True, slots=True, eq=False)
class IdleGaps:
    """Gaps in rising order; no two overlap."""

    start: Array
    end: Array
    after: Array
    """Place of the row that ends the gap; -1: nothing follows in the window."""
    before: Array
    """Place of the row that ended last before the gap; -1: nothing came before."""

    @property
    def length(self) -> Array:
        """Nanoseconds of each gap."""
        result: Array = self.end - self.start
        return result


def idle_gaps(start: Array, end: Array, window: tuple[int, int]) -> IdleGaps:
    """The gaps between rows that are sorted by start, and before and after them in the window.

    A row without length cuts a gap in two.
    """
    count = len(start)
    if not count:
        return IdleGaps(
            np.array([window[0]]), np.array([window[1]]), np.array([-1]), np.array([-1])
        )
    latest = np.maximum.accumulate(end)
    holder = np.maximum.accumulate(np.where(_rises(end, latest), np.arange(count), 0))
    begin = np.concatenate([[window[0]], latest])
    until = np.concatenate([start, [window[1]]])
    after = np.append(np.arange(count), -1)
    before = np.append(-1, holder)
    open_ = until > begin
    return IdleGaps(begin[open_], until[open_], after[open_], before[open_])


def _rises(end: Array, latest: Array) -> Array:
    """Mask of the rows that end later than all before them."""
    mask: Array = np.append(True, end[1:] > latest[:-1])
    return mask


def overlapping(start: Array, end: Array) -> int:
    """How many rows, sorted by start, begin before an earlier one has ended."""
    if not len(start):
        return 0
    return int(np.count_nonzero(start[1:] < np.maximum.accumulate(end)[:-1]))
