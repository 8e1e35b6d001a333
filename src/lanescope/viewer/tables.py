"""Bars, edges and series as packed tables: what a page carries and what the server sends."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lanescope.trace import Trace
from lanescope.trace.numbering import numbered
from lanescope.trace.table import Array
from lanescope.trace.trace_ids import source_ids
from lanescope.viewer.bars import PageBars, halves
from lanescope.viewer.columns import PackedColumn, pack
from lanescope.viewer.series import PageSeries

_RISING = frozenset({"start", "row", "token", "loop", "time", "high", "low", "pred"})
"""Columns whose neighbours are close to each other."""


@dataclass(frozen=True, slots=True)
class PackedTable:
    """A table whose columns are packed."""

    rows: int
    lanes: tuple[tuple[int, int], ...]
    """Of bars: each lane with the number of its rows, in the order of the rows."""
    columns: tuple[PackedColumn, ...]

    def as_dict(self) -> dict[str, Any]:
        """How to read the table, without its data."""
        return {
            "rows": self.rows,
            "lanes": self.lanes,
            "columns": [column.as_dict() for column in self.columns],
        }


def bar_table(bars: PageBars) -> PackedTable:
    """The bars that have a lane.

    `start` is packed as the difference from the bar before, also where that is on another lane.
    """
    if len(bars) and bars.lane.min() < 0:
        bars = bars.rows(bars.lane >= 0)
    first = np.flatnonzero(np.append(True, bars.lane[1:] != bars.lane[:-1])[: len(bars)])
    used, counts = bars.lane[first], np.diff(np.append(first, len(bars)))
    columns = {
        "start": bars.start_ns,
        "length": bars.end_ns - bars.start_ns,
        "name": bars.name,
        **bars.more,
    }
    lanes = tuple(zip(used.tolist(), counts.tolist(), strict=True))
    return PackedTable(len(bars), lanes, pack(columns, _RISING))


def graph_tables(trace: Trace, tasks: PageBars) -> tuple[PageBars, dict[str, PackedTable]]:
    """The tasks with the number of their node in place of their id; the nodes and the edges."""
    columns = (trace.tasks["task"], trace.edges["pred"], trace.edges["succ"])
    ids, node = numbered(np.concatenate(columns))
    pred, succ = np.split(node[len(trace.tasks) :], 2)
    pairs = _distinct(pred * np.int64(max(len(ids), 1)) + succ)
    pred, succ = np.divmod(pairs, max(len(ids), 1))

    def details(row: Array) -> dict[str, Array]:
        known = tasks.details(row).items()
        more = {name: values for name, values in known if not name.startswith("task_")}
        return more | {"node": node[row]}

    shown = halves("task", source_ids(trace, ids))
    nodes = {name.removeprefix("task_"): half for name, half in shown.items()}
    tables = {
        "nodes": PackedTable(len(ids), (), pack(nodes, _RISING)),
        "edges": PackedTable(len(pred), (), pack({"pred": pred, "step": succ - pred}, _RISING)),
    }
    return replace(tasks, details=details), tables


def series_table(series: PageSeries) -> PackedTable:
    """The points of a series."""
    columns = {"time": series.time_ns, "value": series.value}
    return PackedTable(len(series.time_ns), (), pack(columns, _RISING))


def merged(bars: PageBars, start_ns: int, bin_ns: int) -> PageBars:
    """One bar for all bars of a lane that start in the same bin.

    Bins are `bin_ns` long and begin at `start_ns`. The bar has the name of the longest one; `busy`
    is how much of it they fill together, `merged` how many they are. A bar longer than a bin stays
    alone: with what stands before it, it would look less busy than it is.
    """
    first = np.flatnonzero(np.append(True, bars.lane[1:] != bars.lane[:-1])[: len(bars)])
    bounds = itertools.pairwise([*first.tolist(), len(bars)])
    parts = [_merged_lane(bars.rows_between(*bound), start_ns, bin_ns) for bound in bounds]
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    if not columns:
        return bars
    lane, start, end, name, busy, count = columns
    more = {"busy": np.minimum(busy, end - start), "merged": count}
    return PageBars(lane, start, end, name, np.arange(len(lane)), lambda row: _of_rows(more, row))


def _of_rows(columns: dict[str, Array], row: Array) -> dict[str, Array]:
    return {name: values[row] for name, values in columns.items()}


def _merged_lane(bars: PageBars, start_ns: int, bin_ns: int) -> tuple[Array, ...]:
    """Lane, start, end, name, time filled and number of the merged bars of one lane."""
    place = (bars.start_ns - start_ns) // bin_ns
    length = bars.end_ns - bars.start_ns
    alone = length > bin_ns
    parted = (place[1:] != place[:-1]) | alone[1:] | alone[:-1]
    first = np.flatnonzero(np.append(True, parted))
    bits = (int(bars.name.max()) + 1).bit_length()
    longest = np.maximum.reduceat((length << bits) | (bars.name + np.int64(1)), first)
    return (
        bars.lane[first],
        bars.start_ns[first],
        np.maximum.reduceat(bars.end_ns, first),
        (longest & ((1 << bits) - 1)) - 1,
        np.add.reduceat(length, first),
        np.diff(np.append(first, len(bars))),
    )


def _distinct(values: Array) -> Array:
    """The different values in rising order."""
    values = np.sort(values)
    distinct: Array = values[np.append(True, values[1:] != values[:-1])[: len(values)]]
    return distinct
