"""Traces that are made some rows at a time: in memory, or in a folder that needs no memory.

`TablesInMemory` and `TraceWriter` take the same rows, so whoever makes them need not know which.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol

import msgspec
import numpy as np
import numpy.typing as npt

from lanescope.trace.arrow import arrow_table
from lanescope.trace.integrity import write_checksums
from lanescope.trace.later import pq
from lanescope.trace.meta import Meta
from lanescope.trace.part import TABLES, TracePart, row_mask, task_mask
from lanescope.trace.schema import MISSING
from lanescope.trace.table import Table
from lanescope.trace.tables import SCHEMA
from lanescope.trace.trace import Trace, Words

_ROWS_PER_GROUP = 1 << 20
"""Most rows that lie together in a file. A reader has so many of them in memory at least."""


class RowSink(Protocol):
    """Takes the rows of a trace, some at a time."""

    words: Words
    """The words that text columns refer to; more may be added until the end."""

    def add(self, name: str, columns: Mapping[str, npt.ArrayLike]) -> None:
        """Append rows to a table; columns that are not given are missing."""


class TablesInMemory:
    """Collects rows for a Trace in memory."""

    def __init__(self, words: Words) -> None:
        self.words = words
        self._parts: dict[str, list[Table]] = {}

    def add(self, name: str, columns: Mapping[str, npt.ArrayLike]) -> None:
        """Append rows to a table; columns that are not given are missing."""
        self._parts.setdefault(name, []).append(Table.build(name, columns))

    def trace(self, meta: Meta) -> Trace:
        """Return what was added as a trace."""
        tables = {name: _below_each_other(self._parts.pop(name)) for name in list(self._parts)}
        return Trace(meta=meta, words=self.words.freeze(), **tables)


def _below_each_other(parts: list[Table]) -> Table:
    if len(parts) == 1:
        return parts[0]
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0].columns}
    return Table.build(parts[0].schema.name, columns)


class SelectedRows:
    """Hands on only the rows that are in a part; the tasks must come before all others.

    `follows_tasks` says whether rows of other tables belong to tasks. Then the ids of the tasks
    that stay are kept, 8 bytes each.
    """

    def __init__(self, sink: RowSink, part: TracePart, *, follows_tasks: bool) -> None:
        self.words = sink.words
        self._sink, self._part = sink, part
        self._follows = follows_tasks
        self._tasks = np.empty(0, np.int64)

    def add(self, name: str, columns: Mapping[str, npt.ArrayLike]) -> None:
        """Append those of the rows that are in the part."""
        table = Table.build(name, columns)
        if name == "tasks":
            table = table.rows(task_mask(table, self._part, ()))
            if self._follows:
                self._tasks = np.union1d(self._tasks, table["task"])
        elif name in TABLES:
            table = table.rows(row_mask(table, self._part, self._tasks))
        self._sink.add(name, table.columns)


class TraceWriter:
    """Writes rows into the files of a folder; `finish` makes the folder a stored trace.

    Rows of different tables may be added by different threads.
    """

    def __init__(self, folder: Path) -> None:
        self.words = Words()
        self.rows = dict.fromkeys(SCHEMA, 0)
        """Table to the number of its rows so far."""
        self.ran = 0
        """Number of task rows that have both a start and an end."""
        self._folder = folder
        self._files: dict[str, Any] = {}

    def add(self, name: str, columns: Mapping[str, npt.ArrayLike]) -> None:
        """Append rows to a table; columns that are not given are missing."""
        self.add_table(Table.build(name, columns, words=self.words.freeze()))

    def add_table(self, table: Table) -> None:
        """Append the rows of a table that knows its words."""
        name = table.schema.name
        self.rows[name] += len(table)
        if name == "tasks":
            ran = (table["start_ns"] != MISSING) & (table["end_ns"] != MISSING)
            self.ran += int(np.count_nonzero(ran))
        for first in range(0, max(len(table), 1), _ROWS_PER_GROUP):
            self._write(table.rows(slice(first, first + _ROWS_PER_GROUP)))

    def _write(self, table: Table) -> None:
        """Whole numbers are stored as differences: times rise, so that is smaller and faster."""
        name, arrow = table.schema.name, arrow_table(table)
        if name not in self._files:
            columns = table.schema.columns
            self._files[name] = pq.ParquetWriter(
                self._folder / f"{name}.parquet",
                arrow.schema,
                use_dictionary=[c.name for c in columns if c.type == "word"],
                column_encoding={
                    c.name: "DELTA_BINARY_PACKED" for c in columns if c.type in ("i64", "i32")
                },
                compression="lz4",
                write_page_checksum=True,
            )
        self._files[name].write_table(arrow, row_group_size=_ROWS_PER_GROUP)

    def bytes(self) -> int:
        """Return how many bytes the files have so far."""
        return sum(file.stat().st_size for file in self._folder.iterdir())

    def abandon(self) -> None:
        """Close the files as they are, after a failure; their folder is thrown away."""
        for file in self._files.values():
            with suppress(OSError):
                file.close()

    def finish(self, meta: Meta) -> None:
        """Close the files, and write meta.json and the checksums; empty tables have a file, too."""
        for name in [name for name in SCHEMA if name not in self._files]:
            self._write(Table.build(name))
        for file in self._files.values():
            file.close()
        encoded = msgspec.json.format(msgspec.json.encode(meta), indent=2)
        (self._folder / "meta.json").write_bytes(encoded + b"\n")
        write_checksums(self._folder, self.rows)


@contextmanager
def writing(folder: Path) -> Iterator[TraceWriter]:
    """A writer for a folder; after a failure its files are closed."""
    writer = TraceWriter(folder)
    try:
        yield writer
    except BaseException:
        writer.abandon()
        raise
