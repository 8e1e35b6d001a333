"""Tables of an SQLite file as columns that are read together, a type for each.

A value that is not of a column's type is missing. Python holds a chunk of rows at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from lanescope.formats.columns import Columns, TextColumn, text_column
from lanescope.formats.sqlite_columns import SqliteFile, open_sqlite, quoted
from lanescope.trace import MISSING


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
        there = self.columns(table)
        asked = [*integers, *reals, *texts]
        types = ["'integer'"] * len(integers) + ["'integer', 'real'"] * len(reals)
        types += ["'text'"] * len(texts)
        chosen = ", ".join(
            f"CASE WHEN typeof({quoted(name)}) IN ({kind}) THEN {quoted(name)} END"
            if name in there
            else "NULL"
            for name, kind in zip(asked, types, strict=True)
        )
        parts: list[list[Any]] = [[] for _ in asked]
        count = 0
        chunks = self._file.chunks(f"SELECT {chosen or 1} FROM {quoted(table)}") if there else ()
        for rows in chunks:
            count += len(rows)
            for k, column in enumerate(zip(*rows, strict=True) if asked else ()):
                parts[k].append(_array(column, k < len(integers), k >= len(asked) - len(texts)))
        return _joined(count, integers, reals, texts, parts)


def _array(column: tuple[Any, ...], is_integer: bool, is_text: bool) -> Any:
    if is_text:
        return pa.array(column, pa.string())
    if is_integer:
        return pa.array(column, pa.int64()).fill_null(MISSING).to_numpy(zero_copy_only=False)
    return np.array(column, np.float64)


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
