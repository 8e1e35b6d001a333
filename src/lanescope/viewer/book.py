"""A trace made ready to be shown: its header, and its tables whole or in tiles of time."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any

from lanescope.analyze.cores.makespan import Span
from lanescope.trace import Trace
from lanescope.trace.table import Array
from lanescope.viewer.header import header_of, span_of
from lanescope.viewer.lanes import lanes_of
from lanescope.viewer.levels import levels_of
from lanescope.viewer.slices import all_slices
from lanescope.viewer.tables import PackedTable, graph_tables, level_table, merged, slice_table
from lanescope.viewer.waits import Waits, waits_of

WHOLE = "all"
OVERVIEW = "overview"
TILE_ROWS = 400_000
_WHOLE_ROWS = 4 * TILE_ROWS
"""Up to this many slices a server sends a trace whole."""
_OVERVIEW_BINS = 8192

_EXPLAINED_TASKS = 4_000_000
_TOO_LARGE = (
    f"More than {_EXPLAINED_TASKS:,} tasks: wait reasons and the critical path are not shown; "
    "--since and --until show a part with them."
)

Tables = dict[str, PackedTable]


def is_explained(trace: Trace) -> bool:
    """Whether what needs the whole task graph at once is shown, too."""
    return len(trace.tasks) <= _EXPLAINED_TASKS


class Book:
    """Everything sorted once; packing happens when a tile is asked for."""

    def __init__(self, trace: Trace, critical: Array | None = None) -> None:
        self.trace = trace
        lanes = lanes_of(trace)
        trace.edges.forget("kind")
        waits = waits_of(trace) if is_explained(trace) else Waits()
        with ThreadPoolExecutor(1) as beside:
            levels = beside.submit(levels_of, trace)
            self.slices = all_slices(trace, lanes, waits, critical=critical)
            trace.phases.forget("lane", "controller")
            self.levels = levels.result()
        self.span: Span = span_of(trace, self.slices, self.levels)
        self._header = header_of(trace, lanes, self.slices, self.levels)
        self._header["reasons"] = waits.reasons
        if not is_explained(trace):
            self._header["notes"].append(_TOO_LARGE)
        self.tables = lru_cache(maxsize=16)(self._tables)

    def whole_header(self) -> dict[str, Any]:
        """With one tile that holds everything."""
        tile = {"name": WHOLE, "start_ns": self.span.start_ns, "end_ns": self.span.end_ns}
        return {**self._header, "tiles": [{**tile, **described(self.tables(WHOLE))}]}

    def tiled_header(self) -> dict[str, Any]:
        """With an overview and tiles that are asked for one by one; whole when it is small."""
        if self._rows() <= _WHOLE_ROWS:
            return self.whole_header()
        tiles = [
            {"name": str(k), "start_ns": start, "end_ns": end}
            for k, (start, end) in enumerate(self._edges())
        ]
        overview = {"name": OVERVIEW, **described(self.tables(OVERVIEW))}
        return {**self._header, "tiles": tiles, "overview": overview}

    def blocks(self, tile: str) -> Iterator[tuple[str, bytes]]:
        """Every column of a tile by its name, TILE/TABLE/COLUMN."""
        for name, table in self.tables(tile).items():
            for column in table.columns:
                yield f"{tile}/{name}/{column.name}", column.data

    def _tables(self, tile: str) -> Tables:
        levels = {f"level{k}": level_table(level) for k, level in enumerate(self.levels.shown)}
        if tile == WHOLE:
            tasks, graph = graph_tables(self.trace, self.slices["tasks"])
            slices = {**self.slices, "tasks": tasks}
            return {kind: slice_table(table) for kind, table in slices.items()} | graph | levels
        if tile == OVERVIEW:
            bin_ns = -(-self.span.length_ns // _OVERVIEW_BINS)
            return {
                kind: slice_table(merged(table, self.span.start_ns, bin_ns))
                for kind, table in self.slices.items()
            } | levels
        return self._window(*self._edges()[int(tile)])

    def _window(self, start_ns: int, end_ns: int) -> Tables:
        return {
            kind: slice_table(table.rows((table.start_ns < end_ns) & (table.end_ns >= start_ns)))
            for kind, table in self.slices.items()
        }

    def _rows(self) -> int:
        return sum(len(table) for table in self.slices.values())

    def _edges(self) -> list[tuple[int, int]]:
        """Tiles of one length in time; the last one holds the last moment, too."""
        count = -(-self._rows() // TILE_ROWS)
        start, length = self.span.start_ns, self.span.length_ns
        edges = [start + length * k // count for k in range(count)] + [self.span.end_ns + 1]
        return list(itertools.pairwise(edges))


def books_of(traces: Sequence[Trace], critical: Sequence[Array | None]) -> list[Book]:
    """A book per trace; `critical` may be shorter than the traces."""
    marked = [*critical, *[None] * (len(traces) - len(critical))]
    return [Book(trace, rows) for trace, rows in zip(traces, marked, strict=True)]


def described(tables: Tables) -> dict[str, Any]:
    """How to read the tables' columns."""
    return {"tables": {name: table.as_dict() for name, table in tables.items()}}
