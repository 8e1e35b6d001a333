"""One table's Parquet file: opened, checked against the schema, and read column by column.

On this machine a file is mapped. On a store a small one is read at once, because every request
takes its time; of a large one only what is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lanescope.errors import InputError
from lanescope.trace.integrity import Checksums
from lanescope.trace.later import pa, pq
from lanescope.trace.places import Place, reading
from lanescope.trace.schema import NO_WORD, Column, TableSchema
from lanescope.trace.stores import reason_of
from lanescope.trace.table import Array, Table, constant
from lanescope.trace.trace import Words

_READ_AT_ONCE_BYTES = 8 << 20
"""Files of stores up to this size are read whole."""


class Text(NamedTuple):
    """A text column as it was read: codes are indices into `texts`, -1 where there is no text."""

    codes: Array
    texts: list[str]

    def column(self, words: Words) -> Array:
        """The column with the codes of the trace's own pool of words."""
        pool = np.append(words.codes(self.texts), np.int32(NO_WORD))
        # By take(): where an index of 32 bits gets no memory, numpy 2.4 ends the process.
        return pool.take(self.codes)


@dataclass(frozen=True, slots=True)
class ReadTable:
    """A table's columns as they were read; every text column still has codes of its own."""

    schema: TableSchema
    columns: dict[str, Array | Text]

    def table(self, words: Words) -> Table:
        """The table with the codes of the trace's own pool of words."""
        columns = {
            name: column.column(words) if isinstance(column, Text) else column
            for name, column in self.columns.items()
        }
        return Table.build(self.schema.name, columns)


def read_table(folder: Place, schema: TableSchema, checksums: Checksums) -> ReadTable:
    """Columns are read one after another, so that Arrow uses the same memory for each."""
    file = folder / f"{schema.name}.parquet"
    if needs_no_file(file, schema, checksums):
        return ReadTable(schema, {})
    with opened(file, schema, checksums) as parquet:
        empty = absent(parquet, schema)
        return ReadTable(
            schema,
            {
                c.name: constant(c.missing, parquet.metadata.num_rows, c.dtype)
                if c.name in empty
                else read_column(file, parquet, c)
                for c in schema.columns
            },
        )


@contextmanager
def opened(
    file: Place,
    schema: TableSchema,
    checksums: Checksums,
    content: Any = None,
    *,
    mapped: bool = True,
) -> Iterator[Any]:
    """Open a table's Parquet file; what is wrong with it is an InputError.

    Pages are compared with their checksums as they are read. `content` is what `content_of` gave.
    A file that is not `mapped` takes no more memory than what is read at a time.
    """
    text = [c.name for c in schema.columns if c.type == "word"]
    options = {"read_dictionary": text, "page_checksum_verification": True}
    try:
        with _stream(file, mapped) if content is None else pa.BufferReader(content) as stream:
            checksums.require_whole(file, stream)
            with _reader(stream, **options, pre_buffer=file.local is None) as parquet:
                _require_flat(parquet)
                _require_types(parquet)
                _require_columns(file, schema, parquet.schema_arrow.names)
                yield parquet
    except FileNotFoundError:
        raise _missing(file) from None
    except (OSError, pa.ArrowException, UnicodeDecodeError) as error:
        problem = "is damaged" if file.local is not None else "is damaged, or the store failed"
        told = f"{problem} ({reason_of(error)}); import the source again"
        raise InputError(file, told) from error


def _reader(stream: Any, **options: Any) -> Any:
    try:
        return pq.ParquetFile(stream, **options)
    except KeyError as error:
        raise pa.ArrowInvalid(f"it has no column {error.args[0].decode()!r}") from None


def content_of(file: Place) -> Any:
    """The bytes of a small file of a store; None for a large one, and for files of this machine."""
    if file.local is not None:
        return None
    try:
        with file.open() as stream, reading(file):
            return stream.read_buffer() if stream.size() <= _READ_AT_ONCE_BYTES else None
    except FileNotFoundError:
        raise _missing(file) from None


def _stream(file: Place, mapped: bool) -> Any:
    stream = file.open() if mapped else file.open_unmapped()
    if file.local is not None or stream.size() > _READ_AT_ONCE_BYTES:
        return stream
    with stream, reading(file):
        return pa.BufferReader(stream.read_buffer())


def _missing(file: Place) -> InputError:
    return InputError(file, "is missing from the trace; import the source again")


def read_column(file: Place, parquet: Any, column: Column) -> Array | Text:
    """Read one column of an opened file; another type than the schema's is an InputError."""
    values = parquet.read([column.name], use_threads=False)[column.name]
    if len(values) != parquet.metadata.num_rows:
        problem = f"column {column.name!r} has {len(values)} of {parquet.metadata.num_rows} rows"
        raise InputError(file, f"is damaged ({problem}); import the source again")
    try:
        return text_of(values) if column.type == "word" else numbers_of(values, column)
    except (pa.ArrowException, TypeError, ValueError, AttributeError) as error:
        problem = f"column {column.name!r} is not of type {column.type} ({error})"
        raise InputError(file, f"{problem}; import the source again") from error


