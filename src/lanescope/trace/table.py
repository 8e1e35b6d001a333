"""A table: read-only numpy columns of one length, checked against the schema when built."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from threading import RLock
from typing import Any

import numpy as np
import numpy.typing as npt

from lanescope.errors import UsageError
from lanescope.trace.schema import Column, TableSchema
from lanescope.trace.tables import SCHEMA

Array = npt.NDArray[Any]


class LazyColumns(Mapping[str, Array]):
    """Columns that are read when somebody first asks for them, and kept from then on."""

    def __init__(
        self,
        rows: int,
        readers: Mapping[str, Callable[[], Array]],
        known: Mapping[str, Array],
        *,
        bounds: Mapping[str, tuple[int, int] | None] | None = None,
    ) -> None:
        """`known` are columns already read; `bounds` is what `Table.bounds` answers for others."""
        self.rows = rows
        self.bounds = bounds or {}
        self._readers = readers
        self._kept = {name: _read_only(column) for name, column in known.items()}
        self._lock = RLock()

    def __getitem__(self, name: str) -> Array:
        with self._lock:
            if name not in self._kept:
                self._kept[name] = _read_only(self._readers[name]())
            return self._kept[name]

    def __contains__(self, name: object) -> bool:
        """Mapping's own test would read the column."""
        return name in self._readers

    def __iter__(self) -> Iterator[str]:
        return iter(self._readers)

    def __len__(self) -> int:
        return len(self._readers)

    def forget(self, *names: str) -> None:
        """Give back the memory of these columns; the next use reads them again."""
        with self._lock:
            for name in names:
                self._kept.pop(name, None)


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """The rows of one table of a trace; `table["start_ns"]` is a read-only numpy array.

    A numpy column holds codes for text and a sentinel for a missing value (MISSING, MISSING32,
    NaN, NO_WORD). `text`, `to_dict`, `to_arrow` and `to_pandas` give words and nulls instead.
    """

    schema: TableSchema
    columns: Mapping[str, Array]
    words: tuple[str, ...] = ()
    """The texts that text columns refer to: those of the trace to which the table belongs."""

    @classmethod
    def build(
        cls,
        name: str,
        columns: Mapping[str, npt.ArrayLike] | None = None,
        *,
        words: tuple[str, ...] = (),
    ) -> Table:
        """Make a table of the schema from some of its columns; the others are missing.

        A `Trace` gives its tables its own words, so a table that goes into one needs none.

        Raises:
            KeyError: the schema has no such column.
            ValueError: the columns differ in length.
            TypeError: a column's numbers do not fit the schema's type, as floats for times.
        """
        schema = SCHEMA[name]
        given = {key: np.asarray(value) for key, value in (columns or {}).items()}
        unknown = given.keys() - {column.name for column in schema.columns}
        if unknown:
            raise KeyError(f"table {name!r} has no column {sorted(unknown)[0]!r}")
        lengths = {key: len(value) for key, value in given.items()}
        if len(set(lengths.values())) > 1:
            raise ValueError(f"table {name!r}: columns differ in length: {lengths}")
        rows = next(iter(lengths.values()), 0)
        built = {}
        for column in schema.columns:
            if column.name in given:
                value = given[column.name]
                if value.dtype != column.dtype:
                    value = value.astype(column.dtype, casting="same_kind")
            else:
                value = constant(column.missing, rows, column.dtype)
            built[column.name] = _read_only(value)
        return cls(schema, built, words)

    def __len__(self) -> int:
        if isinstance(self.columns, LazyColumns):
            return self.columns.rows
        return len(next(iter(self.columns.values()), ()))

    def __getitem__(self, name: str) -> Array:
        return self.columns[name]

    def __repr__(self) -> str:
        """At most five lines: name, rows, and the names of the columns. Reads no column."""
        head = f"Table {self.schema.name}: {len(self):,} rows, {len(self.columns)} columns"
        names = textwrap.wrap(", ".join(self.columns), 96, max_lines=4, placeholder=" …")
        return "\n  ".join([head, *names])

    def _repr_html_(self) -> str:
        from lanescope.trace.notebook import table_html

        return table_html(self)

    def forget(self, *names: str) -> None:
        """Give back the memory of columns that can be read again; others stay."""
        if isinstance(self.columns, LazyColumns):
            self.columns.forget(*names)

    def rows(self, index: Array | slice) -> Table:
        """The rows of a boolean mask or an index array, in that order; a slice makes no copy."""
        cut = {name: _read_only(value[index]) for name, value in self.columns.items()}
        return Table(self.schema, cut, self.words)

    def replace(self, **columns: npt.ArrayLike) -> Table:
        """The same table with some columns changed."""
        return Table.build(self.schema.name, {**self.columns, **columns}, words=self.words)

    def with_words(self, words: tuple[str, ...]) -> Table:
        """The same columns with other words; no column is read or copied."""
        return replace(self, words=words)

    def present(self) -> list[Column]:
        """The schema's columns that this table has: all of them, unless it was cut to a few."""
        return [column for column in self.schema.columns if column.name in self.columns]

    def bounds(self, name: str) -> tuple[int, int] | None:
        """Least and greatest known value of a column of whole numbers; None where none is known.

        Where a table is read on demand, the statistics of its file answer without a read.
        """
        if isinstance(self.columns, LazyColumns) and name in self.columns.bounds:
            return self.columns.bounds[name]
        values = self[name]
        known = ~self.schema.column(name).is_missing(values)
        if not known.any():
            return None
        most = np.iinfo(values.dtype).max
        return int(values.min(where=known, initial=most)), int(values.max())

    def text(self, name: str) -> list[str]:
        """A text column as strings; `""` where a row has no text."""
        if self.schema.column(name).type != "word":
            table = self.schema.name
            raise UsageError(f"column {name!r} of table {table!r} holds numbers, not text")
        return self.words_of(self[name])

    def words_of(self, codes: Array) -> list[str]:
        """The word of each code; `""` where there is none."""
        words = self.words
        try:
            return ["" if code < 0 else words[code] for code in codes.tolist()]
        except IndexError:
            table = self.schema.name
            raise UsageError(
                f"table {table!r} does not hold the words of its text; "
                f"put it into a trace and take it from there: trace.{table}"
            ) from None

    def to_dict(self) -> dict[str, list[Any]]:
        """Column name to a list of its values: text as strings, None for a missing value."""
        return {column.name: self._cells(column) for column in self.present()}

    def to_arrow(self) -> Any:
        """The table as a `pyarrow.Table`: text as strings, missing values as nulls.

        Arrow sorts, joins and groups by these strings; it cannot do that with encoded ones.
        """
        from lanescope.trace.arrow import arrow_table, plain_text

        return plain_text(arrow_table(self))

    def to_pandas(self) -> Any:
        """The table as a `pandas.DataFrame`: text as strings, missing values as missing.

        Columns of whole numbers have pandas' types Int64 and Int32, which stay exact where a
        value is missing.

        Raises:
            UsageError: pandas is not installed.
        """
        from lanescope.trace.arrow import pandas_frame

        return pandas_frame(self)

    def _cells(self, column: Column) -> list[Any]:
        values = self[column.name]
        missing = column.is_missing(values)
        if missing.all():
            return [None] * len(values)
        cells: list[Any] = self.words_of(values) if column.type == "word" else values.tolist()
        for row in np.flatnonzero(missing).tolist():
            cells[row] = None
        return cells


def constant(value: float | int, rows: int, dtype: npt.DTypeLike) -> Array:
    """A column of one value that costs no memory."""
    return np.broadcast_to(np.array(value, dtype), (rows,))


def _read_only(value: Array) -> Array:
    if value.flags.writeable:
        value = value.view()
        value.flags.writeable = False
    return value
