"""Slices, edges and levels as packed tables: what a page carries and what the server sends."""

from __future__ import annotations

from dataclasses import dataclass
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
    if len(slices) and slices.lane[0] < 0:
        slices = slices.rows(slices.lane >= 0)
    used, first = np.unique(slices.lane, return_index=True)
    counts = np.diff(np.append(first, len(slices)))
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
    more = {name: v for name, v in tasks.more.items() if not name.startswith("task_")}
    more["node"] = node[tasks.more["row"]]
    nodes = {name.removeprefix("task_"): half for name, half in halves("task", ids).items()}
    tables = {
        "nodes": PackedTable(len(ids), (), pack(nodes, _RISING)),
        "edges": PackedTable(len(pred), (), pack({"pred": pred, "step": succ - pred}, _RISING)),
    }
    return Slices(tasks.lane, tasks.start_ns, tasks.end_ns, tasks.name, more), tables


def level_table(level: Level) -> PackedTable:
    columns = {"time": level.time_ns, "value": level.value}
    return PackedTable(len(level.time_ns), (), pack(columns, _RISING))


def merged(slices: Slices, start_ns: int, bin_ns: int) -> Slices:
    """Slices of one lane that start in one bin as one slice: its name is the longest one's, and
    `busy` is how much of it they fill together."""
    if not len(slices):
        return Slices(slices.lane, slices.start_ns, slices.end_ns, slices.name, {})
    place = (slices.start_ns - start_ns) // bin_ns
    changed = (place[1:] != place[:-1]) | (slices.lane[1:] != slices.lane[:-1])
    first = np.flatnonzero(np.append(True, changed))
    length = slices.end_ns - slices.start_ns
    busy = np.add.reduceat(length, first)
    bits = (int(slices.name.max()) + 1).bit_length()
    longest = np.maximum.reduceat((length << bits) | (slices.name + np.int64(1)), first)
    name = (longest & ((1 << bits) - 1)) - 1
    start = slices.start_ns[first]
    end = np.maximum.reduceat(slices.end_ns, first)
    count = np.diff(np.append(first, len(slices)))
    more = {"busy": np.minimum(busy, end - start), "merged": count}
    return Slices(slices.lane[first], start, end, name, more)


def _distinct(values: Array) -> Array:
    values = np.sort(values)
    found: Array = values[np.append(True, values[1:] != values[:-1])[: len(values)]]
    return found
