"""Reads args_dump.json, another tool's manifest of a tensor dump, into our records."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from lanescope.dump.manifest import Shape, Stage, TensorRecord
from lanescope.errors import InputError
from lanescope.formats.json_file import Count, JsonFile, Label

Row = tuple[TensorRecord, dict[str, Any]]
"""A record, and the facts about it that only args_dump.json has."""


class DumpedArgument(msgspec.Struct, frozen=True, kw_only=True):
    """One argument of one task; a scalar's value is here and not in the binary file."""

    task_id: Label
    func_id: tuple[Count, ...]
    arg_index: Count
    role: Literal["input", "output", "inout"]
    stage: Stage
    kind: Literal["tensor", "scalar"]
    dtype: Label
    value: bool | int | float | None = None
    is_contiguous: bool
    shape: Shape
    strides: Shape
    start_offset: Count
    numel: Count
    bin_offset: Count
    bin_size: Count
    truncated: bool
    overwritten: bool = False


def read_args(file: JsonFile) -> list[Row]:
    """Read every argument as a record, with what the record has no field for."""
    return [
        _row(file, row, one) for row, one in enumerate(file.decode("args", list[DumpedArgument]))
    ]


def _row(file: JsonFile, row: int, one: DumpedArgument) -> Row:
    try:
        task = int(one.task_id, 16)
    except ValueError:
        task = -1
    if not 0 <= task < 1 << 64:
        problem = f"args row {row}: {one.task_id[:40]!r} is no task id like 0x0000000100000000"
        raise InputError(file.path, problem)
    record = TensorRecord(
        task=task,
        functions=tuple(map(str, one.func_id)),
        arg_index=one.arg_index,
        role=one.role,
        stage=one.stage,
        kind=one.kind,
        dtype=one.dtype.lower(),
        shape=one.shape,
        strides=one.strides,
        start_offset=one.start_offset,
        numel=one.numel,
        is_contiguous=one.is_contiguous,
        bin_offset=one.bin_offset,
        bin_size=one.bin_size,
        truncated=one.truncated,
    )
    return record, {"value": one.value, "overwritten": one.overwritten}
