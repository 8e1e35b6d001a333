"""The bars of a trace by kind, lane by lane in order of their start, with what is known of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from lanescope.analyze.cores.gaps import Intervals
from lanescope.analyze.graph.path_bars import PathBars
from lanescope.trace import MISSING, Table, Trace
from lanescope.trace.lanes import Lanes, stalls_of_cores
from lanescope.trace.numbering import different, replaced
from lanescope.trace.table import Array
from lanescope.trace.trace_ids import source_ids
from lanescope.viewer.counted import task_counters
from lanescope.viewer.waits import Waits

_PHASE_COLUMNS = ("loop", "tasks", "pop_hit", "pop_miss", "submit", "bytes")

Details = Callable[[Array], dict[str, Array]]
"""From rows of a table to what else is known of them, by name of the column."""


@dataclass(frozen=True, slots=True, eq=False)
class PageBars:
    """The bars of one kind: tasks, phases, marks, stalls or lost time."""

    lane: Array
    start_ns: Array
    end_ns: Array
    name: Array
    """Of a task the place of its function in the functions table, of others the code of a word."""
    row: Array
    """The row of each bar in the trace's table."""
    details: Details

    @property
    def more(self) -> dict[str, Array]:
        """What else is known of each bar, by name of the column; made anew by every call."""
        return self.details(self.row)

    def rows(self, index: Array) -> PageBars:
        """The bars of a mask or of an index array."""
        return self._with(lambda column: column[index])

    def rows_between(self, first: int, last: int) -> PageBars:
        """The bars from `first` up to but not `last`; no column is copied."""
        return self._with(lambda column: column[first:last])

    def _with(self, taken: Callable[[Array], Array]) -> PageBars:
        return PageBars(
            taken(self.lane),
            taken(self.start_ns),
            taken(self.end_ns),
            taken(self.name),
            taken(self.row),
            self.details,
        )

    def __len__(self) -> int:
        return len(self.lane)


def all_bars(
    trace: Trace,
    lanes: Lanes,
    waits: Waits,
    *,
    path: PathBars | None = None,
    meets: Array | None = None,
) -> dict[str, PageBars]:
    """The bars by kind.

    Tasks on the critical `path` are marked. `meets` is a column over the task table: the collective
    of a job that a task takes part in.
    """
    critical = None if path is None else path.rows
    over_rows = waits.columns if meets is None else {**waits.columns, "meets": meets}
    return {
        "tasks": _ordered(_tasks(trace, lanes, _task_details(trace, over_rows, critical))),
        "phases": _ordered(_phases(trace, lanes)),
        "marks": _ordered(_marks(trace, lanes)),
        "stalls": _ordered(_stalls(trace, lanes)),
        "lost": _ordered(_lost(trace, lanes, waits.lost)),
    }


def _tasks(trace: Trace, lanes: Lanes, details: Details) -> PageBars:
    table = trace.tasks
    columns = lanes.of_core(table["core"]), function_places(trace, table["func"])
    return _of(table, _known_rows(trace.ran()), columns, details)


def _task_details(trace: Trace, columns: Mapping[str, Array], critical: Array | None) -> Details:
    over_rows = {**columns, **task_counters(trace)}
    has_blocks = bool((trace.tasks["block"] > 0).any())

    def details(row: Array) -> dict[str, Array]:
        table = trace.tasks
        start, end = table["start_ns"][row], table["end_ns"][row]
        more = {
            "row": row.astype(np.int64),
            **halves("task", source_ids(trace, table["task"][row])),
            **_runs(trace, table["run"][row]),
            "token": table["token"][row],
            "dispatch": _between(table["dispatch_ns"][row], start),
            "receive": _between(table["receive_ns"][row], start),
            "finish": _between(end, table["finish_ns"][row]),
            "flags": table["flags"][row],
            **{name: values[row] for name, values in over_rows.items()},
        }
        if len(trace.launches):
            more["launch"] = table["launch"][row]
        if has_blocks:
            more |= {name: table[name][row] for name in ("block", "blocks")}
        if critical is not None:
            more["critical"] = np.isin(row, critical).astype(np.int64)
        return more

    return details


def _known_rows(known: Array) -> Array:
    """The numbers of the rows of a mask, of int32 where they fit."""
    narrow = np.int32 if len(known) < 1 << 31 else np.int64
    return (
        np.arange(len(known), dtype=narrow) if known.all() else np.flatnonzero(known).astype(narrow)
    )


def _picked(column: Array, row: Array) -> Array:
    """These rows of the column; the column itself where that is all of them."""
    return column if len(row) == len(column) else column[row]


