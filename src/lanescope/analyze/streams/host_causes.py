"""What the host did in times in which it should have launched something.

The launching thread is asked first. Where it has no row, the other threads that launch on the same
device are asked, the one with most rows first: a framework runs the backward pass of a model in a
thread of its own, and while one thread works the other has no rows.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from lanescope.analyze.columns.accumulated import Accumulated, difference, union
from lanescope.analyze.streams.host_time import HostTime
from lanescope.analyze.streams.work import DeviceWork
from lanescope.trace.table import Array

BUSY, WAITING, UNSEEN, NOT_RECORDED = HOST_REASONS = (
    "host_busy",
    "host_waiting",
    "host_unseen",
    "not_recorded",
)


@dataclass(frozen=True, slots=True, eq=False)
class HostCauses:
    """Times of the host by what it did."""

    by: dict[str, Array]
    """Reason of HOST_REASONS to nanoseconds, by interval that was asked about."""
    names: Counter[int]
    """Code of a row's name to the time in which such a row was the innermost one."""


class ThreadTime:
    """The pieces of a thread, and how long it was busy or waited before any moment."""

    def __init__(self, host: HostTime, number: int) -> None:
        lane = host.thread(number)
        assert lane is not None
        nesting = host.nesting
        rows = nesting.piece_row[lane.pieces]
        self.start = nesting.piece_start[lane.pieces]
        self.end = nesting.piece_end[lane.pieces]
        self.name = np.maximum(host.name[rows], 0)
        self.first_ns = lane.start_ns
        self.covered = union(self.start, self.end)
        waits = host.waiting[rows]
        self.parts = {
            BUSY: Accumulated.of(self.start, self.end, ~waits),
            WAITING: Accumulated.of(self.start, self.end, waits),
        }

    def names(self, start: Array, end: Array) -> Counter[int]:
        """Time in these intervals by name of the innermost row."""
        if not len(start) or not len(self.start):
            return Counter()
        first = int(np.searchsorted(self.end, start[0], side="right"))
        last = int(np.searchsorted(self.start, end[-1], side="left"))
        part = slice(first, max(first, last))
        ns = Accumulated.of(start, end).between(self.start[part], self.end[part])
        sums = np.bincount(self.name[part], weights=ns)
        return Counter({int(code): int(sums[code]) for code in np.flatnonzero(sums)})


class HostWatch:
    """Answers what the host did in any time; what it needs of a thread is made once."""

    def __init__(self, work: DeviceWork, host: HostTime) -> None:
        """Prepare the threads that launch."""
        self._host = host
        self._threads: dict[int, ThreadTime] = {}
        self._launching = {
            device: _launching(work, host, device) for device in range(len(work.devices))
        }

    def asked(self, thread: int, device: int, start: Array, end: Array) -> HostCauses:
        """What the host did in disjoint rising intervals, before this thread launched there."""
        by = {what: np.zeros(len(start), np.int64) for what in HOST_REASONS}
        names: Counter[int] = Counter()
        of = np.arange(len(start))
        earliest = np.iinfo(np.int64).max
        others = [one for one in self._launching[device] if one != thread]
        for number in (thread, *others):
            one = self._thread(number)
            earliest = min(earliest, one.first_ns)
            for what, clock in one.parts.items():
                np.add.at(by[what], of, clock.between(start, end))
            names += one.names(start, end)
            start, end, at = difference(start, end, one.covered)
            of = of[at]
        known = np.clip(earliest, start, end)
        np.add.at(by[NOT_RECORDED], of, known - start)
        np.add.at(by[UNSEEN], of, end - known)
        return HostCauses(by, names)

    def _thread(self, number: int) -> ThreadTime:
        if number not in self._threads:
            self._threads[number] = ThreadTime(self._host, number)
        return self._threads[number]


def _launching(work: DeviceWork, host: HostTime, device: int) -> list[int]:
    """Threads that launch on a device, the one with most rows first."""
    numbers = np.unique(work.thread[work.launched & (work.device == device)]).tolist()
    lanes = [lane for lane in map(host.thread, numbers) if lane is not None]
    lanes.sort(key=lambda lane: lane.rows.start - lane.rows.stop)
    return [lane.number for lane in lanes]
