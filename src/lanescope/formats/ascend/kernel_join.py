"""The table of kernels joined with a timeline: its counters for the tasks of the timeline.

Both tell the same kernels. The table's start times are exact to 0.25 us in old files, so a row is
that task of its stream and number which starts nearest. An operation among ranks is found by its
name.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from lanescope.formats.ascend.kernels import KernelTable
from lanescope.formats.ascend.names import COMMUNICATION, operation_key
from lanescope.formats.ascend.source import RankSource
from lanescope.trace import MISSING
from lanescope.trace.table import Array

NEAR_NS = 500


def add_kernels(source: RankSource, table: KernelTable) -> int:
    """Add counters and kinds of work; returns how many rows of the table were found."""
    work = source.recording.work
    row = np.full(len(table.start), -1, np.int64)
    for number, lane in enumerate(source.recording.lanes):
        if lane.lane == "stream" and lane.queue is not None:
            mine = np.flatnonzero(table.stream == lane.queue)
            on = np.flatnonzero(work.lane == number)
            tasks = source.tasks[on], table.task[mine]
            row[mine] = np.append(on, -1)[_nearest(work.start[on], table.start[mine], *tasks)]
    _by_name(source, table, row)
    found = np.flatnonzero(row >= 0)
    values = dict(work.values)
    for name, column in table.values.items():
        values.setdefault(name, np.full(len(work.start), np.nan))
        values[name][row[found]] = column[found]
    work.values = values
    if work.work is not None:
        told = found[table.work[found] >= 0]
        work.work[row[told]] = table.work[told]
    return len(found)


def _nearest(start: Array, times: Array, tasks: Array, wanted: Array) -> Array:
    """Place of the task of the same number that starts nearest; -1 where none is near.

    Where either side does not number its tasks any task may be the one.
    """
    if not len(start) or not len(times):
        return np.full(len(times), -1, np.int64)
    if (tasks == MISSING).any() or (wanted == MISSING).any():
        tasks, wanted = np.zeros(len(start), np.int64), np.zeros(len(times), np.int64)
    moments = np.unique(np.concatenate([start, times]))
    numbers = np.unique(np.concatenate([tasks, wanted]))
    order = np.lexsort((start, tasks))
    own = np.searchsorted(numbers, tasks[order]) * len(moments)
    own += np.searchsorted(moments, start[order])
    key = np.searchsorted(numbers, wanted) * len(moments) + np.searchsorted(moments, times)
    after = np.searchsorted(own, key)
    best = np.full(len(times), -1, np.int64)
    distance = np.full(len(times), NEAR_NS + 1)
    for side in (after - 1, after):
        place = order[np.clip(side, 0, len(order) - 1)]
        apart = np.abs(start[place] - times)
        nearer = (side >= 0) & (side < len(order)) & (tasks[place] == wanted) & (apart < distance)
        best, distance = np.where(nearer, place, best), np.where(nearer, apart, distance)
    return best


def _by_name(source: RankSource, table: KernelTable, row: Array) -> None:
    """Find the operations among ranks, which have no stream in the table.

    A name that stands twice on either side does not tell which operation is meant.
    """
    at = np.flatnonzero((table.work == COMMUNICATION) & (table.stream == MISSING))
    wanted = [operation_key(table.names[name]) for name in table.name[at].tolist()]
    given = [operation_key(label) for label in source.operations]
    rows = dict(zip(given, source.recording.collectives.row.tolist(), strict=True))
    in_table, in_timeline = Counter(wanted), Counter(given)
    for place, key in zip(at.tolist(), wanted, strict=True):
        if in_table[key] == in_timeline[key] == 1:
            row[place] = rows[key]
