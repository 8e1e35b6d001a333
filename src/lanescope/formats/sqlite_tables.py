"""Tables of an SQLite file as columns that are read together, a type for each.

A value that is not of a column's type is missing. Python holds a chunk of rows at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from lanescope.formats.columns import Columns, TextColumn, text_column
from lanescope.formats.sqlite_columns import SqliteFile, open_sqlite, quoted
from lanescope.trace import MISSING


class _Type(NamedTuple):
    sql: str
    """Types of SQLite's values that such a column may hold."""
    arrow: Any


_INTEGER = _Type("'integer'", pa.int64())
_REAL = _Type("'integer', 'real'", pa.float64())
_TEXT = _Type("'text'", pa.string())


class SqliteTables:
    """The tables and views of an open database, by the columns that are there."""

    def __init__(self, file: SqliteFile) -> None:
        self.path = file.path
        self.names = frozenset(file.tables)
        self._file = file

    def columns(self, table: str) -> frozenset[str]:
        """Names of the columns of a table; none where there is no such table."""
        return frozenset(self._file.tables.get(table, ()))

    def read(
        self,
        table: str,
        integers: Sequence[str] = (),
        *,
        reals: Sequence[str] = (),
        texts: Sequence[str] = (),
    ) -> Columns:
        """These columns of all rows; what is not there is missing in every row."""
        asked = [*integers, *reals, *texts]
        types = [_INTEGER] * len(integers) + [_REAL] * len(reals) + [_TEXT] * len(texts)
        there = self.columns(table)
        cell = "CASE WHEN typeof({0}) IN ({1}) THEN {0} END"
        chosen = ", ".join(
            cell.format(quoted(name), kind.sql) if name in there else "NULL"
            for name, kind in zip(asked, types, strict=True)
        )
        parts: list[list[Any]] = [[] for _ in asked]
        count = 0
        chunks = self._file.chunks(f"SELECT {chosen or 1} FROM {quoted(table)}") if there else ()
        for rows in chunks:
            count += len(rows)
            for k, column in enumerate(zip(*rows, strict=True) if asked else ()):
                parts[k].append(_array(column, types[k]))
        return _joined(count, integers, reals, texts, parts)


def _array(column: tuple[Any, ...], kind: _Type) -> Any:
    values = pa.array(column, kind.arrow)
    if kind is _TEXT:
        return values
    filled = values.fill_null(MISSING if kind is _INTEGER else np.nan)
    return filled.to_numpy(zero_copy_only=False)


def _joined(
    count: int,
    integers: Sequence[str],
    reals: Sequence[str],
    texts: Sequence[str],
    parts: list[list[Any]],
) -> Columns:
    numbers = [*integers, *reals]
    arrays = {
        name: np.concatenate(part) if part else np.empty(0, np.int64)
        for name, part in zip(numbers, parts[: len(numbers)], strict=True)
    }
    words: dict[str, TextColumn] = {
        name: text_column(pa.chunked_array(part, pa.string()))
        for name, part in zip(texts, parts[len(numbers) :], strict=True)
    }
    return Columns(count, arrays, words)


@contextmanager
def open_tables(path: Path) -> Iterator[SqliteTables]:
    """Open a database, which may be packed; what is wrong with it is one sentence."""
    with open_sqlite(path) as file:
        yield SqliteTables(file)
