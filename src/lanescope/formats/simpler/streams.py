"""Reads `scheduler_records`: since September 2026 a stream per scheduler, known by its own id.

Streams without records are left out of the file, so a stream's place says nothing about whose it
is. A scheduler is a thread of the AICPU, or a core that schedules (chip a5).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import msgspec
import numpy as np

from lanescope.errors import InputError
from lanescope.formats.json_file import Count, JsonFile, decode_span, split_array, split_object
from lanescope.formats.json_rows import (
    Rows,
    TextSpan,
    identity,
    integer,
    integers,
    read_object_rows,
    word,
)
from lanescope.formats.simpler.phases import run_epochs
from lanescope.formats.simpler.records import (
    Array,
    ControllerFacts,
    PhaseList,
    captured,
    narrow,
)
from lanescope.trace import MISSING32, LedgerEntry

KEY = "scheduler_records"
MOST_SCHEDULERS = 256

_RECORD = (
    word("kind"),
    integer("start_cycles"),
    integer("end_cycles"),
    integer("run_epoch", required=False),
    integer("loop_iter", required=False),
    integer("tasks_processed", required=False),
    identity("task_id", required=False),
)
_METRIC = (
    integer("record_index"),
    integer("pop_hit", required=False),
    integer("pop_miss", required=False),
    integers("shared_at_start", 3, required=False, low=-(1 << 31) + 1),
    integers("shared_at_end", 3, required=False, low=-(1 << 31) + 1),
)


class Kept(msgspec.Struct):
    """`capture` of a stream: its own account."""

    committed: Count = 0
    dropped: Count = 0
    truncated: bool = False


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


class StreamHead(msgspec.Struct):
    """The part of a stream that says whose it is."""

    scheduler_id: int | None = None
    worker_id: int | None = None
    physical_core_id: int | None = None
    core_type: str = ""
    platform: str = ""
    producer: str = ""
    runtime: str = ""
    capture: Kept | None = None


def read_streams(file: JsonFile) -> Streams:
    """Read all streams; empty where the file has none."""
    if KEY not in file:
        return Streams()
    section = split_object(file.values[KEY], what=repr(KEY))
    if "streams" not in section:
        raise InputError(file.path, f"{KEY!r} has no 'streams'")
    pieces = split_array(section["streams"], what=f"{KEY}.streams")
    names = [f"{KEY}.streams[{k}]" for k in range(len(pieces))]
    streams = [split_object(piece, what=name) for piece, name in zip(pieces, names, strict=True)]
    heads = [_head(file, stream, name) for stream, name in zip(streams, names, strict=True)]
    numbers, notes = _numbers(heads)
    phases = [
        _phases(file, stream, number, name)
        for stream, number, name in zip(streams, numbers, names, strict=True)
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


def _head(file: JsonFile, stream: dict[str, TextSpan], what: str) -> StreamHead:
    small = {
        key: decode_span(span, object, what=f"{what}.{key}")
        for key, span in stream.items()
        if key in StreamHead.__struct_fields__
    }
    try:
        return msgspec.convert(small, StreamHead)
    except msgspec.ValidationError as error:
        raise InputError(file.path, f"{what} is not what it should be: {error}") from error


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


def _phases(file: JsonFile, stream: dict[str, TextSpan], number: int, what: str) -> PhaseList:
    path = file.path
    if "records" not in stream:
        raise InputError(path, f"{what} has no 'records'")
    rows = read_object_rows(stream["records"], _RECORD, what=f"{what}.records")
    columns = {
        "loop": rows["loop_iter"],
        "task": rows["task_id"],
        "tasks": narrow(path, what, rows["tasks_processed"]),
    }
    if "metrics" in stream:
        columns |= _metrics(stream["metrics"], rows.count, f"{what}.metrics")
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


def _metrics(piece: TextSpan, count: int, what: str) -> dict[str, Array]:
    """Columns of the metrics, each beside the record that its row names."""
    rows = read_object_rows(piece, _METRIC, what=what)
    if not rows.count:
        return {}
    at = rows["record_index"]
    _require_places(piece, at, count, what)
    columns = {name: _placed(piece, rows, name, at, count) for name in ("pop_hit", "pop_miss")}
    for side in ("start", "end"):
        for queue in range(3):
            depth = narrow(piece.path, what, rows[f"shared_at_{side}"][:, queue])
            column = np.full(count, MISSING32, np.int32)
            column[at] = depth
            columns[f"queue{queue}_{side}"] = column
    return columns


def _placed(piece: TextSpan, rows: Rows, name: str, at: Array, count: int) -> Array:
    column = np.full(count, MISSING32, np.int32)
    column[at] = narrow(piece.path, name, rows[name])
    return column


def _require_places(piece: TextSpan, at: Array, count: int, what: str) -> None:
    if (at >= count).any():
        row = int(np.argmax(at >= count))
        problem = f"{what} row {row} is about record {int(at[row])}, but there are only {count}"
        raise InputError(piece.path, problem)
    if len(np.unique(at)) != len(at):
        raise InputError(piece.path, f"{what} has two rows about one record")


def _first(texts: Iterable[str]) -> str:
    return next((text for text in texts if text), "")
