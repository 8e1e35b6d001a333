"""Reads args_dump.json: how many bytes each task read and wrote. Tensors' values are left alone.

`dump_args_level` is not read: its numbers changed their meaning in September 2026, and a file does
not say which meaning is its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, get_type_hints

import msgspec

from lanescope.errors import InputError
from lanescope.formats.json_file import Count, JsonFile, Label
from lanescope.formats.simpler.scopes import COUNTED, NOT_COUNTED
from lanescope.trace import LedgerEntry
from lanescope.trace.task_ids import signed

BYTES = {
    **dict.fromkeys(("INT8", "UINT8", "BOOL"), 1),
    **dict.fromkeys(("FLOAT16", "BFLOAT16", "INT16", "UINT16"), 2),
    **dict.fromkeys(("FLOAT32", "INT32", "UINT32"), 4),
    **dict.fromkeys(("FLOAT64", "INT64", "UINT64"), 8),
}


class ArgumentRow(msgspec.Struct):
    """One argument of one task."""

    task_id: Label
    func_id: list[int]
    role: Label
    kind: str = "tensor"
    dtype: str = ""
    numel: Count = 0
    host_discarded: bool = False
    """Whether the host threw the tensor's values away; its shape is still here."""
    arg_index_ambiguous: bool = False
    """Whether the row may be about another argument with the same variable."""


class ArgumentCounts(msgspec.Struct):
    """What the file says about losses beside its rows. Files of old have `dropped_records` only."""

    dropped_records: Count = 0
    host_discarded_args: Count = 0
    metadata_discarded_records: Count = 0
    counts_unknown: bool = False
    collection_verdict: Label = ""


@dataclass(frozen=True, slots=True)
class ArgumentBytes:
    """Bytes by task and counter name, and what became of the rows."""

    total: dict[tuple[int, str], int]
    ledger: list[LedgerEntry]
    """One entry; none for a file that counts no losses and has none."""


def is_arguments(file: JsonFile) -> bool:
    """Whether a JSON object is an args_dump.json."""
    return "args" in file and "bin_format" in file


def read_arguments(file: JsonFile) -> ArgumentBytes:
    """Sum bytes by (task, counter name).

    Scalars and types of unknown size count as 0 bytes.
    """
    total: dict[tuple[int, str], int] = {}
    rows = file.decode("args", list[ArgumentRow])
    for row, one in enumerate(rows):
        try:
            task = signed(int(one.task_id, 16))
        except ValueError:
            problem = f"args row {row}: {one.task_id[:40]!r} is no task id like 0x0000000100000000"
            raise InputError(file.path, problem) from None
        if not 0 <= one.numel < 1 << 50:
            raise InputError(file.path, f"args row {row}: a number is out of range")
        name = f"args_{one.role}_bytes"
        size = one.numel * BYTES.get(one.dtype, 0) if one.kind == "tensor" else 0
        total[task, name] = total.get((task, name), 0) + size
    return ArgumentBytes(total, _ledger(rows, _counts(file)))


def _counts(file: JsonFile) -> ArgumentCounts:
    types: dict[str, Any] = get_type_hints(ArgumentCounts, include_extras=True)
    said = {name: file.decode(name, kind) for name, kind in types.items() if name in file}
    return ArgumentCounts(**said)


def _ledger(rows: list[ArgumentRow], counts: ArgumentCounts) -> list[LedgerEntry]:
    """The account of the rows. Rows without their tensor's values are unmatched."""
    ambiguous = sum(row.arg_index_ambiguous for row in rows)
    empty = max(sum(row.host_discarded for row in rows), counts.host_discarded_args)
    if not ambiguous and not empty and counts == ArgumentCounts():
        return []
    unknown = counts.counts_unknown or counts.collection_verdict not in COUNTED
    dropped = counts.dropped_records + counts.metadata_discarded_records
    unmatched = min(empty, len(rows))
    reasons = (
        (counts.dropped_records, "dropped by the device"),
        (counts.metadata_discarded_records, "discarded by the host"),
        (empty, "here without their values, which the host discarded"),
        (ambiguous, "with an ambiguous arg_index"),
    )
    said = [f"{number} {reason}" for number, reason in reasons if number]
    if unknown:
        said.append(NOT_COUNTED)
    if counts.collection_verdict not in ("", "published"):
        said.append(f"collection {counts.collection_verdict}")
    return [
        LedgerEntry(
            lane="arguments",
            kind="argument",
            total=len(rows) + dropped,
            delivered=len(rows) - unmatched,
            dropped=dropped,
            unmatched=unmatched,
            reason="; ".join(said),
            unknown=unknown,
        )
    ]
