"""A trace made ready for the page: its header, and its tables whole or in tiles of time."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any

import numpy as np

from lanescope.analyze.cores.makespan import Span
from lanescope.trace import Trace
from lanescope.trace.launch_lanes import with_launch_phases
from lanescope.trace.table import Array
from lanescope.viewer.answers import answers_of, few_answers
from lanescope.viewer.bars import PageBars, all_bars
from lanescope.viewer.header import header_of, span_of
from lanescope.viewer.job_panel import JobPanel
from lanescope.viewer.labels import labels_of
from lanescope.viewer.lanes import lanes_of
from lanescope.viewer.path import PATH_LANE, path_table
from lanescope.viewer.series import series_of
from lanescope.viewer.tables import PackedTable, bar_table, graph_tables, merged, series_table

WHOLE = "all"
OVERVIEW = "overview"
TILE_ROWS = 400_000
_WHOLE_ROWS = 4 * TILE_ROWS
"""Up to this many bars a server sends a trace whole."""
_OVERVIEW_BINS = 8192

_EXPLAINED_TASKS = 4_000_000
_OF_RANKS = "The critical path of a job goes from rank to rank; `lanescope ranks` has it."
_TOO_LARGE = (
    f"More than {_EXPLAINED_TASKS:,} tasks: wait reasons and the critical path are not shown; "
    "--since and --until show a part with them."
)

Tables = dict[str, PackedTable]


def is_explained(trace: Trace) -> bool:
    """Whether the page shows wait reasons and the critical path.

    Both need the whole task graph at once, which a very large trace has no room for.
    """
    return len(trace.tasks) <= _EXPLAINED_TASKS


class Book:
    """What the page shows of one trace.

    Bars and series are sorted when the book is made; a tile is packed when it is asked for.
    """

    def __init__(self, trace: Trace, meets: Array | None = None, label: str = "") -> None:
        trace = with_launch_phases(trace)
        self.trace = trace
        lanes = lanes_of(trace)
        explained = is_explained(trace)
        answers = answers_of(trace, lanes) if explained else few_answers(trace, lanes, _TOO_LARGE)
        trace.edges.forget("kind")
        self.waits = answers.waits.columns
        self._path = answers.path if meets is None else None
        with ThreadPoolExecutor(1) as beside:
            series = beside.submit(series_of, trace)
            self.bars = all_bars(trace, lanes, answers.waits, path=self._path, meets=meets)
            trace.phases.forget("lane", "controller")
            self.series = series.result()
        self.span: Span = span_of(trace, self.bars, self.series)
        self.header = header_of(trace, lanes, self.bars, self.series)
        self.header |= {"reasons": answers.waits.reasons, **answers.told}
        self.header["label"] = label or trace.meta.name
        if not explained:
            self.header["notes"].append(_TOO_LARGE)
        if meets is not None:
            self.header["path"] = {"why": _OF_RANKS}
        self._more: dict[str, PageBars] = {}
        if self._path is not None:
            place = len(self.header["lanes"])
            self.header["lanes"].append(PATH_LANE)
            self._more["path"] = path_table(trace, lanes, self._path, place=place)
        self._slices: dict[str, dict[int, tuple[int, int]]] = {}
        self.tables = lru_cache(maxsize=16)(self._tables)

    def whole_header(self) -> dict[str, Any]:
        """The header of a page with one tile that holds everything."""
        tile = {"name": WHOLE, "start_ns": self.span.start_ns, "end_ns": self.span.end_ns}
        return {**self.header, "tiles": [{**tile, **described(self.tables(WHOLE))}]}

    def tiled_header(self) -> dict[str, Any]:
        """The header of a page with an overview and tiles that it asks for one by one.

        A small trace has one tile that holds everything.
        """
        if self._rows() <= _WHOLE_ROWS:
            return self.whole_header()
        tiles = [
            {"name": str(k), "start_ns": start, "end_ns": end}
            for k, (start, end) in enumerate(self._edges())
        ]
        overview = {"name": OVERVIEW, **described(self.tables(OVERVIEW))}
        return {**self.header, "tiles": tiles, "overview": overview}

    def blocks(self, tile: str) -> Iterator[tuple[str, bytes]]:
        """Name and packed bytes of every column of a tile; the name is TILE/TABLE/COLUMN."""
        for name, table in self.tables(tile).items():
            for column in table.columns:
                yield f"{tile}/{name}/{column.name}", column.data

    def slices(self, kind: str) -> dict[int, tuple[int, int]]:
        """Per lane where its bars of this kind begin and end."""
        if kind not in self._slices:
            lane = self.bars[kind].lane
            first = np.flatnonzero(np.append(True, lane[1:] != lane[:-1])[: len(lane)])
            bounds = itertools.pairwise([*first.tolist(), len(lane)])
            self._slices[kind] = dict(zip(lane[first].tolist(), bounds, strict=False))
        return self._slices[kind]

    def _tables(self, tile: str) -> Tables:
        series = {f"level{k}": series_table(one) for k, one in enumerate(self.series.shown)}
        series |= {name: bar_table(bars) for name, bars in self._more.items()}
        if tile == WHOLE:
            tasks, graph = graph_tables(self.trace, self.bars["tasks"])
            bars = {**self.bars, "tasks": tasks}
            return {kind: bar_table(table) for kind, table in bars.items()} | graph | series
        if tile == OVERVIEW:
            bin_ns = -(-self.span.length_ns // _OVERVIEW_BINS)
            return {
                kind: bar_table(merged(table, self.span.start_ns, bin_ns))
                for kind, table in self.bars.items()
            } | series
        return self._window(*self._edges()[int(tile)])

    def _window(self, start_ns: int, end_ns: int) -> Tables:
        return {
            kind: bar_table(table.rows((table.start_ns < end_ns) & (table.end_ns >= start_ns)))
            for kind, table in self.bars.items()
        }

    def _rows(self) -> int:
        return sum(len(table) for table in self.bars.values())

    def _edges(self) -> list[tuple[int, int]]:
        """Start and end of each tile in ns; all are equally long. The last has the last moment."""
        count = -(-self._rows() // TILE_ROWS)
        start, length = self.span.start_ns, self.span.length_ns
        edges = [start + length * k // count for k in range(count)] + [self.span.end_ns + 1]
        return list(itertools.pairwise(edges))


def books_of(
    traces: Sequence[Trace], places: Sequence[str | None] = (), job: JobPanel | None = None
) -> list[Book]:
    """A book per trace.

    `places` is where each trace came from, where that is known; `job` the job whose ranks they are.
    """
    meets = [None] * len(traces) if job is None else job.meets
    names = [trace.meta.name for trace in traces]
    labels = labels_of(names, [*places, *[None] * len(names)])
    return [Book(*one) for one in zip(traces, meets, labels, strict=True)]


def described(tables: Tables) -> dict[str, Any]:
    """How to read the columns of the tables, as the page expects it."""
    return {"tables": {name: table.as_dict() for name, table in tables.items()}}
