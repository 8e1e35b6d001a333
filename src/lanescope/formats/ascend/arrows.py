"""Arrows of a timeline: pairs of events `s` and `f`, and the bars that they join.

HostToDevice      a call → the task that it launched
async_npu         an operator → the task that it led to
async_task_queue  enqueued → dequeued
fwdbwd            an operator → its backward one
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.formats.ascend.timeline import TimelineEvents
from lanescope.formats.streams.host import depths
from lanescope.trace import MISSING
from lanescope.trace.numbering import different, places
from lanescope.trace.table import Array

LAUNCHES, LEADS = "HostToDevice", "async_npu"
BETWEEN_PHASES = ("async_task_queue", "fwdbwd")


@dataclass(frozen=True, slots=True)
class TimelineBars:
    """The bars of a timeline, sorted: by lane, then start, the longest first."""

    row: Array
    """Row of each bar among the events."""
    lane: Array
    start: Array
    end: Array
    around: Array
    """Place of the bar around each; -1 where there is none."""

    @classmethod
    def of(cls, timeline: TimelineEvents) -> TimelineBars:
        """The bars of all lanes."""
        rows = timeline.rows("X")
        start, end, lane = timeline.start[rows], timeline.end[rows], timeline.lane[rows]
        order = np.lexsort((-end, start, lane))
        columns = lane[order], start[order], end[order]
        return cls(rows[order], *columns, _around(*columns))

    def at(self, lane: Array, time: Array) -> Array:
        """Row of the innermost bar of a lane around a time; -1 where there is none."""
        if not len(self.row):
            return np.full(len(lane), -1, np.int64)
        at = np.full(len(lane), -1, np.int64)
        for one in different(lane).tolist():
            first, last = np.searchsorted(self.lane, [one, one + 1]).tolist()
            mine = np.flatnonzero(lane == one)
            begun = np.searchsorted(self.start[first:last], time[mine], side="right")
            at[mine] = np.where(begun > 0, first + begun - 1, -1)
        around = np.append(self.around, -1)
        while True:
            ended = (at >= 0) & (self.end[at] < time)
            if not ended.any():
                return np.where(at >= 0, self.row[at], -1)
            at = np.where(ended, around[at], at)


def _around(lane: Array, start: Array, end: Array) -> Array:
    """Place of the bar around each; bars are sorted by lane, then start, the longest first."""
    depth = depths(lane, start, end)
    around = np.full(len(depth), -1, np.int64)
    for level in range(1, int(depth.max(initial=0)) + 1):
        outer, inner = np.flatnonzero(depth == level - 1), np.flatnonzero(depth == level)
        around[inner] = outer[np.searchsorted(outer, inner) - 1]
    return around


def arrows(
    timeline: TimelineEvents, bars: TimelineBars, category: str
) -> tuple[Array, Array, Array]:
    """Rows of the bars where the arrows of a category begin and end, and of the begin itself."""
    names = timeline.words("cat")
    if category not in names:
        return (np.empty(0, np.int64),) * 3
    mine = (timeline.columns["cat"] == names.index(category)) & (timeline.id != MISSING)
    mine &= timeline.start != MISSING
    begins, ends = (np.flatnonzero(mine & (timeline.phase == letter)) for letter in "sf")
    begins = begins[np.argsort(timeline.id[begins], kind="stable")]
    at = places(timeline.id[begins], timeline.id[ends])
    begins, ends = begins[at[at >= 0]], ends[at >= 0]
    source = bars.at(timeline.lane[begins], timeline.start[begins])
    target = bars.at(timeline.lane[ends], timeline.start[ends])
    known = (source >= 0) & (target >= 0)
    return source[known], target[known], begins[known]
