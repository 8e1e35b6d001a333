"""The slices of every kind, sorted by lane and start: what is drawn, and what is known of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from lanescope.trace import MISSING, Table, Trace
from lanescope.trace.table import Array
from lanescope.viewer.counted import task_counters
from lanescope.viewer.lanes import Lanes

_PHASE_COLUMNS = ("loop", "tasks", "pop_hit", "pop_miss", "submit", "bytes")


@dataclass(frozen=True, slots=True, eq=False)
class Slices:
    """Slices of one kind; `name` points into the functions (tasks) or the words (all others)."""

    lane: Array
    start_ns: Array
    end_ns: Array
    name: Array
    more: dict[str, Array]
    """What else is known of each slice."""

    def rows(self, index: Array) -> Slices:
        more = {name: values[index] for name, values in self.more.items()}
        return Slices(
            self.lane[index], self.start_ns[index], self.end_ns[index], self.name[index], more
        )

    def __len__(self) -> int:
        return len(self.lane)


def all_slices(
    trace: Trace, lanes: Lanes, waits: Mapping[str, Array], critical: Array | None = None
) -> dict[str, Slices]:
    """Tasks, phases, marks and stalls; `waits` are columns over the task table, `critical` rows of
    it to highlight."""
    tasks = _tasks(trace, lanes, waits)
    if critical is not None:
        tasks.more["critical"] = np.isin(tasks.more["row"], critical).astype(np.int64)
    return {
        "tasks": _ordered(tasks),
        "phases": _ordered(_phases(trace, lanes)),
        "marks": _ordered(_marks(trace, lanes)),
        "stalls": _ordered(_stalls(trace, lanes)),
    }


def _tasks(trace: Trace, lanes: Lanes, waits: Mapping[str, Array]) -> Slices:
    row = np.flatnonzero(trace.ran())
    table = trace.tasks if len(row) == len(trace.tasks) else trace.tasks.rows(row)
    start, end = table["start_ns"], table["end_ns"]
    more = {
        "row": row,
        **halves("task", table["task"]),
        "token": table["token"],
        "dispatch": _between(table["dispatch_ns"], start),
        "receive": _between(table["receive_ns"], start),
        "finish": _between(end, table["finish_ns"]),
        "flags": table["flags"],
        **{name: values[row] for name, values in waits.items()},
    }
    if (table["block"] > 0).any():
        more |= {"block": table["block"], "blocks": table["blocks"]}
    more |= {name: values[row] for name, values in task_counters(trace).items()}
    core = lanes.of_core(table)
    return Slices(core, start, end, function_places(trace, table["func"]), more)


def function_places(trace: Trace, func: Array) -> Array:
    """Position of each function in the functions table; after its end where it is not there."""
    known = trace.functions["func"]
    if not len(known):
        return np.zeros(len(func), np.int64)
    order = np.argsort(known, kind="stable")
    at = order[np.minimum(np.searchsorted(known, func, sorter=order), len(known) - 1)]
    return np.where(known[at] == func, at, len(known))


def _phases(trace: Trace, lanes: Lanes) -> Slices:
    table = _timed(trace.phases)
    missing = {column.name: column.missing for column in table.schema.columns}
    known = [name for name in _PHASE_COLUMNS if (table[name] != missing[name]).any()]
    more = {name: table[name] for name in known}
    more |= halves("task", table["task"])
    return _of(table, lanes.of_controller(table), table["kind"], more)


def _marks(trace: Trace, lanes: Lanes) -> Slices:
    """A mark without an end is an instant."""
    table = trace.marks.rows(trace.marks["start_ns"] != MISSING)
    table = table.replace(end_ns=np.maximum(table["start_ns"], table["end_ns"]))
    more = {"mark": table["mark"], **halves("task", table["task"])}
    return _of(table, lanes.of_pipe(table), table["name"], more)


def _stalls(trace: Trace, lanes: Lanes) -> Slices:
    table = _timed(trace.stalls)
    of_core = table["lane"] == trace.code("core")
    lane = np.where(of_core, lanes.of_core(table), lanes.of_controller(table))
    return _of(table, lane, table["cause"], {"records": table["records"]})


def _of(table: Table, lane: Array, name: Array, more: dict[str, Array]) -> Slices:
    start, end = table["start_ns"], table["end_ns"]
    return Slices(lane, start, np.maximum(start, end), name, more)


def _timed(table: Table) -> Table:
    known = (table["start_ns"] != MISSING) & (table["end_ns"] != MISSING)
    return table if known.all() else table.rows(known)


def _ordered(slices: Slices) -> Slices:
    lane, start, end = slices.lane, slices.start_ns, slices.end_ns
    same = lane[1:] == lane[:-1]
    later = (start[1:] > start[:-1]) | ((start[1:] == start[:-1]) & (end[1:] <= end[:-1]))
    if ((lane[1:] > lane[:-1]) | (same & later)).all():
        return slices
    return slices.rows(np.lexsort((-end, start, lane)))


def _between(first: Array, second: Array) -> Array:
    known = (first != MISSING) & (second != MISSING)
    return np.where(known, second - np.where(known, first, 0), MISSING)


def halves(name: str, ids: Array) -> dict[str, Array]:
    """64-bit ids as two columns: a browser's numbers are exact to 2^53 only."""
    known = ids != MISSING
    if not known.any():
        return {}
    high = np.where(known, ids >> 32, MISSING)
    low = np.where(known, ids & 0xFFFFFFFF, MISSING)
    return {f"{name}_high": high, f"{name}_low": low}
