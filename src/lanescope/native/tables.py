"""Tables of the C library: the constants of its headers, and the kinds of record.

Their only definition is in native/include/lanescope.
"""

from __future__ import annotations

from ctypes import byref, c_int32
from dataclasses import dataclass
from functools import cache

from lanescope.native import library


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
    """Whom a lane belongs to: "core", "pipe" (of a core), "scheduler" or "orchestrator"."""
    producer: str
    """Who writes the records: "core", "scheduler" or "orchestrator"."""
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
