"""Bursts of the cores' trace engines: decoded, and attached to the trace's tasks.

A core's bursts are its chunk stream. A stream ends at its sentinel; what follows is another one,
for there the engine lost chunks and no time carries over.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import groupby

import numpy as np

from lanescope.capture.gather import Gathered
from lanescope.chunks import SENTINEL, Clocks, Decoded, attach, decode
from lanescope.device.head import Array, Head
from lanescope.device.kinds import KINDS
from lanescope.trace import MISSING, MISSING32, Trace
from lanescope.trace.meta import LedgerEntry

NO_CLOCKS = (
    "The clocks of the cores are not known, so what their trace engines wrote was not decoded."
)


def with_bursts(trace: Trace, gathered: Gathered, head: Head, core_hz: Mapping[str, int]) -> Trace:
    """The trace with the marks of every core; `core_hz` is the clock of each kind of core."""
    streams = core_streams(gathered, head)
    if not streams:
        return trace
    if any(head.cores[core].kind not in core_hz for core in streams):
        return trace.with_meta(notes=(*trace.meta.notes, NO_CLOCKS))
    counter_hz = int(head.header["clock_hz"])
    decoded = {
        core: [decode(part, Clocks(core_hz[head.cores[core].kind], counter_hz)) for part in parts]
        for core, parts in streams.items()
    }
    trace = _with_blocks(trace, decoded)
    for number in range(max(len(parts) for parts in decoded.values())):
        own = {core: parts[number] for core, parts in decoded.items() if number < len(parts)}
        trace = attach(trace, own)
    return trace.with_meta(ledger=summed(trace.meta.ledger))


def core_streams(gathered: Gathered, head: Head) -> dict[int, list[bytes]]:
    """Per core its streams in order; cores that wrote nothing are left out."""
    found = {}
    for lane in np.flatnonzero(head.lanes["kind"] == KINDS.index("burst")).tolist():
        chunks = gathered.records[lane]["chunks"]
        if len(chunks):
            ends = np.flatnonzero((chunks == SENTINEL).any(axis=1)) + 1
            parts = np.split(chunks, ends)
            found[int(head.lanes["owner"][lane])] = [p.tobytes() for p in parts if len(p)]
    return found


def _with_blocks(trace: Trace, streams: Mapping[int, list[Decoded]]) -> Trace:
    """Rows of tasks with several blocks learn from the start stamp which one they are."""
    tasks = trace.tasks
    block = tasks["block"].copy()
    wanted = (tasks["blocks"] > 1) & (tasks["start_cycles"] != MISSING)
    for core, parts in streams.items():
        rows = np.flatnonzero(wanted & (tasks["core"] == core))
        rows = rows[np.argsort(tasks["start_cycles"][rows], kind="stable")]
        if len(rows):
            block[rows] = _stamped(parts, tasks["start_cycles"][rows])
    return replace(trace, tasks=tasks.replace(block=block))


def _stamped(parts: list[Decoded], start: Array) -> Array:
    """The block of the stamp at each start, to one tick."""
    time = np.concatenate([part.ticks(part.stamps.time) for part in parts])
    blocks = np.concatenate([part.stamps.block for part in parts])
    if not len(time):
        return np.full(len(start), MISSING32, np.int32)
    at = np.searchsorted(time, start + 1, side="right") - 1
    near = (at >= 0) & (np.abs(time[np.maximum(at, 0)] - start) <= 1)
    return np.where(near, blocks[np.maximum(at, 0)], MISSING32).astype(np.int32)


def summed(ledger: tuple[LedgerEntry, ...]) -> tuple[LedgerEntry, ...]:
    """One entry per lane and kind."""
    found: dict[tuple[str, str], list[LedgerEntry]] = {}
    for entry in ledger:
        found.setdefault((entry.lane, entry.kind), []).append(entry)
    return tuple(own[0] if len(own) == 1 else _sum(own) for own in found.values())


def _sum(entries: list[LedgerEntry]) -> LedgerEntry:
    reasons = [reason for reason, _ in groupby(e.reason for e in entries if e.reason)]
    return LedgerEntry(
        lane=entries[0].lane,
        kind=entries[0].kind,
        total=sum(entry.total for entry in entries),
        delivered=sum(entry.delivered for entry in entries),
        dropped=sum(entry.dropped for entry in entries),
        unmatched=sum(entry.unmatched for entry in entries),
        reason="; ".join(reasons),
    )
