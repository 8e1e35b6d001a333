"""Reads args_dump.json: how many bytes each task read and wrote. Tensors' values are left alone."""

from __future__ import annotations

import msgspec

from lanescope.errors import InputError
from lanescope.formats.json_file import Count, JsonFile, Label

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


def is_arguments(file: JsonFile) -> bool:
    """Whether a JSON object is an args_dump.json."""
    return "args" in file and "bin_format" in file


def read_arguments(file: JsonFile) -> dict[tuple[int, str], int]:
    """Sum bytes by (task, counter name).

    Scalars and types of unknown size count as 0 bytes.
    """
    total: dict[tuple[int, str], int] = {}
    for row, one in enumerate(file.decode("args", list[ArgumentRow])):
        try:
            task = int(one.task_id, 16)
        except ValueError:
            problem = f"args row {row}: {one.task_id[:40]!r} is no task id like 0x0000000100000000"
            raise InputError(file.path, problem) from None
        if not 0 <= task < 1 << 63 or not 0 <= one.numel < 1 << 50:
            raise InputError(file.path, f"args row {row}: a number is out of range")
        name = f"args_{one.role}_bytes"
        size = one.numel * BYTES.get(one.dtype, 0) if one.kind == "tensor" else 0
        total[task, name] = total.get((task, name), 0) + size
    return total
