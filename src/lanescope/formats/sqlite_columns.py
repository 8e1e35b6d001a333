"""Reads tables of an SQLite file into columns; tables and columns that are not there are empty.

The file is never written to, and a journal beside it is not looked at.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from lanescope.errors import InputError
from lanescope.formats.json_file import map_file
from lanescope.render.names import clean
from lanescope.trace import MISSING
from lanescope.trace.table import Array

MAGIC = b"SQLite format 3\x00"
_CHUNK = 1 << 16
_SHOWN = 40
_LONGEST_PROBLEM = 160
_NO_NUMBER = "typeof({0}) = 'blob' OR (typeof({0}) = 'text' AND ({0} GLOB '*[^0-9]*' OR {0} = ''))"


@dataclass(frozen=True, slots=True)
class SqliteFile:
    """An open file: which tables and columns it has, and their values."""

    path: Path
    connection: sqlite3.Connection
    tables: dict[str, tuple[str, ...]]
    """Name of each table or view → names of its columns."""

    def has(self, table: str, *columns: str) -> bool:
        """Whether the file has a table with these columns."""
        return table in self.tables and set(columns) <= set(self.tables[table])

    def count(self, table: str) -> int:
        """Number of rows; 0 where the table is not there."""
        if table not in self.tables:
            return 0
        return int(self._rows(f"SELECT count(*) FROM {quoted(table)}")[0][0])

    def integers(self, table: str, columns: Sequence[str]) -> dict[str, Array]:
        """Columns of whole numbers in the order of the rows.

        MISSING stands where a value is null or the column is not there.

        Raises:
            InputError: A value is a text that is no whole number.
        """
        rows = self.count(table)
        there = [name for name in columns if name in self.tables.get(table, ())]
        values = {name: np.full(rows, MISSING) for name in columns}
        if not rows or not there:
            return values
        cells = ", ".join(f"coalesce({quoted(n)}, {MISSING + 1} - 1)" for n in there)
        filled = 0
        for chunk in self.chunks(f"SELECT {cells} FROM {quoted(table)}"):
            try:
                block = np.array(chunk, np.int64)
            except (ValueError, TypeError, OverflowError):
                raise self._no_number(table, there) from None
            for k, name in enumerate(there):
                values[name][filled : filled + len(block)] = block[:, k]
            filled += len(block)
        return values

    def numbers(self, table: str, column: str) -> Array:
        """A column as float64; NaN where a value is null or no number, or there is no column."""
        if not self.has(table, column):
            return np.full(self.count(table), np.nan)
        name = quoted(column)
        cell = f"CASE WHEN typeof({name}) IN ('integer', 'real') THEN {name} END"
        chunks = [
            np.array([row[0] for row in chunk], np.float64)
            for chunk in self.chunks(f"SELECT {cell} FROM {quoted(table)}")
        ]
        return np.concatenate(chunks) if chunks else np.empty(0)

    def texts(self, table: str, key: str, value: str) -> dict[Any, str]:
        """Key → text, for a table of names."""
        if not self.has(table, key, value):
            return {}
        rows = self._rows(f"SELECT {quoted(key)}, {quoted(value)} FROM {quoted(table)}")
        return {key: text for key, text in rows if isinstance(text, str)}

    def _no_number(self, table: str, columns: Sequence[str]) -> InputError:
        """Says which value of these columns is a text or bytes and no whole number."""
        for name in columns:
            wrong = f"{_NO_NUMBER.format(quoted(name))} LIMIT 1"
            found = self._rows(f"SELECT {quoted(name)} FROM {quoted(table)} WHERE {wrong}")
            if found:
                where = f"table {table}, column {name!r}"
                shown = str(found[0][0])[:_SHOWN]
                problem = f"{where}: a whole number was expected, found {shown!r}"
                return InputError(self.path, problem)
        return InputError(self.path, f"table {table}: a value is no whole number of 64 bits")

    def _rows(self, query: str) -> list[Any]:
        return [row for chunk in self.chunks(query) for row in chunk]

    def chunks(self, query: str) -> Iterator[list[Any]]:
        """The rows that a query gives, some at a time."""
        with _problems(self.path):
            cursor = self.connection.execute(query)
        while True:
            with _problems(self.path):
                chunk = cursor.fetchmany(_CHUNK)
            if not chunk:
                return
            yield chunk


@contextmanager
def open_sqlite(path: Path) -> Iterator[SqliteFile]:
    """Open a file, also a packed one, for reading.

    Raises:
        InputError: It is no SQLite file, or a damaged one.
    """
    with _problems(path):
        connection = _connected(path)
    try:
        with _problems(path):
            connection.text_factory = _decoded
            names = connection.execute(
                "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')"
            )
            tables = {}
            for (name,) in names.fetchall():
                rows = connection.execute(f"PRAGMA table_info({quoted(name)})")
                tables[name] = tuple(row[1] for row in rows)
        yield SqliteFile(path, connection, tables)
    finally:
        connection.close()


def _connected(path: Path) -> sqlite3.Connection:
    with path.open("rb") as file:
        plain = file.read(len(MAGIC)) == MAGIC
    if plain:
        address = f"file:{quote(str(path.resolve()))}?mode=ro&immutable=1"
        return sqlite3.connect(address, uri=True)
    connection = sqlite3.connect(":memory:")
    connection.deserialize(map_file(path).tobytes())
    return connection


def _decoded(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def quoted(name: str) -> str:
    """A name of a table or column as SQL takes it."""
    return '"' + name.replace('"', '""') + '"'


@contextmanager
def _problems(path: Path) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, sqlite3.Warning, UnicodeDecodeError) as error:
        said = clean(str(error), _LONGEST_PROBLEM)  # it may name a table, whose name is anything
        problem = f"cannot be read as an SQLite database ({said}); it is damaged or cut off"
        raise InputError(path, problem) from error
    except OSError as error:
        raise InputError(path, f"cannot be read ({error.strerror or error})") from error
