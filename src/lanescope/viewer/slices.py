"""The slices of every kind, lane by lane in order of start: what is drawn and known of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from lanescope.analyze.cores.gaps import Intervals
from lanescope.trace import MISSING, Table, Trace
from lanescope.trace.lanes import Lanes, stalls_of_cores
from lanescope.trace.numbering import different, replaced
from lanescope.trace.table import Array
from lanescope.viewer.counted import task_counters
from lanescope.viewer.waits import Waits

_PHASE_COLUMNS = ("loop", "tasks", "pop_hit", "pop_miss", "submit", "bytes")


Details = Callable[[Array], dict[str, Array]]


@dataclass(frozen=True, slots=True, eq=False)
class Slices:
    """Slices of one kind; `name` points into the functions (tasks) or the words (all others)."""

    lane: Array
    start_ns: Array
    end_ns: Array
    name: Array
    row: Array
    """Of each slice, its row in the trace's table."""
    details: Details
    """From rows of the table to what else is known of them, by column."""

    @property
    def more(self) -> dict[str, Array]:
        """What else is known of each slice; found anew every time."""
        return self.details(self.row)

    def rows(self, index: Array) -> Slices:
        return self._with(lambda column: column[index])

    def rows_between(self, first: int, last: int) -> Slices:
        """Neighbours, without a copy."""
        return self._with(lambda column: column[first:last])

    def _with(self, taken: Callable[[Array], Array]) -> Slices:
        return Slices(
            taken(self.lane),
            taken(self.start_ns),
            taken(self.end_ns),
            taken(self.name),
            taken(self.row),
            self.details,
        )

    def __len__(self) -> int:
        return len(self.lane)


def all_slices(
    trace: Trace, lanes: Lanes, waits: Waits, *, critical: Array | None = None
) -> dict[str, Slices]:
    """Tasks, phases, marks, stalls and lost time; `critical` are rows of the task table to
    highlight."""
    return {
        "tasks": _ordered(_tasks(trace, lanes, _task_details(trace, waits.columns, critical))),
        "phases": _ordered(_phases(trace, lanes)),
        "marks": _ordered(_marks(trace, lanes)),
        "stalls": _ordered(_stalls(trace, lanes)),
        "lost": _ordered(_lost(trace, lanes, waits.lost)),
    }


def _tasks(trace: Trace, lanes: Lanes, details: Details) -> Slices:
    table, row = trace.tasks, _known_rows(trace.ran())
    return Slices(
        lanes.of_core(_picked(table["core"], row)),
        _picked(table["start_ns"], row),
        _picked(table["end_ns"], row),
        function_places(trace, _picked(table["func"], row)),
        row,
        details,
    )


def _task_details(trace: Trace, waits: Mapping[str, Array], critical: Array | None) -> Details:
    over_rows = {**waits, **task_counters(trace)}
    has_blocks = bool((trace.tasks["block"] > 0).any())

    def details(row: Array) -> dict[str, Array]:
        table = trace.tasks
        start, end = table["start_ns"][row], table["end_ns"][row]
        more = {
            "row": row.astype(np.int64),
            **halves("task", table["task"][row]),
            "token": table["token"][row],
            "dispatch": _between(table["dispatch_ns"][row], start),
            "receive": _between(table["receive_ns"][row], start),
            "finish": _between(end, table["finish_ns"][row]),
            "flags": table["flags"][row],
            **{name: values[row] for name, values in over_rows.items()},
        }
        if has_blocks:
            more |= {name: table[name][row] for name in ("block", "blocks")}
        if critical is not None:
            more["critical"] = np.isin(row, critical).astype(np.int64)
        return more

    return details


def _known_rows(known: Array) -> Array:
    """Numbers of the rows, as narrow as they fit."""
    narrow = np.int32 if len(known) < 1 << 31 else np.int64
    return (
        np.arange(len(known), dtype=narrow) if known.all() else np.flatnonzero(known).astype(narrow)
    )


def _picked(column: Array, row: Array) -> Array:
    """The column itself where all rows are wanted."""
    return column if len(row) == len(column) else column[row]


def function_places(trace: Trace, func: Array) -> Array:
    """Position of each function in the functions table; after its end where it is not there."""
    known = trace.functions["func"]
    if not len(known):
        return np.zeros(len(func), np.int32)
    order = np.argsort(known, kind="stable")
    used = different(func)
    at = order[np.minimum(np.searchsorted(known, used, sorter=order), len(known) - 1)]
    place = np.where(known[at] == used, at, len(known)).astype(np.int32)
    return replaced(func, used, place)


def _phases(trace: Trace, lanes: Lanes) -> Slices:
    table = trace.phases

    def details(row: Array) -> dict[str, Array]:
        more = {name: table[name][row] for name in _PHASE_COLUMNS}
        return more | halves("task", table["task"][row])

    row = _timed(table)
    return _of(
        table,
        row,
        (lanes.of_controller(table["lane"], table["controller"]), table["kind"]),
        details,
    )


def _marks(trace: Trace, lanes: Lanes) -> Slices:
    """A mark without an end is an instant."""
    table = trace.marks

    def details(row: Array) -> dict[str, Array]:
        return {"mark": table["mark"][row], **halves("task", table["task"][row])}

    row = _known_rows(table["start_ns"] != MISSING)
    return _of(table, row, (lanes.of_pipe(table["core"], table["pipe"]), table["name"]), details)


def _stalls(trace: Trace, lanes: Lanes) -> Slices:
    table = trace.stalls
    lane = np.where(
        stalls_of_cores(trace),
        lanes.of_core(table["core"]),
        lanes.of_controller(table["lane"], table["controller"]),
    )
    columns = lane, table["cause"]
    return _of(table, _timed(table), columns, lambda row: {"records": table["records"][row]})


def _lost(trace: Trace, lanes: Lanes, lost: Intervals | None) -> Slices:
    """Time in which a core's records may be missing."""
    none = np.zeros(0, np.int64)
    found = Intervals(none, none, none) if lost is None else lost
    wide = found.end > found.start
    core, start, end = found.core[wide], found.start[wide], found.end[wide]
    lane = lanes.of_core(core.astype(np.int32))
    rows = np.arange(len(core))
    return Slices(lane, start, end, np.zeros(len(core), np.int32), rows, lambda row: {})


def _of(table: Table, row: Array, columns: tuple[Array, Array], details: Details) -> Slices:
    """Slices of these rows; `columns` are lane and name. None ends before it starts."""
    lane, name = (_picked(column, row) for column in columns)
    start, end = _picked(table["start_ns"], row), _picked(table["end_ns"], row)
    if (end < start).any():
        end = np.maximum(start, end)
    return Slices(lane, start, end, name, row, details)


def _timed(table: Table) -> Array:
    return _known_rows((table["start_ns"] != MISSING) & (table["end_ns"] != MISSING))


def _ordered(slices: Slices) -> Slices:
    """Every lane in one piece, and in order of time; the pieces stay as the table has them."""
    lane, start, end = slices.lane, slices.start_ns, slices.end_ns
    same = lane[1:] == lane[:-1]
    later = (start[1:] > start[:-1]) | ((start[1:] == start[:-1]) & (end[1:] <= end[:-1]))
    if ((lane[1:] > lane[:-1]) | (same & later)).all():
        return slices
    blocks = 1 + int(np.count_nonzero(~same))
    if (~same | later).all() and blocks == len(different(lane)):
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
