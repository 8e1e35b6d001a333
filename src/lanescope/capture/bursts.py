"""Decodes the bursts of the cores' trace engines, and adds them to a trace as marks.

The bursts of a core are its chunk stream. A sentinel ends a stream. What follows it is another
stream: the engine lost chunks there, so no time carries over.
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
    """Return the trace with the marks of every core that has bursts.

    `core_hz` is the clock of each kind of core in Hz. Where one of them is not known, nothing is
    decoded, and a note says so.
    """
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
    """Return the streams of each core in recorded order, without the cores that wrote nothing."""
    streams = {}
    for lane in np.flatnonzero(head.lanes["kind"] == KINDS.index("burst")).tolist():
        chunks = gathered.records[lane]["chunks"]
        if len(chunks):
            ends = np.flatnonzero((chunks == SENTINEL).any(axis=1)) + 1
            parts = np.split(chunks, ends)
            streams[int(head.lanes["owner"][lane])] = [p.tobytes() for p in parts if len(p)]
    return streams


def _with_blocks(trace: Trace, streams: Mapping[int, list[Decoded]]) -> Trace:
    """Set the block of each row whose task has several: the stamp at its start tells it."""
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
    """Return the block of the stamp within one tick of each start; MISSING32 where none is."""
    time = np.concatenate([part.ticks(part.stamps.time) for part in parts])
    blocks = np.concatenate([part.stamps.block for part in parts])
    if not len(time):
        return np.full(len(start), MISSING32, np.int32)
    at = np.searchsorted(time, start + 1, side="right") - 1
    near = (at >= 0) & (np.abs(time[np.maximum(at, 0)] - start) <= 1)
    return np.where(near, blocks[np.maximum(at, 0)], MISSING32).astype(np.int32)


def summed(ledger: tuple[LedgerEntry, ...]) -> tuple[LedgerEntry, ...]:
    """Return the ledger with one entry per lane and kind: the sum of all entries that they have."""
    groups: dict[tuple[str, str], list[LedgerEntry]] = {}
    for entry in ledger:
        groups.setdefault((entry.lane, entry.kind), []).append(entry)
    return tuple(own[0] if len(own) == 1 else _sum(own) for own in groups.values())


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
        unknown=any(entry.unknown for entry in entries),
    )
