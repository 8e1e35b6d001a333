"""Makes a trace of what a profiler of streams recorded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lanescope.errors import InputError
from lanescope.formats.bundle import Bundle
from lanescope.formats.streams.collectives import collectives_table
from lanescope.formats.streams.host import controllers_table, phases_table, steps_table
from lanescope.formats.streams.numbers import LaunchNumbers, Renumbered
from lanescope.formats.streams.recording import DeviceRows, HostRows, StreamRecording
from lanescope.formats.streams.waits import event_edges, waits_table
from lanescope.formats.streams.work import PlacedWork, placed
from lanescope.trace import LedgerEntry, Table, Trace, Words
from lanescope.trace.schema import MISSING, MISSING32
from lanescope.trace.table import Array


def stream_trace(recording: StreamRecording, bundle: Bundle, *, notes: Sequence[str] = ()) -> Trace:
    """The trace of a recording; 0 ns is its earliest moment.

    Raises:
        InputError: a row ends before it starts, and the user did not ask to keep such rows.
    """
    base = _base(recording)
    backward = _backward(recording, bundle)
    work = placed(recording, base, backward)
    numbers = LaunchNumbers.of(recording)
    words = Words()
    threads = phases_table(recording, base, words, numbers)
    waits = waits_table(recording, base, words, work, threads, numbers)
    facts: dict[str, Any] = {}
    if recording.utc_ns is not None:
        facts = {"epoch_ns": recording.utc_ns + base, "epoch_clock": "realtime"}
    facts |= recording.facts
    facts["notes"] = (*bundle.notes, *facts.get("notes", ()), *notes)
    return Trace(
        meta=bundle.meta(
            ledger=_ledger(recording, int(backward.sum())),
            **facts,
        ),
        tasks=_tasks(work, words, numbers),
        functions=_functions(work, words),
        cores=_cores(recording, words),
        controllers=controllers_table(recording, words),
        phases=threads.table,
        counters=_counters(recording, work, words, base),
        marks=_annotations(recording, base, words),
        steps=steps_table(recording, base, words),
        waits=waits,
        collectives=collectives_table(recording, base, words, work),
        edges=_edges(recording, work, waits, words),
        words=words.freeze(),
    )


def _base(recording: StreamRecording) -> int:
    """The earliest start of any row; 0 where there is no row."""
    parts = (recording.work, recording.host, recording.annotations, recording.steps)
    starts = [part.start for part in (*parts, recording.waits) if len(part.start)]
    starts += [series.time for series in recording.series if len(series.time)]
    return min((int(start.min()) for start in starts), default=0)


def _backward(recording: StreamRecording, bundle: Bundle) -> Array:
    """Mask of the device rows that end before they start; refused unless such rows are kept."""
    rows: tuple[tuple[str, DeviceRows | HostRows], ...]
    rows = (("device", recording.work), ("host", recording.host))
    for what, part in rows:
        wrong = part.end < part.start
        if wrong.any() and not bundle.keep_damaged:
            row = int(np.argmax(wrong))
            name = part.names[int(part.name[row])][:80]
            length = int(part.start[row] - part.end[row])
            problem = f"a row of the {what} ({name!r}) ends {length} ns before it starts"
            raise InputError(
                bundle.main.path, f"{problem}; keep such rows, flagged, with --keep-damaged"
            )
    mask: Array = recording.work.end < recording.work.start
    return mask


def _ledger(recording: StreamRecording, backward: int) -> tuple[LedgerEntry, ...]:
    rows = len(recording.work.start)
    entries = [
        LedgerEntry("device lanes", "task", rows, rows - backward, unmatched=backward),
        LedgerEntry("host threads", "phase", len(recording.host.start), len(recording.host.start)),
    ]
    entries += [
        LedgerEntry("all lanes", kind, total, total - left, dropped=left, reason=why)
        for kind, total, left, why in recording.ledger
    ]
    return tuple(entry for entry in entries if entry.total)


def _tasks(work: PlacedWork, words: Words, numbers: LaunchNumbers) -> Table:
    count = len(work.order)
    rows = work.rows
    return Table.build(
        "tasks",
        {
            "task": np.arange(count),
            "kind": np.full(count, words.code("run"), np.int32),
            "core": work.lane.astype(np.int32),
            "token": work.token,
            "func": work.func,
            "flags": work.flags,
            "start_ns": work.start,
            "end_ns": work.end,
            "launch": _numbered(numbers.launch, rows.launch, work.order),
            "op": _numbered(numbers.op, rows.op, work.order),
        },
    )


def _numbered(numbers: Renumbered, values: Array | None, order: Array) -> Array:
    return np.full(len(order), MISSING) if values is None else numbers.of(values[order])


def _functions(work: PlacedWork, words: Words) -> Table:
    return Table.build(
        "functions",
        {
            "func": np.arange(len(work.functions), dtype=np.int32),
            "name": words.codes([name for name, _ in work.functions]),
            "work": np.array(
                [words.code(kind) if kind else -1 for _, kind in work.functions], np.int32
            ),
        },
    )


def _cores(recording: StreamRecording, words: Words) -> Table:
    lanes = recording.lanes

    def column(name: str, missing: int) -> Array:
        values = [getattr(lane, name) for lane in lanes]
        return np.array([missing if value is None else value for value in values], np.int64)

    columns: dict[str, Any] = {
        "core": np.arange(len(lanes), dtype=np.int32),
        "name": words.codes([lane.name for lane in lanes]),
        "kind": words.codes([lane.kind or lane.lane for lane in lanes]),
        "lane": words.codes([lane.lane for lane in lanes]),
        "rank": column("rank", MISSING32).astype(np.int32),
        "device": column("device", MISSING32).astype(np.int32),
        "queue": column("queue", MISSING),
        "process": column("process", MISSING),
    }
    return Table.build("cores", columns)


def _counters(recording: StreamRecording, work: PlacedWork, words: Words, base: int) -> Table:
    """One row per known value of a task, counter after counter, then the values over time."""
    parts: list[dict[str, Array]] = []
    for name, values in recording.work.values.items():
        ordered = np.asarray(values, np.float64)[work.order]
        row = np.flatnonzero(~np.isnan(ordered))
        place: dict[str, Array] = {
            "task": row,
            "core": work.lane[row].astype(np.int32),
            "token": work.token[row],
        }
        parts.append(_values(words.code(name), ordered[row]) | place)
    for series in recording.series:
        time = {"time_ns": series.time - base}
        parts.append(_values(words.code(series.name), series.value) | time)
    tables = [Table.build("counters", part) for part in parts]
    if not tables:
        return Table.build("counters")
    names = [column.name for column in tables[0].present()]
    return Table.build(
        "counters", {name: np.concatenate([table[name] for table in tables]) for name in names}
    )


def _values(name: int, value: Array) -> dict[str, Array]:
    return {"name": np.full(len(value), name, np.int32), "value": value}


def _annotations(recording: StreamRecording, base: int, words: Words) -> Table:
    rows = recording.annotations
    names = words.codes(rows.names)
    order = np.lexsort((-rows.end, rows.start, rows.lane))
    return Table.build(
        "marks",
        {
            "core": rows.lane[order].astype(np.int32),
            "pipe": np.full(len(order), words.code("annotation"), np.int32),
            "name": names[rows.name[order]] if len(order) else np.empty(0, np.int32),
            "start_ns": rows.start[order] - base,
            "end_ns": rows.end[order] - base,
        },
    )


def _edges(recording: StreamRecording, work: PlacedWork, waits: Table, words: Words) -> Table:
    pred, succ = event_edges(waits, words)
    kind = np.full(len(pred), words.code("event"), np.int32)
    if recording.edges is not None:
        before, after, name = recording.edges
        pred = np.concatenate([pred, work.task_of(before)])
        succ = np.concatenate([succ, work.task_of(after)])
        kind = np.append(kind, np.full(len(before), words.code(name), np.int32))
    flags = np.zeros(len(pred), np.int32)
    return Table.build(
        "edges", {"pred": pred, "succ": succ, "kind": kind.astype(np.int32), "flags": flags}
    )
