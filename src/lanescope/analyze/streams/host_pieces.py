"""Host threads cut into pieces for the critical path: what ran through without being released.

A piece is time in which a thread had rows without a hole. It also ends where a call returns in
which the thread waited for a device: what follows was released by the device, not by what came
before on the thread. Only threads that launch have pieces.

A call waited for the task that `waits` names, if that ended within the call. Where `waits` says
nothing, or names a task that by its clock ended after the call, a call that synchronises waited for
the last task that ended within it. A call that launched a copy which ended within it waited for its
copy.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.analyze.columns.accumulated import joined
from lanescope.analyze.streams.basis import StreamBasis
from lanescope.analyze.streams.host_time import HostLane
from lanescope.analyze.streams.work import MEMORY, DeviceWork
from lanescope.trace.numbering import find
from lanescope.trace.schema import MISSING
from lanescope.trace.table import Array


@dataclass(frozen=True, slots=True, eq=False)
class HostPieces:
    """Pieces of launching threads, thread by thread in rising order."""

    thread: Array
    """By piece: number of its thread."""
    start: Array
    end: Array
    released: Array
    """By piece: the row of the work whose end released the thread, -1 where nothing did."""
    first: dict[int, tuple[int, int]]
    """Number of a thread to its first piece and the one behind its last."""

    def at(self, thread: Array, moments: Array) -> Array:
        """The piece that each thread is in, or was in last, at each moment; -1: none."""
        result = np.full(len(moments), -1, np.int64)
        for number, (first, last) in self.first.items():
            mine = thread == number
            place = np.searchsorted(self.start[first:last], moments[mine], side="right") - 1
            result[mine] = np.where(place >= 0, place + first, -1)
        return result


@dataclass(frozen=True, slots=True, eq=False)
class _Released:
    """Calls in which a thread waited: its number, when the call returned, what it waited for."""

    thread: Array
    end: Array
    row: Array


def host_pieces(basis: StreamBasis) -> HostPieces:
    """Cut the launching threads of a trace into pieces."""
    work, host = basis.work, basis.host
    released = _released(basis)
    numbers = np.unique(work.thread[work.launched]).tolist()
    parts: list[tuple[Array, ...]] = []
    first, count = {}, 0
    for lane in (host.thread(number) for number in numbers):
        if lane is None:
            continue
        part = _cut(basis, lane, released)
        first[lane.number] = (count, count + len(part[0]))
        count += len(part[0])
        parts.append((np.full(len(part[0]), lane.number), *part))
    if not parts:
        parts = [tuple(np.empty(0, np.int64) for _ in range(4))]
    thread, start, end, rows = (np.concatenate(column) for column in zip(*parts, strict=True))
    return HostPieces(thread, start, end, rows, first)


def _cut(basis: StreamBasis, lane: HostLane, released: _Released) -> tuple[Array, Array, Array]:
    """Start, end and releasing row of the pieces of one thread."""
    nesting = basis.host.nesting
    start, end = joined(nesting.piece_start[lane.pieces], nesting.piece_end[lane.pieces])
    mine = released.thread == lane.number
    begins = np.concatenate([start, released.end[mine]])
    rows = np.concatenate([np.full(len(start), -1), released.row[mine]])
    order = np.argsort(begins, kind="stable")
    begins, rows = begins[order], rows[order]
    inside = np.searchsorted(start, begins, side="right") - 1
    kept = (inside >= 0) & (begins <= end[inside])
    begins, rows, inside = begins[kept], rows[kept], inside[kept]
    until = end[inside]
    same = np.append(inside[1:] == inside[:-1], False)[: len(inside)]
    until = np.where(same, np.append(begins[1:], 0)[: len(begins)], until)
    return begins, until, rows


def _released(basis: StreamBasis) -> _Released:
    """All calls in which a thread waited for a device."""
    named, told = _named(basis)
    parts = [named, _synchronised(basis, told), _copied(basis.work)]
    return _Released(
        np.concatenate([part.thread for part in parts]),
        np.concatenate([part.end for part in parts]),
        np.concatenate([part.row for part in parts]),
    )


def _named(basis: StreamBasis) -> tuple[_Released, Array]:
    """Waits that the source records, and the phases rows of their calls.

    A task that ends after the call has returned was not what released it: clocks differ a little.
    """
    trace, work, waits = basis.trace, basis.work, basis.trace.waits
    rows = np.flatnonzero(
        (waits["kind"] != trace.code("stream waits event")) & (waits["launch"] != MISSING)
    )
    calls = np.flatnonzero(trace.phases["launch"] != MISSING)
    at = find(trace.phases["launch"][calls], waits["launch"][rows])
    rows, call = rows[at >= 0], calls[at[at >= 0]] if len(calls) else rows[:0]
    on = find(trace.tasks["task"][work.row], waits["on_task"][rows])
    start, end = trace.phases["start_ns"][call], trace.phases["end_ns"][call]
    done = np.append(work.end, MISSING)[on]
    waited = (on >= 0) & (done > start) & (done <= end)
    thread = trace.phases["controller"][call]
    return _Released(thread[waited], end[waited], on[waited]), call[(on >= 0) & (done <= end)]


def _synchronised(basis: StreamBasis, told: Array) -> _Released:
    """Calls that synchronise and of which `waits` does not tell what for."""
    work, host = basis.work, basis.host
    rows = np.flatnonzero(host.waiting & ~np.isin(host.row, told))
    ran = np.flatnonzero(work.busy)
    order = ran[np.argsort(work.end[ran], kind="stable")]
    last = np.searchsorted(work.end[order], host.end[rows], side="right") - 1
    row = np.append(order, -1)[last]
    waited = (last >= 0) & (np.append(work.end, MISSING)[row] > host.start[rows])
    thread = basis.trace.phases["controller"][host.row[rows]].astype(np.int64)
    return _Released(thread[waited], host.end[rows][waited], row[waited])


def _copied(work: DeviceWork) -> _Released:
    """Calls that return after the copy that they launched."""
    waited = (work.work == MEMORY) & work.launched
    waited &= (work.end > work.call_start) & (work.end <= work.call_end)
    return _Released(work.thread[waited], work.call_end[waited], np.flatnonzero(waited))
