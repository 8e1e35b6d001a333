"""A table: read-only numpy columns of one length, checked against the schema when built."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from threading import RLock
from typing import Any

import numpy as np
import numpy.typing as npt

from lanescope.trace.schema import SCHEMA, TableSchema

Array = npt.NDArray[Any]


class LazyColumns(Mapping[str, Array]):
    """Columns that are read when they are first asked for, and kept."""

    def __init__(
        self, rows: int, readers: Mapping[str, Callable[[], Array]], known: Mapping[str, Array]
    ) -> None:
        self.rows = rows
        self._readers = readers
        self._kept = {name: _read_only(column) for name, column in known.items()}
        self._lock = RLock()

    def __getitem__(self, name: str) -> Array:
        with self._lock:
            if name not in self._kept:
                self._kept[name] = _read_only(self._readers[name]())
            return self._kept[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._readers)

    def __len__(self) -> int:
        return len(self._readers)

    def forget(self, *names: str) -> None:
        with self._lock:
            for name in names:
                self._kept.pop(name, None)


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of one schema table; `table["start_ns"]` is a read-only array."""

    schema: TableSchema
    columns: Mapping[str, Array]

    @classmethod
    def build(cls, name: str, columns: Mapping[str, npt.ArrayLike] | None = None) -> Table:
        """Columns not given are filled with the schema's missing value."""
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
        return cls(schema, built)

    def __len__(self) -> int:
        if isinstance(self.columns, LazyColumns):
            return self.columns.rows
        return len(self.columns[self.schema.columns[0].name])

    def __getitem__(self, name: str) -> Array:
        return self.columns[name]

    def forget(self, *names: str) -> None:
        """Columns that are read when they are asked for give their memory back."""
        if isinstance(self.columns, LazyColumns):
            self.columns.forget(*names)

    def rows(self, index: Array | slice) -> Table:
        """The rows of a boolean mask or an index array, in that order; a slice makes no copy."""
        return Table(
            self.schema,
            {name: _read_only(value[index]) for name, value in self.columns.items()},
        )

    def replace(self, **columns: npt.ArrayLike) -> Table:
        """The same table with some columns changed."""
        return Table.build(self.schema.name, {**self.columns, **columns})


def constant(value: float | int, rows: int, dtype: npt.DTypeLike) -> Array:
    """A column of one value that costs no memory."""
    return np.broadcast_to(np.array(value, dtype), (rows,))


def _read_only(value: Array) -> Array:
    if value.flags.writeable:
        value = value.view()
        value.flags.writeable = False
    return value
