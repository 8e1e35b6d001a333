"""Collectives of a recording, numbered so that rows of two ranks can be matched.

Best is the source's own sequence number. Else operations are counted within their group, or, where
the group is not known either, on their stream by name; `collectives.matched` says which.
"""

from __future__ import annotations

import numpy as np

from lanescope.formats.streams.recording import StreamRecording
from lanescope.formats.streams.work import PlacedWork
from lanescope.trace import Table, Words
from lanescope.trace.numbering import nth
from lanescope.trace.schema import MISSING, MISSING32
from lanescope.trace.table import Array


def collectives_table(
    recording: StreamRecording, base: int, words: Words, work: PlacedWork
) -> Table:
    """One row per operation, by start."""
    rows = recording.collectives
    if not len(rows.row):
        return Table.build("collectives")
    start = recording.work.start[rows.row]
    order = np.argsort(start, kind="stable")
    at = rows.row[order]
    group, matched = _groups(recording, order)
    given = np.full(len(order), MISSING) if rows.sequence is None else rows.sequence[order]
    sequence = np.where(given != MISSING, given, nth(np.unique(group, return_inverse=True)[1]))
    by = np.where(given != MISSING, words.code(rows.matched or "source"), words.codes(matched))

    def numbers(values: Array | None, missing: int) -> Array:
        return np.full(len(order), missing) if values is None else values[order]

    def texts(values: list[str] | None) -> Array:
        chosen = [""] * len(order) if values is None else [values[k] for k in order.tolist()]
        return np.array([words.code(text) if text else -1 for text in chosen], np.int32)

    lane = recording.work.lane[at]
    return Table.build(
        "collectives",
        {
            "group": words.codes(group),
            "sequence": sequence,
            "matched": by.astype(np.int32),
            "kind": texts(rows.kind),
            "bytes": numbers(rows.bytes, MISSING),
            "bytes_out": numbers(rows.bytes_out, MISSING),
            "type": texts(rows.type),
            "peers": texts(rows.peers),
            "size": numbers(rows.size, MISSING32).astype(np.int32),
            "source": numbers(rows.source, MISSING32).astype(np.int32),
            "target": numbers(rows.target, MISSING32).astype(np.int32),
            "task": work.task_of(at),
            "core": lane.astype(np.int32),
            "start_ns": start[order] - base,
            "end_ns": recording.work.end[at] - base,
        },
    )


def _groups(recording: StreamRecording, order: Array) -> tuple[list[str], list[str]]:
    """The group of each operation, and how operations of it are counted."""
    rows, work = recording.collectives, recording.work
    groups, matched = [], []
    for k in order.tolist():
        if rows.group[k]:
            groups.append(rows.group[k])
            matched.append("group")
            continue
        at = int(rows.row[k])
        lane = recording.lanes[int(work.lane[at])]
        groups.append(f"{lane.name}: {work.names[int(work.name[at])]}")
        matched.append("stream")
    return groups, matched