def _require_flat(parquet: Any) -> None:
    """Refuse columns that are not optional and flat, as all are written.

    Their parts count the rows of each level. Where the schema has other levels, Arrow ends the
    process as soon as a part of the column is looked at (seen with 26.0).
    """
    for index in range(len(parquet.schema)):
        column = parquet.schema.column(index)
        levels = (column.max_definition_level, column.max_repetition_level)
        if levels != (1, 0):
            raise pa.ArrowInvalid(f"column {column.name!r} has levels {levels} and not (1, 0)")


def _require_types(parquet: Any) -> None:
    """Refuse columns of another type than the schema's: Arrow would end the process over them."""
    metadata, schema = parquet.metadata, parquet.schema
    for group in range(metadata.num_row_groups):
        part = metadata.row_group(group)
        for index in range(min(part.num_columns, len(schema))):
            wanted, stored = schema.column(index).physical_type, part.column(index).physical_type
            if wanted != stored:
                name = schema.column(index).name
                raise pa.ArrowInvalid(f"column {name!r} is {wanted}, and {stored} where it lies")


def needs_no_file(file: Place, schema: TableSchema, checksums: Checksums) -> bool:
    """Whether the table is empty for sure: the trace is older, or on a store and without rows."""
    if file.local is None and checksums.has_no_rows(file):
        return True
    return bool(schema.since) and file.name not in checksums.files and not file.exists()


def _require_columns(file: Place, schema: TableSchema, names: list[str]) -> None:
    for column in schema.columns:
        if column.name not in names and not column.since:
            raise InputError(file, f"has no column {column.name!r}; import the source again")


def absent(parquet: Any, schema: TableSchema) -> set[str]:
    """Names of the columns that need no read: the file has them not, or only nulls in them."""
    names = parquet.schema_arrow.names
    return _all_null(parquet.metadata) | {c.name for c in schema.columns if c.name not in names}


def _all_null(metadata: Any) -> set[str]:
    """Names of the columns that hold only nulls, by the file's statistics, without a read."""
    nulls: dict[str, int] = {}
    for group in range(metadata.num_row_groups):
        part = metadata.row_group(group)
        for index in range(part.num_columns):
            column = part.column(index)
            statistics = column.statistics
            if statistics is not None and statistics.has_null_count:
                name = column.path_in_schema
                nulls[name] = nulls.get(name, 0) + statistics.null_count
    rows = metadata.num_rows
    return {name for name, count in nulls.items() if rows and count == rows}


def text_of(values: Any) -> Text:
    """A dictionary-encoded Arrow column as codes and texts.

    Raises:
        ArrowInvalid: a code has no text; Arrow does not look at that.
    """
    chunks = values.unify_dictionaries().chunks
    codes = _joined([_array_of(chunk.indices, -1) for chunk in chunks], np.int32)
    texts = chunks[0].dictionary.to_pylist() if chunks else []
    if codes.max(initial=-1) >= len(texts) or codes.min(initial=-1) < -1:
        raise pa.ArrowInvalid(f"a code that none of its {len(texts)} texts has")
    return Text(codes, texts)


def numbers_of(values: Any, column: Column) -> Array:
    """An Arrow column of numbers as numpy has it, nulls as what stands for them."""
    whole = _joined([_array_of(chunk, column.missing) for chunk in values.chunks], column.dtype)
    return whole.astype(column.dtype, copy=False, casting="same_kind")


def _joined(parts: list[Array], dtype: npt.DTypeLike) -> Array:
    """The parts as one array; of this type where there are none."""
    if len(parts) == 1:
        return parts[0]
    return np.concatenate(parts) if parts else np.empty(0, dtype)


def _array_of(values: Any, missing: float) -> Array:
    """Numbers of Arrow as numpy has them, and `missing` for nulls.

    `to_numpy` would import pandas wherever that is installed, and `fill_null` all functions of
    Arrow; together they take longer than a small report.
    """
    kind = values.type
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        raise TypeError(f"found {kind}")
    valid, numbers = values.buffers()
    first, count = values.offset, len(values)
    if not count:
        return np.empty(0, kind.to_pandas_dtype())
    array: Array = np.frombuffer(numbers, kind.to_pandas_dtype(), first + count)[first:]
    if not values.null_count:
        return array
    bits = np.unpackbits(np.frombuffer(valid, np.uint8), count=first + count, bitorder="little")
    return np.where(bits[first:] == 1, array, array.dtype.type(missing))
