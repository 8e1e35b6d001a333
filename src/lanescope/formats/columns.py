"""Columns of a table of another tool, whatever file they were read from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from lanescope.errors import InputError
from lanescope.trace import MISSING
from lanescope.trace.numbering import numbered
from lanescope.trace.table import Array


def whole_id(value: object) -> int | None:
    """A process or thread as a number; None where it is none, or too large for a column."""
    return value if isinstance(value, int) and abs(value) < 1 << 62 else None


@dataclass(frozen=True, slots=True)
class TextColumn:
    """Texts as codes into the different ones; -1 where there is none."""

    codes: Array
    texts: list[str]


@dataclass(frozen=True, slots=True)
class Columns:
    """Columns that were read: whole numbers with MISSING, numbers with NaN, texts."""

    count: int
    numbers: dict[str, Array]
    texts: dict[str, TextColumn]

    def __getitem__(self, name: str) -> Array:
        return self.numbers[name]


def different_rows(*columns: Array) -> tuple[Array, Array]:
    """The different rows of these columns in rising order, and which of them each row is."""
    code = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        ids, place = numbered(column)
        code = numbered(code * max(len(ids), 1) + place)[1]
    first = np.zeros(int(code.max(initial=-1)) + 1, np.int64)
    first[code[::-1]] = np.arange(len(code))[::-1]
    return np.stack([column[first] for column in columns], axis=1), code


class Tables(Protocol):
    """Tables that can be asked what they have."""

    path: Path
    names: frozenset[str]

    def columns(self, table: str) -> frozenset[str]:
        """Names of the columns of a table; none where there is no such table."""
        ...

    def read(
        self,
        table: str,
        integers: Sequence[str] = (),
        *,
        reals: Sequence[str] = (),
        texts: Sequence[str] = (),
    ) -> Columns:
        """These columns of all rows; what is not there is missing in every row."""
        ...


def text_column(values: Any) -> TextColumn:
    """An Arrow column of texts as codes."""
    encoded = pa.chunked_array(values).combine_chunks().dictionary_encode()
    codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    return TextColumn(codes, encoded.dictionary.to_pylist())


def require(tables: Tables, table: str, columns: Columns, names: Sequence[str]) -> None:
    """Refuse a table that lacks a column without which its rows mean nothing."""
    for name in names:
        if name not in tables.columns(table):
            found = ", ".join(sorted(tables.columns(table))[:8])
            problem = f"table {table} has no column {name!r}; it has {found}"
            raise InputError(tables.path, f"{problem}; export it again with a newer version")
        missing = np.flatnonzero(columns[name] == MISSING)
        if len(missing):
            where = f"table {table} row {int(missing[0])}"
            problem = f"{where}, {name!r}: a whole number was expected, found none"
            raise InputError(tables.path, f"{problem}; export it again")


def require_times(tables: Tables, table: str, times: Array, name: str) -> None:
    """Refuse times so far from 0 that their differences do not fit in 64 bits."""
    far = np.flatnonzero((times != MISSING) & (np.abs(times) >= 1 << 61))
    if len(far):
        row = int(far[0])
        problem = f"the time is more than 73 years: {int(times[row])} ns"
        where = f"table {table} row {row}, {name!r}"
        raise InputError(tables.path, f"{where}: {problem}; export it again")
