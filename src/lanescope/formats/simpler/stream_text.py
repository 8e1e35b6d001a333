"""Cuts `scheduler_records` into streams and reads their rows.

The runtime writes a stream's head, then its records, then its metrics. Where a file is so, every
byte is looked at once: the end of one array is where the next one begins. Any other order costs one
pass more.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import msgspec

from lanescope.errors import InputError
from lanescope.formats.json_cells import identity, integer, integers, word
from lanescope.formats.json_file import Count, JsonFile, decode_span, part_of
from lanescope.formats.json_rows import Rows, TextSpan, read_object_rows

KEY = "scheduler_records"

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
_HEAD_BYTES = 1024
_BEGIN = re.compile(rb'\s*\{[^][{}]*?"streams"\s*:\s*\[')
_HEAD = re.compile(rb'\s*(\{[^][]*?)"records"\s*:\s*(?=\[)')
_METRICS = re.compile(rb'\s*,\s*"metrics"\s*:\s*(?=\[)')
_NEXT = re.compile(rb"\s*\}\s*(,|\]\s*\})")


class Kept(msgspec.Struct):
    """`capture` of a stream: its own account."""

    committed: Count = 0
    dropped: Count = 0
    truncated: bool = False


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


@dataclass(frozen=True, slots=True)
class StreamRows:
    """One stream: its head, and its rows as columns."""

    what: str
    """What it is called in errors."""
    head: StreamHead
    records: Rows
    metrics: Rows | None


def stream_rows(file: JsonFile) -> list[StreamRows]:
    """The streams of a file that has the section, in its order."""
    span = file.values[KEY]
    streams = _in_order(span)
    return _by_key(span) if streams is None else streams


def _in_order(span: TextSpan) -> list[StreamRows] | None:
    """Streams that are written as the runtime does; None where one is not."""
    begin = _match(_BEGIN, span, 0)
    if begin is None:
        return None
    at = begin.end()
    streams: list[StreamRows] = []
    while True:
        head = _match(_HEAD, span, at)
        told = None if head is None else _head_of(head[1])
        if head is None or told is None:
            return None
        what = f"{KEY}.streams[{len(streams)}]"
        at += head.end()
        records = read_object_rows(_from(span, at), _RECORD, what=f"{what}.records")
        at += records.end
        metrics = None
        if (found := _match(_METRICS, span, at)) is not None:
            at += found.end()
            metrics = read_object_rows(_from(span, at), _METRIC, what=f"{what}.metrics")
            at += metrics.end
        streams.append(StreamRows(what, told, records, metrics))
        following = _match(_NEXT, span, at)
        if following is None:
            return None
        at += following.end()
        if following[1] != b",":
            return streams


def _match(pattern: re.Pattern[bytes], span: TextSpan, at: int) -> re.Match[bytes] | None:
    return pattern.match(bytes(span.data[at : at + _HEAD_BYTES]))


def _from(span: TextSpan, at: int) -> TextSpan:
    return TextSpan(span.path, span.data[at:], span.whole)


def _head_of(text: bytes) -> StreamHead | None:
    try:
        return msgspec.json.decode(text.rstrip().rstrip(b",") + b"}", type=StreamHead)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


class _Section(msgspec.Struct):
    streams: list[dict[str, msgspec.Raw]] | msgspec.UnsetType = msgspec.UNSET


def _by_key(span: TextSpan) -> list[StreamRows]:
    """Streams whose keys stand in any order."""
    section = decode_span(span, _Section, what=repr(KEY))
    if isinstance(section.streams, msgspec.UnsetType):
        raise InputError(span.path, f"{KEY!r} has no 'streams'")
    return [_one(span, stream, f"{KEY}.streams[{k}]") for k, stream in enumerate(section.streams)]


def _one(span: TextSpan, stream: dict[str, msgspec.Raw], what: str) -> StreamRows:
    parts = {key: part_of(span, value) for key, value in stream.items()}
    if "records" not in parts:
        raise InputError(span.path, f"{what} has no 'records'")
    small = {
        key: decode_span(part, object, what=f"{what}.{key}")
        for key, part in parts.items()
        if key in StreamHead.__struct_fields__
    }
    try:
        head = msgspec.convert(small, StreamHead)
    except msgspec.ValidationError as error:
        raise InputError(span.path, f"{what} is not what it should be: {error}") from error
    records = read_object_rows(parts["records"], _RECORD, what=f"{what}.records")
    metrics = None
    if "metrics" in parts:
        metrics = read_object_rows(parts["metrics"], _METRIC, what=f"{what}.metrics")
    return StreamRows(what, head, records, metrics)
