"""Encodes what a core did as the chunks of its trace engine; the bits are CHUNK LAYOUT, layout.py.

Times are whole core cycles since the task's stamp. A mark on a pipe other than scalar makes two
chunks: one for its issue on scalar, one for its execution on the pipe.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lanescope.chunks import layout
from lanescope.trace.pipes import PIPES
from lanescope.trace.table import Array

_STATE = layout.CTRL_STATE << 12


@dataclass(frozen=True, slots=True)
class StartStamp:
    """The system counter when a task begins, and the task's block."""

    counter: int
    block: int = 0


@dataclass(frozen=True, eq=False, slots=True)
class ChunkEvents:
    """Chunks without their deltas."""

    cycle: Array
    """Core cycles since the stamp; they never fall."""
    head: Array
    """The chunk's upper half: ctrl << 12 | events."""


def stamp_chunks(stamp: StartStamp) -> Array:
    """Return the four chunks of a START_STAMP."""
    if not (0 <= stamp.counter < 1 << 64 and 0 <= stamp.block < 1 << 16):
        raise ValueError(f"a stamp holds a 64-bit counter and a 16-bit block, found {stamp}")
    parts = (stamp.block & 0xFF, stamp.block >> 8, 0, 0)
    return np.array(
        [
            layout.CTRL_STAMP << layout.CTRL_SHIFT
            | sequence << 24
            | part << 16
            | stamp.counter >> 16 * sequence & 0xFFFF
            for sequence, part in enumerate(parts)
        ],
        np.uint32,
    )


def busy_events(pipe: npt.ArrayLike, start: npt.ArrayLike, end: npt.ArrayLike) -> ChunkEvents:
    """Make a STATE chunk for every change of the busy mask.

    Each span is a pipe (its position in PIPES), a start and an end. Spans of one pipe may touch or
    overlap. All pipes are idle before the first span and after the last.
    """
    pipes = np.asarray(pipe, np.int64)
    edges = np.concatenate([np.asarray(start, np.int64), np.asarray(end, np.int64)])
    cycle, place = np.unique(edges, return_inverse=True)
    step = np.zeros((len(cycle), len(PIPES)), np.int64)
    np.add.at(step, (place, np.tile(pipes, 2)), np.repeat([1, -1], len(pipes)))
    busy = np.cumsum(step, axis=0) > 0
    mask = busy @ (1 << np.arange(len(PIPES)))
    changed = np.diff(mask, prepend=0) != 0
    return ChunkEvents(cycle[changed], (_STATE | mask[changed]).astype(np.uint16))


def mark_events(
    pipe: npt.ArrayLike,
    mark: npt.ArrayLike,
    *,
    issue: npt.ArrayLike,
    execute: npt.ArrayLike,
    fixp_code: int = layout.FIXP_CODES[0],
) -> ChunkEvents:
    """Make the chunks of marks: issued on scalar at `issue`, executed on their pipe at `execute`.

    A mark must not be executed before it is issued.
    """
    codes = np.array([*range(layout.FIXP), fixp_code], np.int64)
    pipes, marks = np.asarray(pipe, np.int64), np.asarray(mark, np.int64)
    if len(marks) and not (0 <= marks.min() and marks.max() <= layout.EVENTS_MASK):
        raise ValueError(f"a mark is 0 to {layout.EVENTS_MASK}")
    away = pipes != layout.SCALAR
    cycle = np.concatenate([np.asarray(issue, np.int64), np.asarray(execute, np.int64)[away]])
    head = np.concatenate([marks, codes[pipes[away]] << 12 | marks[away]])
    order = np.argsort(cycle, kind="stable")
    return ChunkEvents(cycle[order], head[order].astype(np.uint16))


def merge(*events: ChunkEvents) -> ChunkEvents:
    """Merge several streams into one; at the same cycle the earlier argument comes first."""
    cycle = np.concatenate([e.cycle for e in events])
    order = np.argsort(cycle, kind="stable")
    return ChunkEvents(cycle[order], np.concatenate([e.head for e in events])[order])


def encode_task(stamp: StartStamp, events: ChunkEvents) -> Array:
    """Return the chunks of one task: its stamp, then its events with their deltas."""
    gap = np.diff(events.cycle, prepend=0)
    if len(gap) and gap.min() < 0:
        raise ValueError("events must be in order of their cycle, from 0 on")
    head = events.head.astype(np.uint32)
    bridges = np.maximum(gap - 1, 0) // layout.DELTA_LIMIT
    chunks = head << 16 | (gap - bridges * layout.DELTA_LIMIT).astype(np.uint32)
    if bridges.any():
        chunks = _bridge(chunks, head, bridges)
    return np.concatenate([stamp_chunks(stamp), chunks])


def _bridge(chunks: Array, head: Array, bridges: Array) -> Array:
    """Put STATE chunks that repeat the present state before each chunk whose gap is too long."""
    is_state = head >= _STATE
    last = np.maximum.accumulate(np.where(is_state, np.arange(len(head)), -1))
    before = np.concatenate([[-1], last[:-1]])
    present = np.where(before >= 0, head[np.maximum(before, 0)], np.uint32(_STATE))
    filled = np.repeat(present << 16 | layout.DELTA_LIMIT, bridges + 1).astype(np.uint32)
    filled[np.cumsum(bridges + 1) - 1] = chunks
    return filled
