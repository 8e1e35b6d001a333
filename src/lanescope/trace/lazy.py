"""A stored trace whose columns are read when somebody asks for them.

Text columns are read at once, because they share one pool of words. All others stay in their files
until they are used, so damage in one of them shows only then. Small files of a store are read at
once and kept.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from typing import Any, NamedTuple

from lanescope.trace.integrity import Checksums, read_checksums
from lanescope.trace.parquet import Text, absent, content_of, needs_no_file, opened, read_column
from lanescope.trace.places import Place, PlaceLike, place_of
from lanescope.trace.schema import Column, TableSchema
from lanescope.trace.store import of_each_table, read_meta, threads_for, wanted_tables
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
    content: Any = None
    """The file itself, where it was read at once."""


def open_lazily(path: PlaceLike, *, tables: Collection[str] | None = None) -> Trace:
    """Open a stored trace without reading its numbers; text columns are read at once.

    Args:
        path: the directory NAME.lanes, or a URL; it must stay in place while the trace is used.
        tables: open only these; the others are empty.

    Raises:
        InputError: as `load`; damage inside a column shows only when the column is read.
        UsageError: there is no table of that name.
    """
    wanted = wanted_tables(tables)
    folder = place_of(path)
    checksums = read_checksums(folder)
    meta = read_meta(folder, checksums)
    files = of_each_table(
        wanted,
        lambda schema: _open(folder, schema, checksums),
        threads=threads_for(folder, checksums),
    )
    words = Words()
    read = {name: _table(folder, SCHEMA[name], files[name], words=words) for name in wanted}
    return Trace(meta=meta, words=words.freeze(), **read)


def _open(folder: Place, schema: TableSchema, checksums: Checksums) -> _Opened:
    file = folder / f"{schema.name}.parquet"
    if needs_no_file(file, schema, checksums):
        return _Opened(0, {column.name for column in schema.columns}, {}, {}, checksums)
    content = content_of(file)
    with opened(file, schema, checksums, content) as parquet:
        empty = absent(parquet, schema)
        texts = {}
        for column in schema.columns:
            if column.type == "word" and column.name not in empty:
                text = read_column(file, parquet, column)
                assert isinstance(text, Text)
                texts[column.name] = text
        bounds = file_bounds(parquet.metadata, schema)
        return _Opened(parquet.metadata.num_rows, empty, texts, bounds, checksums, content)


def file_bounds(metadata: Any, schema: TableSchema) -> dict[str, tuple[int, int]]:
    """Least and greatest value of columns of whole numbers, by the statistics of a file.

    A column is left out where a part of the file does not state its bounds.
    """
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


def _table(folder: Place, schema: TableSchema, file: _Opened, *, words: Words) -> Table:
    readers: dict[str, Callable[[], Array]] = {}
    place = folder / f"{schema.name}.parquet"
    for column in schema.columns:
        if column.name in file.empty or not file.rows:
            readers[column.name] = partial(constant, column.missing, file.rows, column.dtype)
        else:
            readers[column.name] = partial(_read, place, column, file, schema, words)
    known = {name: text.column(words) for name, text in file.texts.items()}
    bounds = dict.fromkeys(file.empty) | file.bounds
    return Table(schema, LazyColumns(file.rows, readers, known, bounds=bounds))


def _read(place: Place, column: Column, file: _Opened, schema: TableSchema, words: Words) -> Array:
    with opened(place, schema, file.checksums, file.content) as parquet:
        values = read_column(place, parquet, column)
    return values.column(words) if isinstance(values, Text) else values
