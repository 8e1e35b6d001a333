"""Slices, edges and levels as packed tables: what a page carries and what the server sends."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lanescope.trace import Trace
from lanescope.trace.numbering import numbered
from lanescope.trace.table import Array
from lanescope.viewer.columns import Column, pack
from lanescope.viewer.levels import Level
from lanescope.viewer.slices import Slices, halves

_RISING = frozenset({"start", "row", "token", "loop", "time", "high", "low", "pred"})
"""Columns whose neighbours are close to each other."""


@dataclass(frozen=True, slots=True)
class PackedTable:
    """A table; slices also say how many rows each lane has, as (lane, rows) in order."""

    rows: int
    lanes: tuple[tuple[int, int], ...]
    columns: tuple[Column, ...]

    def as_dict(self) -> dict[str, Any]:
        return {
            "rows": self.rows,
            "lanes": self.lanes,
            "columns": [column.as_dict() for column in self.columns],
        }


def slice_table(slices: Slices) -> PackedTable:
    """Slices with a lane; `start` goes from slice to slice, across lanes, too."""
    if len(slices) and slices.lane.min() < 0:
        slices = slices.rows(slices.lane >= 0)
    first = np.flatnonzero(np.append(True, slices.lane[1:] != slices.lane[:-1])[: len(slices)])
    used, counts = slices.lane[first], np.diff(np.append(first, len(slices)))
    columns = {
        "start": slices.start_ns,
        "length": slices.end_ns - slices.start_ns,
        "name": slices.name,
        **slices.more,
    }
    lanes = tuple(zip(used.tolist(), counts.tolist(), strict=True))
    return PackedTable(len(slices), lanes, pack(columns, _RISING))


def graph_tables(trace: Trace, tasks: Slices) -> tuple[Slices, dict[str, PackedTable]]:
    """Nodes and edges, and the tasks with the number of their node in place of their id."""
    columns = (trace.tasks["task"], trace.edges["pred"], trace.edges["succ"])
    ids, node = numbered(np.concatenate(columns))
    pred, succ = np.split(node[len(trace.tasks) :], 2)
    pairs = _distinct(pred * np.int64(max(len(ids), 1)) + succ)
    pred, succ = np.divmod(pairs, max(len(ids), 1))

    def details(row: Array) -> dict[str, Array]:
        known = tasks.details(row).items()
        more = {name: values for name, values in known if not name.startswith("task_")}
        return more | {"node": node[row]}

    nodes = {name.removeprefix("task_"): half for name, half in halves("task", ids).items()}
    tables = {
        "nodes": PackedTable(len(ids), (), pack(nodes, _RISING)),
        "edges": PackedTable(len(pred), (), pack({"pred": pred, "step": succ - pred}, _RISING)),
    }
    return replace(tasks, details=details), tables


def level_table(level: Level) -> PackedTable:
    columns = {"time": level.time_ns, "value": level.value}
    return PackedTable(len(level.time_ns), (), pack(columns, _RISING))


def merged(slices: Slices, start_ns: int, bin_ns: int) -> Slices:
    """Slices of one lane that start in one bin as one slice: its name is the longest one's, and
    `busy` is how much of it they fill together."""
    first = np.flatnonzero(np.append(True, slices.lane[1:] != slices.lane[:-1])[: len(slices)])
    bounds = itertools.pairwise([*first.tolist(), len(slices)])
    parts = [_merged_lane(slices.rows_between(*bound), start_ns, bin_ns) for bound in bounds]
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    if not columns:
        return slices
    lane, start, end, name, busy, count = columns
    more = {"busy": np.minimum(busy, end - start), "merged": count}
    return Slices(lane, start, end, name, np.arange(len(lane)), lambda row: _of_rows(more, row))


def _of_rows(columns: dict[str, Array], row: Array) -> dict[str, Array]:
    return {name: values[row] for name, values in columns.items()}


def _merged_lane(slices: Slices, start_ns: int, bin_ns: int) -> tuple[Array, ...]:
    """Lane, start, end, name, time filled and number of the merged slices of one lane."""
    place = (slices.start_ns - start_ns) // bin_ns
    first = np.flatnonzero(np.append(True, place[1:] != place[:-1]))
    length = slices.end_ns - slices.start_ns
    bits = (int(slices.name.max()) + 1).bit_length()
    longest = np.maximum.reduceat((length << bits) | (slices.name + np.int64(1)), first)
    return (
        slices.lane[first],
        slices.start_ns[first],
        np.maximum.reduceat(slices.end_ns, first),
        (longest & ((1 << bits) - 1)) - 1,
        np.add.reduceat(length, first),
        np.diff(np.append(first, len(slices))),
    )


def _distinct(values: Array) -> Array:
    values = np.sort(values)
    found: Array = values[np.append(True, values[1:] != values[:-1])[: len(values)]]
    return found
