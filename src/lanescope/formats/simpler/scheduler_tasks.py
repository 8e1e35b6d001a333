"""Opens `scheduler_tasks`: the controllers' rows since September 2026, and who wrote them.

The runtime writes the rows last. Where it does, only the head is decoded here: the rows are most of
the section, and whoever needs them reads them anyway.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

import msgspec

from lanescope.formats.json_file import JsonFile, decode_span, part_of
from lanescope.formats.json_rows import TextSpan

KEY = "scheduler_tasks"
_HEAD_BYTES = 256
_HEAD = re.compile(rb'(\s*\{[^][{}]*?)"records"\s*:\s*(?=\[)')
_TAIL = re.compile(rb"\]\s*\}\s*\Z")


@dataclass(frozen=True, slots=True)
class SchedulerRows:
    """The rows, not yet read."""

    rows: TextSpan
    producer: str
    has_version: bool
    """Whether the section says which version of the schema it has."""


class _Section(msgspec.Struct):
    producer: Literal["aicpu", "aicore"]
    records: msgspec.Raw = msgspec.Raw(b"[]")
    schema_version: int | None = None


def scheduler_tasks(file: JsonFile) -> SchedulerRows | None:
    """The section; None where the file has none. InputError where it is none of this kind."""
    if KEY not in file:
        return None
    span = file.values[KEY]
    head = _HEAD.match(bytes(span.data[:_HEAD_BYTES]))
    if head is not None and _TAIL.search(bytes(span.data[-_HEAD_BYTES:])):
        closed = head[1].rstrip().rstrip(b",") + b"}"
        section = _decoded(span, closed)
        if section is not None:
            rows = TextSpan(span.path, span.data[head.end() :], span.whole)
            return SchedulerRows(rows, section.producer, section.schema_version is not None)
    section = decode_span(span, _Section, what=repr(KEY))
    rows = part_of(span, section.records)
    return SchedulerRows(rows, section.producer, section.schema_version is not None)


def _decoded(span: TextSpan, head: bytes) -> _Section | None:
    """The keys before the rows; None where they are not all, or not what they should be."""
    try:
        return msgspec.json.decode(head, type=_Section)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
