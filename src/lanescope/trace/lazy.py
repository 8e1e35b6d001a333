"""A stored trace whose columns are read when somebody asks for them.

Text columns are read at once, because they share one pool of words; the rest of a large trace stays
in its files. What is damaged shows when it is read.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

from lanescope.trace.schema import SCHEMA, Column, TableSchema
from lanescope.trace.store import Text, all_null, opened, read_column, read_meta
from lanescope.trace.table import Array, LazyColumns, Table, constant
from lanescope.trace.trace import Trace, Words


class _Opened(NamedTuple):
    """What is known of a table's file without reading its numbers."""

    rows: int
    empty: set[str]
    texts: dict[str, Text]


def open_lazily(path: str | os.PathLike[str]) -> Trace:
    """As `load`, without the columns."""
    folder = Path(path)
    meta = read_meta(folder)
    with ThreadPoolExecutor(2) as pool:
        found = {name: pool.submit(_open, folder, schema) for name, schema in SCHEMA.items()}
    words = Words()
    tables = {
        name: _table(folder, SCHEMA[name], found[name].result(), words=words) for name in SCHEMA
    }
    return Trace(meta=meta, words=words.freeze(), **tables)


def _open(folder: Path, schema: TableSchema) -> _Opened:
    file = folder / f"{schema.name}.parquet"
    with opened(file, schema) as parquet:
        empty = all_null(parquet.metadata)
        texts = {}
        for column in schema.columns:
            if column.type == "word" and column.name not in empty:
                text = read_column(file, parquet, column)
                assert isinstance(text, Text)
                texts[column.name] = text
        return _Opened(parquet.metadata.num_rows, empty, texts)


def _table(folder: Path, schema: TableSchema, found: _Opened, *, words: Words) -> Table:
    readers: dict[str, Callable[[], Array]] = {}
    for column in schema.columns:
        if column.name in found.empty or not found.rows:
            readers[column.name] = partial(constant, column.missing, found.rows, column.dtype)
        else:
            readers[column.name] = partial(_read, folder, schema, column, words=words)
    known = {name: text.column(words) for name, text in found.texts.items()}
    return Table(schema, LazyColumns(found.rows, readers, known))


def _read(folder: Path, schema: TableSchema, column: Column, *, words: Words) -> Array:
    file = folder / f"{schema.name}.parquet"
    with opened(file, schema) as parquet:
        values = read_column(file, parquet, column)
    return values.column(words) if isinstance(values, Text) else values
