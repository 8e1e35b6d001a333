"""Streams in several parts: a sentinel ends a part, and no time carries over to the next one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from lanescope.chunks.layout import BURST_BYTES, CHUNK_BYTES, SENTINEL
from lanescope.chunks.result import Decoded
from lanescope.chunks.task_join import attach_pieces
from lanescope.trace.schema import MISSING, MISSING32
from lanescope.trace.summed import summed
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace

_PER_BURST = BURST_BYTES // CHUNK_BYTES


def split_parts(data: bytes | memoryview | Array) -> list[Array]:
    """Cut a core's bytes after every burst that has a sentinel; no part is empty."""
    octets = np.frombuffer(data, np.uint8)
    words = octets[: len(octets) // CHUNK_BYTES * CHUNK_BYTES].view("<u4")
    ends = (np.flatnonzero(words == SENTINEL) // _PER_BURST + 1) * BURST_BYTES
    return [part for part in np.split(octets, np.unique(ends)) if len(part)]


def attach_parts(trace: Trace, streams: Mapping[int, Sequence[Decoded]]) -> Trace:
    """Append the rows of all parts of these cores to the trace's marks, and one account each.

    A task that has several blocks gets the block of the stamp at its start.
    """
    trace = _with_blocks(trace, streams)
    most = max((len(parts) for parts in streams.values()), default=0)
    pieces = [
        (core, parts[number])
        for number in range(most)
        for core, parts in sorted(streams.items())
        if number < len(parts)
    ]
    trace = attach_pieces(trace, pieces)
    return trace.with_meta(ledger=summed(trace.meta.ledger))


def _with_blocks(trace: Trace, streams: Mapping[int, Sequence[Decoded]]) -> Trace:
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


def _stamped(parts: Sequence[Decoded], start: Array) -> Array:
    """Return the block of the stamp within one tick of each start; MISSING32 where none is."""
    time = np.concatenate([part.ticks(part.stamps.time) for part in parts])
    blocks = np.concatenate([part.stamps.block for part in parts])
    if not len(time):
        return np.full(len(start), MISSING32, np.int32)
    at = np.searchsorted(time, start + 1, side="right") - 1
    near = (at >= 0) & (np.abs(time[np.maximum(at, 0)] - start) <= 1)
    return np.where(near, blocks[np.maximum(at, 0)], MISSING32).astype(np.int32)
