"""Recorded waits with the tasks that they are about.

The source says which call waited and which call recorded the event. A stream's wait holds for the
next task that the same thread launches on that stream; what it waits for is the last task that was
launched on the other stream before the event was recorded.
"""

from __future__ import annotations

import numpy as np

from lanescope.formats.streams.host import HostPhases
from lanescope.formats.streams.numbers import LaunchNumbers
from lanescope.formats.streams.recording import (
    HOST_DEVICE,
    STREAM_WAITS,
    WAIT_KINDS,
    StreamRecording,
)
from lanescope.formats.streams.work import PlacedWork
from lanescope.trace import Table, Words
from lanescope.trace.schema import MISSING, MISSING32
from lanescope.trace.table import Array


class _Launches:
    """When and by which thread every task was launched, for look-ups by lane."""

    def __init__(self, work: PlacedWork, threads: HostPhases, launch: Array) -> None:
        call = threads.calls(launch)
        known = call >= 0
        phases = threads.table
        self._task = np.flatnonzero(known)
        self._lane = work.lane[known]
        self._time = phases["start_ns"][call[known]]
        self._thread = phases["controller"][call[known]]

    def next_on(self, lane: int, thread: int, times: Array) -> Array:
        """First task of the lane that the thread launched at or after each time; -1: none."""
        mine = (self._lane == lane) & ((self._thread == thread) | (thread < 0))
        tasks, launched = self._by_time(mine)
        at = np.searchsorted(launched, times, side="left")
        found: Array = np.append(tasks, -1)[at]
        return found

    def last_on(self, lane: int | None, times: Array) -> Array:
        """Last task of the lane, or of any lane, that was launched before each time; -1: none."""
        mine = np.ones(len(self._lane), bool) if lane is None else self._lane == lane
        tasks, launched = self._by_time(mine)
        at = np.searchsorted(launched, times, side="left")
        found: Array = np.append(tasks, -1)[at - 1]
        return np.where(at > 0, found, -1)

    def _by_time(self, mine: Array) -> tuple[Array, Array]:
        tasks, launched = self._task[mine], self._time[mine]
        order = np.argsort(launched, kind="stable")
        return tasks[order], launched[order]


def waits_table(
    recording: StreamRecording,
    base: int,
    words: Words,
    work: PlacedWork,
    threads: HostPhases,
    numbers: LaunchNumbers,
) -> Table:
    """One row per wait, by start."""
    rows = recording.waits
    order = np.argsort(rows.start, kind="stable")
    if not len(order):
        return Table.build("waits")
    kind, lane, on_lane = rows.kind[order], rows.lane[order], rows.on_lane[order]
    start, end = rows.start[order] - base, rows.end[order] - base
    launch, on_launch = (
        numbers.launch.of(rows.launch[order]),
        numbers.launch.of(rows.on_launch[order]),
    )
    call, record = threads.calls(launch), threads.calls(on_launch)
    # Behind the last row stands what holds for a call that is not recorded.
    thread = np.append(threads.table["controller"], np.int32(MISSING32))[call]
    begun = np.append(threads.table["start_ns"], MISSING)
    asked = np.where(call >= 0, begun[call], start)
    recorded = begun[record]
    own = work.rows.launch
    made = np.full(len(work.order), MISSING) if own is None else numbers.launch.of(own[work.order])
    launches = _Launches(work, threads, made)
    task = np.full(len(order), -1, np.int64)
    on_task = np.full(len(order), -1, np.int64)
    by_stream = kind == WAIT_KINDS.index(STREAM_WAITS)
    for one in {*zip(lane[by_stream].tolist(), thread[by_stream].tolist(), strict=True)}:
        at = by_stream & (lane == one[0]) & (thread == one[1])
        task[at] = launches.next_on(*one, asked[at])
    for one in np.unique(on_lane[on_lane >= 0]).tolist():
        at = (on_lane == one) & (recorded != MISSING)
        on_task[at] = launches.last_on(one, recorded[at])
    for one in np.unique(lane[~by_stream]).tolist():
        at = (lane == one) & ~by_stream & (on_lane < 0)
        whole = kind[at] == WAIT_KINDS.index(HOST_DEVICE)
        last = launches.last_on(None if one < 0 else one, asked[at])
        on_task[at] = np.where(whole, launches.last_on(None, asked[at]), last)
        if one < 0:
            on_task[at] = np.where(whole, on_task[at], -1)
    return Table.build(
        "waits",
        {
            "kind": words.codes(list(WAIT_KINDS))[kind],
            "core": np.where(lane < 0, MISSING32, lane).astype(np.int32),
            "controller": thread.astype(np.int32),
            "on_core": np.where(on_lane < 0, MISSING32, on_lane).astype(np.int32),
            "launch": launch,
            "on_launch": on_launch,
            "start_ns": start,
            "end_ns": end,
            "task": np.where(task < 0, MISSING, task),
            "on_task": np.where(on_task < 0, MISSING, on_task),
        },
    )


def event_edges(waits: Table, words: Words) -> tuple[Array, Array]:
    """Pairs (waited for, waiting) of the waits between streams whose two tasks are known."""
    known = (waits["task"] != MISSING) & (waits["on_task"] != MISSING)
    known &= waits["kind"] == words.code(STREAM_WAITS)
    return waits["on_task"][known], waits["task"][known]