def function_places(trace: Trace, func: Array) -> Array:
    """The place of each function in the functions table; its length for others."""
    known = trace.functions["func"]
    if not len(known):
        return np.zeros(len(func), np.int32)
    order = np.argsort(known, kind="stable")
    used = different(func)
    at = order[np.minimum(np.searchsorted(known, used, sorter=order), len(known) - 1)]
    place = np.where(known[at] == used, at, len(known)).astype(np.int32)
    return replaced(func, used, place)


def _phases(trace: Trace, lanes: Lanes) -> PageBars:
    table = trace.phases

    def details(row: Array) -> dict[str, Array]:
        more = {name: table[name][row] for name in _PHASE_COLUMNS}
        if len(trace.launches):
            more["launch"] = table["launch"][row]
        ids = source_ids(trace, table["task"][row])
        return more | halves("task", ids) | _runs(trace, table["run"][row])

    row = _timed(table)
    return _of(
        table,
        row,
        (lanes.of_controller(table["lane"], table["controller"]), table["kind"]),
        details,
    )


def _marks(trace: Trace, lanes: Lanes) -> PageBars:
    """A bar per mark with a start; a mark without an end is an instant."""
    table = trace.marks

    def details(row: Array) -> dict[str, Array]:
        ids = source_ids(trace, table["task"][row])
        return {"mark": table["mark"][row], **halves("task", ids)}

    row = _known_rows(table["start_ns"] != MISSING)
    return _of(table, row, (lanes.of_pipe(table["core"], table["pipe"]), table["name"]), details)


def _stalls(trace: Trace, lanes: Lanes) -> PageBars:
    table = trace.stalls
    lane = np.where(
        stalls_of_cores(trace),
        lanes.of_core(table["core"]),
        lanes.of_controller(table["lane"], table["controller"]),
    )
    columns = lane, table["cause"]
    return _of(table, _timed(table), columns, lambda row: {"records": table["records"][row]})


def _lost(trace: Trace, lanes: Lanes, lost: Intervals | None) -> PageBars:
    """Bars for the times in which records of a core may be missing."""
    none = np.zeros(0, np.int64)
    times = Intervals(none, none, none) if lost is None else lost
    wide = times.end > times.start
    core, start, end = times.core[wide], times.start[wide], times.end[wide]
    lane = lanes.of_core(core.astype(np.int32))
    rows = np.arange(len(core))
    return PageBars(lane, start, end, np.zeros(len(core), np.int32), rows, lambda row: {})


def _of(table: Table, row: Array, columns: tuple[Array, Array], details: Details) -> PageBars:
    """Bars of these rows; `columns` are lane and name. An end before its start is moved there."""
    lane, name = (_picked(column, row) for column in columns)
    start, end = _picked(table["start_ns"], row), _picked(table["end_ns"], row)
    if (end < start).any():
        end = np.maximum(start, end)
    return PageBars(lane, start, end, name, row, details)


def _timed(table: Table) -> Array:
    """The rows whose start and end are known."""
    return _known_rows((table["start_ns"] != MISSING) & (table["end_ns"] != MISSING))


def _ordered(bars: PageBars) -> PageBars:
    """The bars of each lane together and in order of time; lanes stay in the table's order."""
    lane, start, end = bars.lane, bars.start_ns, bars.end_ns
    same = lane[1:] == lane[:-1]
    later = (start[1:] > start[:-1]) | ((start[1:] == start[:-1]) & (end[1:] <= end[:-1]))
    if ((lane[1:] > lane[:-1]) | (same & later)).all():
        return bars
    blocks = 1 + int(np.count_nonzero(~same))
    if (~same | later).all() and blocks == len(different(lane)):
        return bars
    return bars.rows(np.lexsort((-end, start, lane)))


def _between(first: Array, second: Array) -> Array:
    """The time from `first` to `second`, MISSING where one of them is not known."""
    known = (first != MISSING) & (second != MISSING)
    return np.where(known, second - np.where(known, first, 0), MISSING)


def _runs(trace: Trace, run: Array) -> dict[str, Array]:
    """The place of each row's run in `runs`; no column for a trace of one run."""
    places = run_places(trace, run)
    return {} if places is None else {"run": places}


def run_places(trace: Trace, run: Array) -> Array | None:
    """The place of each run in `runs`, MISSING where it is not known.

    None for a trace of one run.
    """
    table = trace.runs
    if len(table) < 2:
        return None
    place = np.full(int(table["run"].max()) + 2, MISSING)
    place[table["run"]] = np.arange(len(table))
    known: Array = place[np.where(run < 0, -1, run)]
    return known


def halves(name: str, ids: Array) -> dict[str, Array]:
    """64-bit ids as two columns, because a browser's numbers are exact to 2^53 only.

    Returns no column where no id is known.
    """
    known = ids != MISSING
    if not known.any():
        return {}
    high = np.where(known, ids >> 32, MISSING)
    low = np.where(known, ids & 0xFFFFFFFF, MISSING)
    return {f"{name}_high": high, f"{name}_low": low}
