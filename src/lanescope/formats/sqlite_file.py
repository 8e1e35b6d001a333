"""Reads tables of a SQLite file into numpy columns; nothing is written, not even a lock.

A value that is not of a column's type is missing. Python holds a chunk of rows at a time.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from lanescope.errors import InputError
from lanescope.formats.columns import Columns, TextColumn, text_column
from lanescope.formats.json_file import map_file
from lanescope.trace import MISSING

MAGIC = b"SQLite format 3\0"
_CHUNK_ROWS = 1 << 16


class SqliteTables:
    """The tables and views of an open database, by the columns that are there."""

    def __init__(self, path: Path, database: sqlite3.Connection) -> None:
        self.path = path
        self._database = database
        names = "select name from sqlite_master where type in ('table', 'view') order by name"
        self.names = frozenset(str(row[0]) for row in database.execute(names))

    def columns(self, table: str) -> frozenset[str]:
        """Names of the columns of a table; none where there is no such table."""
        if table not in self.names:
            return frozenset()
        rows = self._database.execute(f"pragma table_info({_quoted(table)})")
        return frozenset(str(row[1]) for row in rows)

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
        types = [*("'integer'" for _ in integers), *("'integer', 'real'" for _ in reals)]
        types += ["'text'" for _ in texts]
        chosen = ", ".join(
            f"case when typeof({_quoted(name)}) in ({kind}) then {_quoted(name)} end"
            if name in there
            else "null"
            for name, kind in zip(asked, types, strict=True)
        )
        parts: list[list[Any]] = [[] for _ in asked]
        count = 0
        if there:
            cursor = self._database.execute(f"select {chosen or 1} from {_quoted(table)}")
            while rows := cursor.fetchmany(_CHUNK_ROWS):
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
    with path.open("rb") as file:
        packed = file.read(len(MAGIC)) != MAGIC
    where = ":memory:" if packed else f"{path.resolve().as_uri()}?mode=ro&immutable=1"
    try:
        database = sqlite3.connect(where, uri=not packed)
        database.text_factory = _decoded
        if packed:
            database.deserialize(map_file(path).tobytes())
    except (sqlite3.Error, OverflowError) as error:
        raise InputError(path, f"is no SQLite database that can be read ({error})") from error
    try:
        yield SqliteTables(path, database)
    except (sqlite3.Error, pa.ArrowInvalid, OverflowError, UnicodeDecodeError) as error:
        problem = f"is a damaged SQLite database ({error}); export or copy it again"
        raise InputError(path, problem) from error
    finally:
        database.close()


def _decoded(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
