"""A stored trace some rows at a time: for traces that do not fit into memory, and for their parts.

The files say of every group of rows which times and cores it has. Groups that a part has nothing of
are not read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cached_property
from typing import Any

import numpy as np

from lanescope.trace.integrity import read_checksums
from lanescope.trace.later import pa
from lanescope.trace.lazy import file_bounds
from lanescope.trace.parquet import ReadTable, absent, needs_no_file, numbers_of, opened, text_of
from lanescope.trace.part import OF_NO_CORE, TABLES, TASK_TABLES, TracePart, row_mask, task_mask
from lanescope.trace.places import PlaceLike, place_of
from lanescope.trace.schema import TableSchema
from lanescope.trace.selection import function_ids
from lanescope.trace.store import load
from lanescope.trace.table import Array, Table, constant
from lanescope.trace.tables import SCHEMA
from lanescope.trace.trace import Trace, Words

_ROWS = 1 << 19
"""Most rows that are read at a time."""
LARGE = ("tasks", *TABLES)
"""The tables that may have very many rows; the others are small."""
_FIRST = ("dispatch_ns", "receive_ns", "start_ns", "end_ns", "time_ns")
_LAST = ("finish_ns", "end_ns", "start_ns", "time_ns")
"""The columns that tell when a row begins and ends, where its table has them."""
_MASKED = ("core", "func", "task", "pred", "succ", *_FIRST, "finish_ns")
"""The columns that decide whether a row is in a part."""


class StoredRows:
    """A stored trace whose large tables are read some rows at a time."""

    def __init__(self, path: PlaceLike) -> None:
        """Read nothing but the sizes of the files."""
        self._folder = place_of(path)
        self._checksums = read_checksums(self._folder)
        self.words = Words()
        """The words of all tables that were read so far."""

    @cached_property
    def small(self) -> Trace:
        """The trace with its small tables; the large ones are empty.

        Raises:
            InputError: as `load`; damage in a large table shows when it is read.
        """
        trace = load(self._folder, tables=[name for name in SCHEMA if name not in LARGE])
        self.words = Words(trace.words)
        return trace

    def rows(self) -> dict[str, int]:
        """Return the number of rows of each large table, without reading one."""
        found = {}
        for name in LARGE:
            written = self._checksums.files.get(f"{name}.parquet")
            known = None if written is None else written.rows
            found[name] = self._footer(name)[0] if known is None else known
        return found

    def table(self, name: str, part: TracePart | None = None, kept: Array | None = None) -> Table:
        """Return all rows of a large table, or those of a part."""
        parts = [chunk for chunk in self.chunks(name, part, kept=kept) if len(chunk)]
        if not parts:
            return Table.build(name)
        columns = {one: np.concatenate([part[one] for part in parts]) for one in parts[0].columns}
        return Table.build(name, columns)

    def bounds(self, name: str, column: str) -> tuple[int, int] | None:
        """Return the least and greatest value of a column; None where the file does not tell."""
        metadata = self._footer(name)[1]
        return None if metadata is None else file_bounds(metadata, SCHEMA[name]).get(column)

    def chunks(
        self,
        name: str,
        part: TracePart | None = None,
        *,
        kept: Array | None = None,
        columns: Collection[str] | None = None,
    ) -> Iterator[Table]:
        """Yield the rows of a large table, or those of a part, in their order.

        Args:
            name: the table.
            part: only rows in it; the tables of TASK_TABLES need `kept`, too.
            kept: ids of the tasks that are in the part.
            columns: read only these; None reads all.
        """
        schema, small = SCHEMA[name], self.small
        functions = function_ids(small, part.functions or ()) if part is not None else ()
        for table in self._read(schema, part, columns):
            if part is None:
                yield table
            elif name == "tasks":
                yield table.rows(task_mask(table, part, functions))
            else:
                ids = np.empty(0, np.int64) if kept is None else kept
                yield table.rows(row_mask(table, part, ids))

    def part_rows(self, part: TracePart) -> dict[str, int]:
        """Return how many rows of each large table are in a part, without keeping them.

        Edges and rows of tables that follow tasks are all counted, which is the most there can be.
        """
        found = self.rows()
        for name in LARGE:
            if name in TASK_TABLES or not found[name]:
                continue
            wanted = [c.name for c in SCHEMA[name].columns if c.name in _MASKED]
            found[name] = sum(map(len, self.chunks(name, part, columns=wanted)))
        return found

    def _read(
        self, schema: TableSchema, part: TracePart | None, columns: Collection[str] | None
    ) -> Iterator[Table]:
        file = self._folder / f"{schema.name}.parquet"
        if needs_no_file(file, schema, self._checksums):
            return
        with opened(file, schema, self._checksums, mapped=False) as parquet:
            metadata, empty = parquet.metadata, absent(parquet, schema)
            wanted = [c for c in schema.columns if columns is None or c.name in columns]
            stored = [c.name for c in wanted if c.name not in empty]
            groups = [
                number
                for number in range(metadata.num_row_groups)
                if part is None or _may_have(metadata.row_group(number), part, schema)
            ]
            if not stored or not groups:
                return
            batches = parquet.iter_batches(
                _ROWS, row_groups=groups, columns=stored, use_threads=False
            )
            for batch in batches:
                arrow = pa.Table.from_batches([batch])
                read = {
                    c.name: constant(c.missing, arrow.num_rows, c.dtype)
                    if c.name in empty
                    else text_of(arrow[c.name])
                    if c.type == "word"
                    else numbers_of(arrow[c.name], c)
                    for c in wanted
                }
                table = ReadTable(schema, read).table(self.words)
                yield table.with_words(self.words.freeze())

    def _footer(self, name: str) -> tuple[int, Any]:
        """Return the number of rows of a table, and what its file says of groups of rows."""
        file, schema = self._folder / f"{name}.parquet", SCHEMA[name]
        if needs_no_file(file, schema, self._checksums):
            return 0, None
        with opened(file, schema, self._checksums) as parquet:
            return int(parquet.metadata.num_rows), parquet.metadata


def load_part(stored: StoredRows, part: TracePart) -> Trace:
    """Read a part of a stored trace; memory need not hold the rest.

    It is what `select` takes of the whole trace.

    Raises:
        InputError: as `load`.
        UsageError: the trace has no such function.
    """
    small = {name: stored.small.table(name) for name in SCHEMA if name not in LARGE}
    tasks = stored.table("tasks", part)
    kept = np.unique(tasks["task"])
    large = {name: stored.table(name, part, kept) for name in TABLES}
    words = stored.words.freeze()
    trace = Trace(meta=stored.small.meta, words=words, tasks=tasks, **large, **small)
    return trace.with_meta(notes=(*trace.meta.notes, part.note()))


def _may_have(group: Any, part: TracePart, schema: TableSchema) -> bool:
    """Say whether a group of rows may have a row of a part, by what the file says of it."""
    names = {column.name for column in schema.columns}
    if part.cores is not None and "core" in names and schema.name not in OF_NO_CORE:
        cores = _ends(group, ("core",))
        if cores is not None and not any(cores[0] <= core <= cores[1] for core in part.cores):
            return False
    if schema.name == "counters":
        return True  # rows without a time are in every window
    last = _ends(group, tuple(name for name in _LAST if name in names))
    if part.start_ns is not None and last is not None and last[1] < part.start_ns:
        return False
    # Of other tables than tasks, rows without times are in a window that has no start.
    first = _ends(group, tuple(name for name in _FIRST if name in names))
    if schema.name != "tasks" and part.start_ns is None:
        return True
    return not (part.end_ns is not None and first is not None and first[0] > part.end_ns)


def _ends(group: Any, columns: tuple[str, ...]) -> tuple[int, int] | None:
    """Return the least and greatest value of columns; None where the file does not tell it."""
    ends = []
    for index in range(group.num_columns):
        column = group.column(index)
        if column.path_in_schema not in columns:
            continue
        stated = column.statistics
        if stated is None or not stated.has_null_count:
            return None
        if stated.has_min_max and isinstance(stated.min, int):
            ends.append((stated.min, stated.max))
        elif stated.null_count != column.num_values:
            return None
    return (min(low for low, _ in ends), max(high for _, high in ends)) if ends else None
