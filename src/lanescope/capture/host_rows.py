"""Rows of the host's threads of a capture: ranges and uses of the handle, on the device's clock."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from lanescope.capture.host_log import HostEvents
from lanescope.capture.launches import Call
from lanescope.device.head import Array, Head
from lanescope.trace.schema import MISSING
from lanescope.trace.trace import Words

Columns = dict[str, Array]
_HOST, _RANGE, _CALL, _LAUNCH = "host", "annotation", "call", "launch"
_S = 1_000_000_000
_FAR = 1 << 62


@dataclass(frozen=True, slots=True, eq=False)
class NotedRows:
    """What the log of the host says, with times in cycles of the device's clock."""

    events: HostEvents
    calls: list[Call]
    begun: Array
    """By range: when it began."""
    ended: Array

    def moments(self) -> Array:
        """Return when each range began and when each handle was taken, in cycles."""
        return np.append(self.begun, np.array([call.cycles for call in self.calls], np.int64))

    @property
    def notes(self) -> tuple[str, ...]:
        """What is wrong with the log, a sentence each."""
        still = sum(event.range not in self.events.ends for event in self.events.ranges)
        what = "range was" if still == 1 else "ranges were"
        return (f"{still} {what} open when the host's log ends.",) if still else ()

    def phase_columns(self, words: Words) -> Columns:
        """Return the columns of the phases table, by thread and start."""
        ranges, calls = self.events.ranges, self.events.calls
        threads = [event.thread for event in ranges] + [event.thread for event in calls]
        thread = np.searchsorted(self._threads(), np.array(threads, np.int64))
        moments = np.array([call.cycles for call in self.calls], np.int64)
        start, end = np.append(self.begun, moments), np.append(self.ended, moments)
        names = [event.name for event in ranges] + [_LAUNCH] * len(calls)
        sort = [_RANGE] * len(ranges) + [_CALL] * len(calls)
        launch = [MISSING] * len(ranges) + [call.number for call in self.calls]
        order = np.lexsort((-end, start, thread))
        thread, start, end = thread[order], start[order], end[order]
        return {
            "lane": np.full(len(order), words.code(_HOST), np.int32),
            "controller": thread.astype(np.int32),
            "kind": words.codes(names)[order],
            "category": words.codes(sort)[order],
            "start_cycles": start,
            "end_cycles": end,
            "launch": np.array(launch, np.int64)[order],
            "depth": _depths(thread, start, end),
        }

    def thread_columns(self, words: Words) -> Columns:
        """Return the columns of the controllers table."""
        threads = self._threads().tolist()
        names = [self.events.threads.get(one) or f"thread {one}" for one in threads]
        return {
            "lane": np.full(len(threads), words.code(_HOST), np.int32),
            "controller": np.arange(len(threads), dtype=np.int32),
            "name": words.codes(names),
            "kind": np.full(len(threads), words.code("host thread"), np.int32),
        }

    def _threads(self) -> Array:
        """Return the numbers of the threads that did something."""
        used = {event.thread for event in self.events.ranges}
        used |= {event.thread for event in self.events.calls}
        return np.array(sorted(used), np.int64)


def host_rows(events: HostEvents | None, head: Head) -> NotedRows | None:
    """Place what a log says on the device's clock; None where there is nothing to place.

    The line goes through the moment in the region and the last one in the log, where there is one:
    the region of a program that was killed has one moment, and clocks then seem to run alike.
    """
    if (
        events is None
        or not (events.ranges or events.calls)
        or not int(head.header["clock_unix_ns"])
    ):
        return None
    line = _Line(events, head)
    last = max(
        [event.ns for event in events.ranges]
        + [event.ns for event in events.calls]
        + [*events.ends.values(), *(moment.unix_ns for moment in events.moments)]
    )
    begun = line.cycles([event.ns for event in events.ranges])
    ended = line.cycles([events.ends.get(event.range, last) for event in events.ranges])
    moments = line.cycles([event.ns for event in events.calls]).tolist()
    calls = [
        Call(event.call, cycles, event.name)
        for event, cycles in zip(events.calls, moments, strict=True)
    ]
    return NotedRows(events, calls, begun, np.maximum(begun, ended))


class _Line:
    """The device's clock as a line over the host's."""

    def __init__(self, events: HostEvents, head: Head) -> None:
        header = head.header
        self._unix = min(int(header["clock_unix_ns"]), _FAR)
        self._device = min(int(header["clock_cycles"]), _FAR)
        self._rate = int(header["clock_hz"]) / _S
        for moment in events.moments:
            passed = moment.unix_ns - self._unix
            cycles = moment.device_ns * int(header["clock_hz"]) // _S
            if passed > 0 and cycles > self._device:
                self._rate = (cycles - self._device) / passed

    def cycles(self, unix_ns: list[int]) -> Array:
        """Return moments of the host in cycles of the device's clock."""
        passed = np.array(unix_ns, np.int64) - self._unix
        found: Array = self._device + np.rint(passed * self._rate).clip(-_FAR, _FAR).astype(
            np.int64
        )
        return found


def _depths(thread: Array, start: Array, end: Array) -> Array:
    """Return how many rows of its thread are open when a row begins; rows are sorted."""
    depth = np.zeros(len(thread), np.int32)
    edges = np.flatnonzero(np.append(True, np.diff(thread) != 0)[: len(thread)]).tolist()
    for first, last in pairwise([*edges, len(thread)]):
        begin, until = start[first:last], end[first:last]
        long = until > begin
        opened: Array = np.cumsum(long) - long
        depth[first:last] = opened - np.searchsorted(np.sort(until[long]), begin, side="right")
    return depth
