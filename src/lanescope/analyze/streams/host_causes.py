"""What the host did in times in which it should have launched something.

The launching thread is asked first. Where it has no row, the other threads that launch on the same
device are asked, the one with most rows first: a framework runs the backward pass of a model in a
thread of its own, and while one thread works the other has no rows.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from lanescope.analyze.columns.accumulated import difference, joined, overlaps
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
    """The pieces of a thread: which row was the innermost when."""

    def __init__(self, host: HostTime, number: int) -> None:
        """Those of a thread, which must have rows."""
        lane = host.thread(number)
        assert lane is not None
        nesting = host.nesting
        rows = nesting.piece_row[lane.pieces]
        self.pieces = nesting.piece_start[lane.pieces], nesting.piece_end[lane.pieces]
        self.first_ns = lane.start_ns
        self.covered = joined(*self.pieces)
        self._name = host.name[rows]
        self._waits = host.waiting[rows]

    def asked(self, start: Array, end: Array) -> HostCauses:
        """What the thread did in disjoint rising intervals, where it had rows."""
        met = overlaps(start, end, self.pieces)
        ns = met.end - met.start
        waits = self._waits[met.other]
        by = {
            what: _sums(met.of, np.where(waits == wanted, ns, 0), len(start))
            for what, wanted in ((BUSY, False), (WAITING, True))
        }
        names = _sums(np.maximum(self._name[met.other], 0), ns, 0)
        return HostCauses(by, Counter({int(k): int(names[k]) for k in np.flatnonzero(names)}))


def _sums(codes: Array, ns: Array, least: int) -> Array:
    """Sum by code; the sums are exact below 2^53 ns."""
    return np.bincount(codes, weights=ns, minlength=least).astype(np.int64)


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
        count, of = len(start), np.arange(len(start))
        by = {what: np.zeros(count, np.int64) for what in HOST_REASONS}
        names: Counter[int] = Counter()
        earliest = np.iinfo(np.int64).max
        others = [one for one in self._launching[device] if one != thread]
        for number in (thread, *others):
            one = self._thread(number)
            earliest = min(earliest, one.first_ns)
            found = one.asked(start, end)
            names += found.names
            for what, ns in found.by.items():
                by[what] += _sums(of, ns, count)
            left = difference(start, end, one.covered)
            start, end, of = left.start, left.end, of[left.of]
        known = np.clip(earliest, start, end)
        by[NOT_RECORDED] += _sums(of, known - start, count)
        by[UNSEEN] += _sums(of, end - known, count)
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
