"""Tasks of one rank and what they wait for: what a replay of the job needs of the rank."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.jobs.host_waits import host_edges
from lanescope.trace.numbering import find
from lanescope.trace.schema import MISSING32
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace

_PARTIAL = {"event"}
"""Kinds of edge that tell some of what a task waits for, but not all."""


@dataclass(frozen=True, slots=True, eq=False)
class RankTasks:
    """Rows of tasks that ran, by lane and start. Times are the trace's own."""

    functions: tuple[tuple[str, str], ...]
    """Name and work of each function; empty where the trace does not tell it."""
    task: Array
    lane: Array
    function: Array
    """Place in `functions`."""
    start: Array
    end: Array
    before: Array
    after: Array
    """Edges, as places in these columns: `after[i]` waits for `before[i]`."""
    ordered: bool
    """Whether the edges tell all that a task waits for."""


def rank_tasks(trace: Trace) -> RankTasks:
    """The tasks of one rank; what lies inside another task of its lane is a part of that one."""
    tasks = trace.tasks
    outer = trace.ran() & ((tasks["depth"] == MISSING32) | (tasks["depth"] == 0))
    rows = np.flatnonzero(outer)
    start, end, lane = (tasks[name][rows] for name in ("start_ns", "end_ns", "core"))
    order = np.lexsort((end, start, lane))
    rows = rows[order]
    task = tasks["task"][rows]
    before, after = _edges(trace, task, end[order])
    functions, function = _functions(trace, tasks["func"][rows])
    return RankTasks(
        functions=functions,
        task=task,
        lane=lane[order],
        function=function,
        start=start[order],
        end=end[order],
        before=before,
        after=after,
        ordered=_is_ordered(trace),
    )


def _functions(trace: Trace, func: Array) -> tuple[tuple[tuple[str, str], ...], Array]:
    table = trace.functions
    known = list(zip(table.text("name"), table.text("work"), strict=True))
    # -1, for a function that is not in the table, is the last place.
    return (*known, ("", "")), find(table["func"], func) % (len(known) + 1)


def _edges(trace: Trace, task: Array, end: Array) -> tuple[Array, Array]:
    """Places of the rows before and after.

    Of a task with several rows the one that ends last is waited for, and all rows wait.
    """
    by_host = host_edges(trace)
    pred = np.concatenate([trace.edges["pred"], by_host[0]])
    succ = np.concatenate([trace.edges["succ"], by_host[1]])
    by_end = np.lexsort((-end, task))
    last = find(task[by_end], pred)
    known = (last >= 0) & (find(task, succ) >= 0)
    before, after = by_end[last[known]], succ[known]
    order = np.argsort(task, kind="stable")
    low = np.searchsorted(task[order], after, side="left")
    many = np.searchsorted(task[order], after, side="right") - low
    nth_row = np.arange(int(many.sum())) - np.repeat(np.cumsum(many) - many, many)
    return np.repeat(before, many), order[np.repeat(low, many) + nth_row]


def _is_ordered(trace: Trace) -> bool:
    """Whether the edges are those of a task graph, and not only what a profiler saw of events."""
    kinds = {trace.word(code) for code in np.unique(trace.edges["kind"]).tolist()}
    return bool(kinds - _PARTIAL)
