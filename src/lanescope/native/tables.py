"""Tables of the C library: structs and constants of its headers, and the kinds of record.

Their only definition is in native/.
"""

from __future__ import annotations

from ctypes import byref, c_int32
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from lanescope.native import library
from lanescope.native.structs import LayoutField

_ELEMENTS = {
    b"U": "<u8",
    b"u": "<u4",
    b"I": "<i8",
    b"i": "<i4",
    b"h": "<i2",
    b"S": "S",
    b"A": "<u8",
    b"a": "<u8",
}
"""Letter of a field to its type in numpy; A and a are addresses of int64_t and int32_t."""


@cache
def constants() -> dict[str, int]:
    """Return every constant of the headers, by its C name."""
    count = c_int32()
    table = library().ls_constant_table(byref(count))
    return {entry.name.decode(): int(entry.value) for entry in table[: count.value]}


def constant(name: str) -> int:
    """Return the constant with this C name."""
    return constants()[name]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordKind:
    """One kind of record, as the list LS_RECORD_KINDS of the headers describes it."""

    constant: str
    """Its C name, for example LS_PMU_SAMPLE."""
    name: str
    """Its name in Python and in traces, for example "pmu"; the struct of a record is ls_NAME."""
    owner: str
    """Whom a lane belongs to: "core", "pipe" (of a core), "scheduler", "orchestrator" or "host"."""
    producer: str
    """Who writes the records: "core", "scheduler", "orchestrator" or "host"."""
    feature: int
    """The feature bit that turns the kind's lanes on."""
    code: int
    """Its number in a region."""
    record_bytes: int
    """Size of a record."""


@cache
def record_kinds() -> tuple[RecordKind, ...]:
    """Return all kinds of record; the kind with code n is at place n."""
    count = c_int32()
    table = library().ls_record_kind_table(byref(count))
    return tuple(
        RecordKind(
            constant=row.constant.decode(),
            name=row.name.decode(),
            owner=row.owner.decode().removeprefix("LS_OWNER_").lower(),
            producer=row.producer.decode().removeprefix("LS_BY_").lower(),
            feature=int(row.feature),
            code=int(row.code),
            record_bytes=int(row.record_bytes),
        )
        for row in table[: count.value]
    )


def layout_fields(name: str) -> list[LayoutField]:
    """Return the fields of the struct `name`, such as "ls_lane"."""
    count = c_int32()
    table = library().ls_layout_table(byref(count))
    return [field for field in table[: count.value] if field.type == name.encode()]


@cache
def layout(name: str) -> np.dtype[Any]:
    """Return the struct `name` as a dtype of the same size and offsets."""
    fields = layout_fields(name)
    if not fields:
        raise KeyError(f"the C library describes no struct {name!r}")
    return np.dtype(
        {
            "names": [field.field.decode() for field in fields],
            "formats": [_format(field.element, field.bytes) for field in fields],
            "offsets": [field.offset for field in fields],
            "itemsize": fields[0].type_bytes,
        }
    )


def _format(element: bytes, size: int) -> Any:
    base = _ELEMENTS[element]
    if element == b"S":
        return f"S{size}"
    many = size // np.dtype(base).itemsize
    return base if many == 1 else (base, (many,))
