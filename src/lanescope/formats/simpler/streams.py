"""Reads `scheduler_records`: since September 2026 a stream per scheduler, known by its own id.

Streams without records are left out of the file, so a stream's place says nothing about whose it
is. A scheduler is a thread of the AICPU, or a core that schedules (chip a5).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from lanescope.errors import InputError
from lanescope.formats.json_file import JsonFile
from lanescope.formats.json_rows import Rows
from lanescope.formats.simpler.phases import run_epochs
from lanescope.formats.simpler.records import (
    Array,
    ControllerFacts,
    PhaseList,
    captured,
    narrow,
)
from lanescope.formats.simpler.stream_text import KEY, Kept, StreamHead, StreamRows, stream_rows
from lanescope.trace import MISSING32, LedgerEntry

MOST_SCHEDULERS = 256


@dataclass(frozen=True, slots=True)
class Streams:
    """The schedulers' phases, who they are, and what they say they lost."""

    phases: list[PhaseList] = field(default_factory=list)
    facts: tuple[ControllerFacts, ...] = ()
    ledger: tuple[LedgerEntry, ...] = ()
    platform: str = ""
    runtime: str = ""
    producers: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()


def read_streams(file: JsonFile) -> Streams:
    """Read all streams; empty where the file has none."""
    if KEY not in file:
        return Streams()
    streams = stream_rows(file)
    heads = [stream.head for stream in streams]
    numbers, notes = _numbers(heads)
    phases = [
        _phases(file.path, stream, number) for stream, number in zip(streams, numbers, strict=True)
    ]
    return Streams(
        phases=phases,
        facts=tuple(map(_facts, heads, numbers)),
        ledger=tuple(map(_account, heads, numbers, phases)),
        platform=_first(head.platform for head in heads),
        runtime=_first(head.runtime for head in heads),
        producers=frozenset(head.producer for head in heads if head.producer),
        notes=notes,
    )


def _numbers(heads: list[StreamHead]) -> tuple[list[int], tuple[str, ...]]:
    """The number of each scheduler: its id; its place where ids are missing or repeat."""
    ids = [head.scheduler_id for head in heads]
    good = [one for one in ids if one is not None and 0 <= one < MOST_SCHEDULERS]
    if len(good) == len(ids) == len(set(good)):
        return good, ()
    note = (
        "The streams of scheduler_records do not have distinct scheduler ids, so schedulers are "
        "numbered by their place in the file."
    )
    return list(range(len(ids))), (note,)


def _facts(head: StreamHead, number: int) -> ControllerFacts:
    on_core = head.producer == "aicore"
    name = f"scheduler {number}"
    if on_core and head.worker_id is not None:
        name = f"Scheduler_{head.worker_id}"
    return ControllerFacts(
        lane="scheduler",
        controller=number,
        name=name,
        kind=head.core_type,
        worker=_known(head.worker_id) if on_core else MISSING32,
        physical_core=_known(head.physical_core_id),
    )


def _known(number: int | None) -> int:
    return number if number is not None and 0 <= number < 1 << 31 else MISSING32


def _account(head: StreamHead, number: int, phases: PhaseList) -> LedgerEntry:
    """What the stream says it committed and dropped, against what is there."""
    kept = head.capture or Kept(committed=len(phases.start))
    delivered = len(phases.start)
    missing = max(kept.committed - delivered, 0)
    reason = "dropped by the scheduler" if kept.dropped else ""
    if kept.truncated or missing:
        reason = "the stream was cut off"
    elif kept.committed < delivered:
        reason = f"the stream says it committed {kept.committed} records, and holds {delivered}"
    return LedgerEntry(
        lane=f"scheduler {number}",
        kind="scheduler_phase",
        total=delivered + missing + kept.dropped,
        delivered=delivered,
        dropped=missing + kept.dropped,
        reason=reason,
    )


def _phases(path: Path, stream: StreamRows, number: int) -> PhaseList:
    rows, what = stream.records, stream.what
    columns = {
        "loop": rows["loop_iter"],
        "task": rows["task_id"],
        "tasks": narrow(path, what, rows["tasks_processed"]),
    }
    if stream.metrics is not None:
        columns |= _metrics(path, stream.metrics, rows.count, f"{what}.metrics")
    return PhaseList(
        lane="scheduler",
        controller=number,
        kinds=rows["kind"],
        kind_names=rows.values["kind"],
        start=captured(rows["start_cycles"]),
        end=captured(rows["end_cycles"]),
        columns=columns,
        epoch=run_epochs(path, rows["run_epoch"], f"{what}.records"),
    )


def _metrics(path: Path, rows: Rows, count: int, what: str) -> dict[str, Array]:
    """Columns of the metrics, each beside the record that its row names."""
    if not rows.count:
        return {}
    columns = {name: narrow(path, what, rows[name]) for name in ("pop_hit", "pop_miss")}
    for side in ("start", "end"):
        depths = rows[f"shared_at_{side}"]
        for queue in range(3):
            columns[f"queue{queue}_{side}"] = narrow(path, what, depths[:, queue])
    at = rows["record_index"]
    if len(at) == count and bool((at == np.arange(count)).all()):
        return columns
    _require_places(path, at, count, what)
    return {name: _placed(column, at, count) for name, column in columns.items()}


def _placed(values: Array, at: Array, count: int) -> Array:
    column = np.full(count, MISSING32, np.int32)
    column[at] = values
    return column


def _require_places(path: Path, at: Array, count: int, what: str) -> None:
    if (at >= count).any():
        row = int(np.argmax(at >= count))
        problem = f"{what} row {row} is about record {int(at[row])}, but there are only {count}"
        raise InputError(path, problem)
    if len(np.unique(at)) != len(at):
        raise InputError(path, f"{what} has two rows about one record")


def _first(texts: Iterable[str]) -> str:
    return next((text for text in texts if text), "")
