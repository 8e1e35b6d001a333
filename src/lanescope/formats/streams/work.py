"""Rows of devices in the order of the table `tasks`: by lane, then by time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.formats.streams.recording import WORK, DeviceRows, StreamRecording
from lanescope.trace.numbering import nth
from lanescope.trace.schema import MISSING, TaskFlag
from lanescope.trace.table import Array


@dataclass(frozen=True, slots=True)
class PlacedWork:
    """Device rows sorted; every column but `rows` is in the order of the table."""

    rows: DeviceRows
    order: Array
    """Place of each row of the table in `rows`."""
    lane: Array
    token: Array
    """Number of the row on its lane, by start."""
    func: Array
    functions: list[tuple[str, str]]
    """Name and work of each function."""
    start: Array
    """From the trace's base; MISSING where the row is backward."""
    end: Array
    flags: Array

    def task_of(self, rows: Array) -> Array:
        """The task id of rows given by their place in `rows`."""
        place = np.empty(len(self.order), np.int64)
        place[self.order] = np.arange(len(self.order))
        return place[rows]


def placed(recording: StreamRecording, base: int, backward: Array) -> PlacedWork:
    """Sort the device rows and number functions; `backward` rows lose their times."""
    rows = recording.work
    order = np.lexsort((rows.end, rows.start, rows.lane))
    lane = rows.lane[order].astype(np.int64)
    func, functions = _functions(rows, order)
    wrong = backward[order]
    return PlacedWork(
        rows=rows,
        order=order,
        lane=lane,
        token=nth(lane),
        func=func,
        functions=functions,
        start=np.where(wrong, MISSING, rows.start[order] - base),
        end=np.where(wrong, MISSING, rows.end[order] - base),
        flags=np.where(wrong, int(TaskFlag.BACKWARDS | TaskFlag.NO_CORE_RECORD), 0).astype(
            np.int32
        ),
    )


def _functions(rows: DeviceRows, order: Array) -> tuple[Array, list[tuple[str, str]]]:
    """A function per name and work, numbered by first use on the first lane."""
    work = np.full(len(rows.name), -1, np.int64) if rows.work is None else rows.work
    key = (rows.name.astype(np.int64) * (len(WORK) + 1) + work + 1)[order]
    used, first, place = np.unique(key, return_index=True, return_inverse=True)
    by_use = np.argsort(first, kind="stable")
    number = np.empty(len(used), np.int32)
    number[by_use] = np.arange(len(used), dtype=np.int32)
    names = [divmod(int(one), len(WORK) + 1) for one in used[by_use]]
    functions = [(rows.names[name], WORK[kind - 1] if kind else "") for name, kind in names]
    return number[place.reshape(-1)], functions
