"""Puts decoded streams into a trace: each row is given the task that was on its core.

A row belongs to a task if two things hold. The task's time on the core, from receive (or start,
where no receive is known) to end, contains the whole row, give or take one tick of the counter.
And the block of the start stamp is the task's block, where both are known. A row that belongs to no
task stays in the trace without one, and is counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from lanescope.chunks.result import Decoded
from lanescope.chunks.rows import Columns, chunk_entry, stream_rows
from lanescope.errors import LanescopeError
from lanescope.trace.flags import Feature
from lanescope.trace.meta import LedgerEntry
from lanescope.trace.schema import MISSING, MISSING32
from lanescope.trace.table import Array, Table
from lanescope.trace.trace import Trace, Words

_NS = 1_000_000_000


def attach(trace: Trace, streams: Mapping[int, Decoded]) -> Trace:
    """Append the rows of these cores to the trace's marks, and their accounts to its ledger."""
    return attach_pieces(trace, sorted(streams.items()))


def attach_pieces(trace: Trace, pieces: Sequence[tuple[int, Decoded]]) -> Trace:
    """Append the rows of pieces, each with its core, in this order."""
    base = _base(trace, pieces)
    words = Words(trace.words)
    windows = _Windows(trace)
    parts: list[Columns] = []
    entries: list[LedgerEntry] = []
    for core, stream in pieces:
        columns = stream_rows(stream, words, base_ticks=base, shift_ns=trace.meta.base_shift_ns)
        owner = windows.owner(core, columns, _blocks(stream))
        parts.append({**columns, **windows.names(owner), "core": np.full(len(owner), core)})
        entries += [chunk_entry(core, stream), _row_entry(core, owner, columns)]
    marks = _after(trace.marks, parts)
    return replace(trace, words=words.freeze(), marks=marks).with_meta(
        flags=trace.meta.flags | Feature.CORE_SWIMLANE, ledger=(*trace.meta.ledger, *entries)
    )


def _after(old: Table, parts: list[Columns]) -> Table:
    """Return the old rows, then the new ones."""
    names = parts[0] if parts else {}
    new = {name: np.concatenate([old[name], *(part[name] for part in parts)]) for name in names}
    return Table.build("marks", new) if parts else old


class _Windows:
    """The intervals in which tasks were on their cores, sorted by core and then by time."""

    def __init__(self, trace: Trace) -> None:
        tasks = trace.tasks
        rows = np.flatnonzero(trace.ran() & (tasks["core"] != MISSING32))
        receive, start = tasks["receive_ns"][rows], tasks["start_ns"][rows]
        begin = np.where(receive == MISSING, start, np.minimum(receive, start))
        order = np.lexsort((begin, tasks["core"][rows]))
        self._rows, self._begin = rows[order], begin[order]
        self._end = tasks["end_ns"][self._rows]
        self._core = tasks["core"][self._rows]
        self._block = tasks["block"][self._rows]
        self._tasks = tasks
        self._slack_ns = -(-_NS // (trace.meta.clock_hz or _NS))

    def owner(self, core: int, columns: Columns, block: Array) -> Array:
        """Return the row in `tasks` of each row's task on this core; -1 where there is none."""
        low, high = np.searchsorted(self._core, [core, core + 1]).tolist()
        owner = np.full(len(block), -1, np.int64)
        if low == high:
            return owner
        start, end = columns["start_ns"], columns["end_ns"]
        first, last = np.where(start == MISSING, end, start), np.where(end == MISSING, start, end)
        last_begun = np.searchsorted(self._begin[low:high], first, side="right") - 1 + low
        # Times are known to one tick only: a row may seem to begin just before its task does, or
        # just after its task has ended.
        for place in (last_begun, last_begun + 1, last_begun - 1):
            at = np.clip(place, low, high - 1)
            fits = (first >= self._begin[at] - self._slack_ns) & (owner < 0)
            fits &= last <= self._end[at] + self._slack_ns
            fits &= (self._block[at] == block) | (self._block[at] == MISSING32)
            owner = np.where(fits, self._rows[at], owner)
        return owner

    def names(self, owner: Array) -> Columns:
        """Return the columns `task` and `token` of each row's task."""
        owned = owner >= 0
        at = owner[owned]
        columns = {name: np.full(len(owner), MISSING) for name in ("task", "token")}
        for name, column in columns.items():
            column[owned] = self._tasks[name][at]
        return columns


def _base(trace: Trace, pieces: Sequence[tuple[int, Decoded]]) -> int:
    """Return the system counter at the trace's 0 ns; refuse streams of another counter."""
    clock_hz, base = trace.meta.clock_hz, trace.meta.base_cycles
    if clock_hz is None or base is None:
        raise LanescopeError(
            f"trace {trace.meta.name} has no counter values, so marks cannot be laid beside "
            "its tasks; record or import it with cycles"
        )
    for core, stream in pieces:
        if stream.clocks.counter_hz != clock_hz:
            raise LanescopeError(
                f"core {core} was decoded with a counter of {stream.clocks.counter_hz} Hz, "
                f"but the trace's counter has {clock_hz} Hz; decode it with that"
            )
    return base


def _blocks(stream: Decoded) -> Array:
    """Return the block that was stamped before each row, in the order of `stream_rows`."""
    times = (stream.busy.start, stream.marks.time, stream.unpaired.time)
    return stream.block_at(np.concatenate(times))


def _row_entry(core: int, owner: Array, columns: Columns) -> LedgerEntry:
    """Return the account of a core's rows; a row is delivered if it has a task and both ends."""
    lone = (columns["start_ns"] == MISSING) | (columns["end_ns"] == MISSING)
    outside = int(np.count_nonzero((owner < 0) & ~lone))
    whole = int(np.count_nonzero((owner >= 0) & ~lone))
    reasons = [
        f"{count} {what}"
        for count, what in (
            (outside, "lie in no task"),
            (int(lone.sum()), "have only one end"),
        )
        if count
    ]
    return LedgerEntry(
        lane=f"core {core}",
        kind="mark",
        total=len(owner),
        delivered=whole,
        unmatched=outside + int(lone.sum()),
        reason="; ".join(reasons),
    )
