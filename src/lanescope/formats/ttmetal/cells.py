"""Refuses cells of a CSV file whose value cannot be right."""

from __future__ import annotations

import numpy as np

from lanescope.errors import InputError
from lanescope.formats.csv_columns import CsvColumns
from lanescope.trace.table import Array

COUNTER = "a counter from 0 to 2^62"
_LATEST = 1 << 62


def no_counter(values: Array) -> Array:
    """Which values are no COUNTER."""
    return (values < 0) | (values > _LATEST)


def refuse(columns: CsvColumns, name: str, wrong: Array, expected: str) -> None:
    """Refuse the file where a cell of the column is wrong; tell the first one."""
    if wrong.any():
        row = int(np.argmax(wrong))
        text = columns.columns[name][row].as_py()
        found = "none" if text is None else repr(text[:40])
        problem = f"{columns.line(row)}, {name!r}: {expected} was expected, found {found}"
        raise InputError(columns.path, problem)
