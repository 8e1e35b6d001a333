"""A folder with a Parquet file per table, read into the same columns as a database."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from lanescope.errors import InputError
from lanescope.formats.columns import Columns, TextColumn, text_column
from lanescope.trace import MISSING
from lanescope.trace.table import Array

_LARGEST = float(1 << 62)
_MOST = (1 << 63) - 1


class ParquetTables:
    """The tables of a folder; a table is called as its file."""

    def __init__(self, folder: Path) -> None:
        self.path = folder
        self.files = {path.stem: path for path in sorted(folder.glob("*.parquet"))}
        self.names = frozenset(self.files)

    def columns(self, table: str) -> frozenset[str]:
        """Names of the columns of a table; none where there is no such table."""
        if table not in self.files:
            return frozenset()
        return column_names(self.files[table])

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
        if not there:
            none = {name: np.empty(0, np.int64) for name in (*integers, *reals)}
            return Columns(0, none, {name: TextColumn(np.empty(0, np.int64), []) for name in texts})
        wanted = [name for name in (*integers, *reals, *texts) if name in there]
        with _refusing(self.files[table]):
            file = pq.ParquetFile(self.files[table])
            rows = file.read(columns=wanted)
            count = rows.num_rows if wanted else file.metadata.num_rows
            columns = {name: rows.column(name) for name in wanted}
            numbers = {name: _integers(columns.get(name), count) for name in integers}
            numbers |= {name: _reals(columns.get(name), count) for name in reals}
            read = {name: _texts(columns.get(name), count) for name in texts}
        return Columns(count, numbers, read)


def column_names(path: Path) -> frozenset[str]:
    """Names of the columns of a Parquet file.

    Raises:
        InputError: it is damaged.
    """
    with _refusing(path):
        return frozenset(pq.read_schema(path).names)


@contextmanager
def _refusing(path: Path) -> Iterator[None]:
    """What is wrong with a file's Parquet, or with a text in it, is an InputError."""
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        problem = f"is a damaged Parquet file ({reason}); export or copy it again"
        raise InputError(path, problem) from error


def _integers(column: Any, count: int) -> Array:
    if column is not None and pa.types.is_integer(column.type):
        if column.type == pa.uint64():
            column = pc.if_else(pc.less_equal(column, pa.scalar(_MOST, pa.uint64())), column, None)
        whole = pc.cast(column, pa.int64())
        return np.asarray(pc.fill_null(whole, MISSING).to_numpy(), np.int64)
    if column is not None and pa.types.is_floating(column.type):
        # A data frame keeps whole numbers with gaps as floats.
        values = np.asarray(column.to_numpy(), np.float64)
        known = np.isfinite(values) & (np.abs(values) < _LARGEST)
        return np.where(known, np.where(known, values, 0).astype(np.int64), MISSING)
    return np.full(count, MISSING)


def _reals(column: Any, count: int) -> Array:
    kinds = (pa.types.is_integer, pa.types.is_floating)
    if column is None or not any(kind(column.type) for kind in kinds):
        return np.full(count, np.nan)
    return np.asarray(column.to_numpy(), np.float64)


def _texts(column: Any, count: int) -> TextColumn:
    if column is not None and pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if column is None or not (
        pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
    ):
        return TextColumn(np.full(count, -1), [])
    return text_column(column.cast(pa.string()))
