"""Columns that a bar carries so that its row can be read back from the export.

A column that is the same in every row is said once, as a constant of the part. The others are
arguments. `formats/drawn/` reads both.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lanescope.formats.views.arguments import arguments_of
from lanescope.formats.views.shapes import Argument
from lanescope.trace import Table
from lanescope.trace.rows import Rows
from lanescope.trace.table import Array

TASK_COLUMNS = (
    "kind",
    "block",
    "blocks",
    "flags",
    "run",
    "id",
    "launch",
    "op",
    "depth",
    "pc",
    "line",
)
PHASE_COLUMNS = (
    *("category", "run", "launch", "op", "flow", "depth"),
    *(f"queue{number}_{edge}" for number in range(3) for edge in ("start", "end")),
)


def carried(
    table: Table, rows: Rows | None, columns: tuple[str, ...]
) -> tuple[tuple[Argument, ...], dict[str, Any]]:
    """These columns of these rows (None: all): arguments where they differ, else constants."""
    arguments: list[Argument] = []
    constants: dict[str, Any] = {}
    for name in columns:
        values = table[name] if rows is None else table[name][rows]
        if not len(values):
            continue
        column = table.schema.column(name)
        if not (values == values[0]).all():
            arguments += arguments_of(table, rows, {name: name})
        elif not column.is_missing(values[:1])[0]:
            word = column.type == "word"
            constants[name] = table.words_of(values[:1])[0] if word else int(values[0])
    return tuple(arguments), constants


def opened(start_known: Array, end_known: Array) -> tuple[Argument, ...]:
    """Which end of an interval is not known, where that is so for any: 1 its start, 2 its end."""
    values = np.where(start_known, np.where(end_known, 0, 2), 1).astype(np.int64)
    return (Argument("open", values),) if values.any() else ()
