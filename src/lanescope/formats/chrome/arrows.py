"""Flows of a Chrome trace as arrows from slice to slice.

A flow event belongs to the innermost slice around it on its thread, or to the next slice. Newer
writers put the number of the arrow into the slice itself.
"""

from __future__ import annotations

import numpy as np

from lanescope.formats.chrome.events import ChromeEvents, PairedEvents
from lanescope.native.nesting import Nesting, nest
from lanescope.trace.table import Array

_START, _STEP, _FINISH = range(3)


def chrome_arrows(events: ChromeEvents, slices: PairedEvents) -> tuple[Array, Array]:
    """Places of slices, from and to: each flow goes from its start through its steps to its end."""
    rows = np.flatnonzero(np.isin(events.phase, ["s", "t", "f"]))
    touched = _touched(events, slices, rows)
    known = touched >= 0
    rows, touched = rows[known], touched[known]
    phase = events.phase[rows]
    kind = np.select([phase == "s", phase == "t"], [_START, _STEP], _FINISH)
    old = [
        touched,
        kind,
        events.time[rows],
        events.category[rows],
        events.name[rows],
        events.id[rows],
    ]
    bound = np.flatnonzero(events.bind[slices.row] >= 0)
    at = slices.row[bound]
    kind = np.select([~events.binds_in[at], events.binds_out[at]], [_START, _STEP], _FINISH)
    none = np.full(len(bound), -2)
    new = [bound, kind, events.time[at], none, none, events.bind[at]]
    slice_, kind, time, *key = (np.concatenate(pair) for pair in zip(old, new, strict=True))
    order = np.lexsort((slice_, time, kind, *key))
    slice_ = slice_[order]
    same = np.ones(max(len(order) - 1, 0), bool)
    for column in key:
        same &= column[order][1:] == column[order][:-1]
    joined = same & (slice_[1:] != slice_[:-1])
    return slice_[:-1][joined], slice_[1:][joined]


def _touched(events: ChromeEvents, slices: PairedEvents, rows: Array) -> Array:
    """The slice that each flow event belongs to, -1 for none."""
    if not len(slices.row) or not len(rows):
        return np.full(len(rows), -1)
    lane, start, end = events.lane[slices.row], events.time[slices.row], slices.end
    order = np.lexsort((-end, start, lane))
    lane, start, end = lane[order], start[order], end[order]
    nesting = nest(lane, start, end)
    moments = np.unique(np.concatenate([start, events.time[rows]]))
    begins = lane * len(moments) + np.searchsorted(moments, start)
    own, time = events.lane[rows], events.time[rows]
    wanted = own * len(moments) + np.searchsorted(moments, time)
    inside = np.searchsorted(begins, wanted, side="right") - 1
    inside = np.where((inside >= 0) & (lane[inside] == own), inside, -1)
    outer = _still_open(nesting.parent[inside], time, nesting)
    inside = np.where((inside >= 0) & (end[inside] < time), outer, inside)
    coming = np.searchsorted(begins, wanted)
    following = np.minimum(coming, len(begins) - 1)
    following = np.where((coming < len(begins)) & (lane[following] == own), following, -1)
    to_next = (events.phase[rows] == "f") & ~events.encloses[rows]
    found = np.where(to_next, following, inside)
    return np.where(found >= 0, order[found], -1)


def _still_open(inside: Array, time: Array, nesting: Nesting) -> Array:
    """The innermost of a slice and those around it that has not ended before a time, or -1.

    Slices count until no later than those around them, so steps of 2^k slices outwards find it.
    """
    parent, until = nesting.parent, nesting.until
    steps = [parent]
    while (steps[-1] >= 0).any():
        steps.append(np.where(steps[-1] >= 0, steps[-1][steps[-1]], -1))
    for step in reversed(steps):
        outer = np.where(inside >= 0, step[inside], -1)
        inside = np.where((outer >= 0) & (until[outer] < time), outer, inside)
    ended = (inside >= 0) & (until[inside] < time)
    return np.where(ended, parent[inside], inside)
