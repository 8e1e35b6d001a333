"""A stored trace whose columns are read when somebody asks for them.

Text columns are read at once, because they share one pool of words. All others stay in their files
until they are used, so damage in one of them shows only then.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from lanescope.trace.integrity import Checksums, read_checksums
from lanescope.trace.parquet import Text, absent, is_younger, opened, read_column
from lanescope.trace.schema import Column, TableSchema
from lanescope.trace.store import read_meta
from lanescope.trace.table import Array, LazyColumns, Table, constant
from lanescope.trace.tables import SCHEMA
from lanescope.trace.trace import Trace, Words


class _Opened(NamedTuple):
    """What is known of a table's file without reading its numbers."""

    rows: int
    empty: set[str]
    """Columns that hold nothing but nulls."""
    texts: dict[str, Text]
    bounds: dict[str, tuple[int, int]]
    """Least and greatest value of columns of whole numbers, by the file's statistics."""
    checksums: Checksums


def open_lazily(path: str | os.PathLike[str]) -> Trace:
    """Open a stored trace without reading its numbers; text columns are read at once.

    Args:
        path: the directory NAME.lanes; it must stay in place while the trace is used.

    Raises:
        InputError: as `load`; damage inside a column shows only when the column is read.
    """
    folder = Path(path)
    meta = read_meta(folder)
    checksums = read_checksums(folder)
    with ThreadPoolExecutor(2) as pool:
        files = {
            name: pool.submit(_open, folder, schema, checksums) for name, schema in SCHEMA.items()
        }
    words = Words()
    tables = {
        name: _table(folder, SCHEMA[name], files[name].result(), words=words) for name in SCHEMA
    }
    return Trace(meta=meta, words=words.freeze(), **tables)


def _open(folder: Path, schema: TableSchema, checksums: Checksums) -> _Opened:
    file = folder / f"{schema.name}.parquet"
    if is_younger(file, schema, checksums):
        return _Opened(0, {column.name for column in schema.columns}, {}, {}, checksums)
    with opened(file, schema, checksums) as parquet:
        empty = absent(parquet, schema)
        texts = {}
        for column in schema.columns:
            if column.type == "word" and column.name not in empty:
                text = read_column(file, parquet, column)
                assert isinstance(text, Text)
                texts[column.name] = text
        metadata = parquet.metadata
        return _Opened(metadata.num_rows, empty, texts, _bounds(metadata, schema), checksums)


def _bounds(metadata: Any, schema: TableSchema) -> dict[str, tuple[int, int]]:
    """A column is left out where a part of the file does not state its bounds."""
    whole = {column.name for column in schema.columns if column.type in ("i64", "i32")}
    parts: dict[str, list[tuple[int, int]]] = {name: [] for name in whole}
    for group in range(metadata.num_row_groups):
        for index in range(metadata.num_columns):
            part = metadata.row_group(group).column(index)
            name, stated = part.path_in_schema, part.statistics
            if name not in parts:
                continue
            if stated is not None and stated.has_min_max and isinstance(stated.min, int):
                parts[name].append((stated.min, stated.max))
            elif stated is None or stated.null_count != part.num_values:
                del parts[name]
    return {
        name: (min(low for low, _ in ends), max(high for _, high in ends))
        for name, ends in parts.items()
        if ends
    }


def _table(folder: Path, schema: TableSchema, file: _Opened, *, words: Words) -> Table:
    readers: dict[str, Callable[[], Array]] = {}
    for column in schema.columns:
        if column.name in file.empty or not file.rows:
            readers[column.name] = partial(constant, column.missing, file.rows, column.dtype)
        else:
            readers[column.name] = partial(_read, folder, column, file.checksums, schema, words)
    known = {name: text.column(words) for name, text in file.texts.items()}
    bounds = dict.fromkeys(file.empty) | file.bounds
    return Table(schema, LazyColumns(file.rows, readers, known, bounds=bounds))


def _read(
    folder: Path, column: Column, checksums: Checksums, schema: TableSchema, words: Words
) -> Array:
    file = folder / f"{schema.name}.parquet"
    with opened(file, schema, checksums) as parquet:
        values = read_column(file, parquet, column)
    return values.column(words) if isinstance(values, Text) else values
