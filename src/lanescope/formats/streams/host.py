"""Host threads of a recording: their rows as phases with a depth, the steps that they mark."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from lanescope.formats.streams.numbers import LaunchNumbers, Renumbered
from lanescope.formats.streams.recording import CATEGORIES, StreamRecording
from lanescope.trace import Table, Words
from lanescope.trace.schema import MISSING, MISSING32
from lanescope.trace.table import Array

HOST = "host"
"""The `lane` of host threads in `phases` and `controllers`."""


@dataclass(frozen=True, slots=True)
class HostPhases:
    """The table, and its rows by launch: which call made which launch."""

    table: Table

    def calls(self, launch: Array) -> Array:
        """Row of the call of each launch; -1 where the call is not recorded.

        Of several rows of one launch the innermost counts, which is the last in the table.
        """
        own = self.table["launch"]
        rows = np.flatnonzero(own != MISSING)
        if not len(rows):
            return np.full(len(launch), -1, np.int64)
        row_of = np.full(int(own[rows].max()) + 1, -1, np.int64)
        row_of[own[rows]] = rows
        inside = (launch >= 0) & (launch < len(row_of))
        found: Array = np.where(inside, row_of[np.where(inside, launch, 0)], -1)
        return found


def phases_table(
    recording: StreamRecording, base: int, words: Words, numbers: LaunchNumbers
) -> HostPhases:
    """The rows of all threads, sorted by thread and start, an outer row before its inner ones."""
    rows = recording.host
    order = np.lexsort((-rows.end, rows.start, rows.thread))
    names, categories = words.codes(rows.names), words.codes(list(CATEGORIES))
    thread, start, end = rows.thread[order], rows.start[order] - base, rows.end[order] - base
    count = len(order)

    def numbered(values: Array | None, by: Renumbered) -> Array:
        return np.full(count, MISSING) if values is None else by.of(values[order])

    table = Table.build(
        "phases",
        {
            "lane": np.full(count, words.code(HOST) if count else -1, np.int32),
            "controller": thread.astype(np.int32),
            "kind": names[rows.name[order]] if count else np.empty(0, np.int32),
            "category": categories[rows.category[order]] if count else np.empty(0, np.int32),
            "start_ns": start,
            "end_ns": end,
            "launch": numbered(rows.launch, numbers.launch),
            "op": numbered(rows.op, numbers.op),
            "flow": numbered(rows.flow, numbers.flow),
            "depth": depths(thread, start, end),
            "bytes": np.full(count, MISSING) if rows.bytes is None else rows.bytes[order],
        },
    )
    return HostPhases(table)


def depths(lane: Array, start: Array, end: Array) -> Array:
    """How many rows of its lane are open when a row starts.

    Rows are sorted by lane, then start, the longest first. A row that ends where another starts
    is not around it. A row without length is around none.
    """
    result = np.zeros(len(lane), np.int32)
    if not len(lane):
        return result
    for first, last in pairwise(np.flatnonzero(np.r_[True, lane[1:] != lane[:-1], True]).tolist()):
        begin, until = start[first:last], end[first:last]
        long = until > begin
        opened: Array = np.cumsum(long) - long
        closed = np.searchsorted(np.sort(until[long]), begin, side="right")
        result[first:last] = opened - closed
    return result


def controllers_table(recording: StreamRecording, words: Words) -> Table:
    """One row per host thread."""
    threads = recording.threads
    ranks = [MISSING32 if thread.rank is None else thread.rank for thread in threads]
    return Table.build(
        "controllers",
        {
            "lane": np.full(len(threads), words.code(HOST) if threads else -1, np.int32),
            "controller": np.arange(len(threads), dtype=np.int32),
            "name": words.codes([thread.name for thread in threads]),
            "kind": np.full(len(threads), words.code("host thread") if threads else -1, np.int32),
            "rank": np.array(ranks, np.int32),
        },
    )


def steps_table(recording: StreamRecording, base: int, words: Words) -> Table:
    """One row per step, by start."""
    rows = recording.steps
    order = np.lexsort((rows.step, rows.start))
    return Table.build(
        "steps",
        {
            "step": rows.step[order],
            "name": words.codes(rows.name)[order] if rows.name else np.empty(0, np.int32),
            "controller": np.where(rows.thread[order] < 0, MISSING32, rows.thread[order]).astype(
                np.int32
            ),
            "start_ns": rows.start[order] - base,
            "end_ns": rows.end[order] - base,
        },
    )
