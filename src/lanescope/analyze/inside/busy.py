"""How long each pipe worked in each task: what the questions about pipes stand on.

A task is measured from its start to its end; busy intervals are cut to that.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.analyze.columns.core_kinds import UNKNOWN, core_kinds
from lanescope.analyze.columns.union import covered_ns
from lanescope.trace.join import key
from lanescope.trace.numbering import numbered
from lanescope.trace.pipes import BUSY, COMPUTE_PIPES, LOAD_PIPES, UNITS
from lanescope.trace.schema import MISSING, MISSING32
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace


@dataclass(frozen=True, slots=True, eq=False)
class TaskPipes:
    """One entry per task row that has busy intervals."""

    row: Array
    length_ns: Array
    busy_ns: dict[str, Array]
    """Per pipe."""
    load_ns: Array
    overlap_ns: Array
    """Time in which a load pipe and a compute pipe worked."""
    bubble_ns: Array
    """Time in which no pipe worked."""


@dataclass(frozen=True, slots=True, eq=False)
class _Intervals:
    """Busy intervals of tasks: place of the task, place of the pipe, and times."""

    task: Array
    pipe: Array
    start: Array
    end: Array
    tasks: int

    def covered(self, pipes: tuple[str, ...]) -> Array:
        """Per task, how long at least one of these pipes worked."""
        mine = np.isin(self.pipe, [UNITS.index(pipe) for pipe in pipes])
        return covered_ns(self.task[mine], self.start[mine], self.end[mine], groups=self.tasks)


def task_pipes(trace: Trace) -> TaskPipes:
    """Busy, overlapping and empty time of every task that pipes are known of."""
    row, intervals = _intervals(trace)
    length = trace.tasks["end_ns"][row] - trace.tasks["start_ns"][row]
    load, compute = intervals.covered(LOAD_PIPES), intervals.covered(COMPUTE_PIPES)
    return TaskPipes(
        row=row,
        length_ns=length,
        busy_ns={pipe: intervals.covered((pipe,)) for pipe in UNITS},
        load_ns=load,
        overlap_ns=load + compute - intervals.covered((*LOAD_PIPES, *COMPUTE_PIPES)),
        bubble_ns=length - intervals.covered(UNITS),
    )


def busy_rows(trace: Trace) -> Array:
    """Mask of the marks that say when a pipe worked and have both ends."""
    marks = trace.marks
    mask: Array = (marks["name"] == trace.code(BUSY)) & (marks["start_ns"] != MISSING)
    mask &= marks["end_ns"] != MISSING
    mask &= np.isin(marks["pipe"], [trace.code(pipe) for pipe in UNITS])
    return mask


def kinds_of(trace: Trace, cores: Array) -> tuple[Array, list[str]]:
    """Per core the place of its kind in a list of kinds."""
    kinds = core_kinds(trace)
    names = list(dict.fromkeys([*kinds.values(), UNKNOWN]))
    used, place = numbered(cores)
    codes = [names.index(kinds.get(core, UNKNOWN)) for core in used.tolist()]
    return np.array(codes, np.int64)[place], names


def _intervals(trace: Trace) -> tuple[Array, _Intervals]:
    """Task rows, and the intervals cut to them."""
    marks, tasks = trace.marks, trace.tasks
    mine = np.flatnonzero(busy_rows(trace) & (marks["token"] != MISSING))
    owner = _find_rows(trace, marks["core"][mine], marks["token"][mine])
    mine, owner = mine[owner >= 0], owner[owner >= 0]
    row, task = np.unique(owner, return_inverse=True)
    start = np.maximum(marks["start_ns"][mine], tasks["start_ns"][owner])
    end = np.minimum(marks["end_ns"][mine], tasks["end_ns"][owner])
    place = np.zeros(max(len(trace.words), 1), np.int8)
    for number, pipe in enumerate(UNITS):
        if pipe in trace.words:
            place[trace.code(pipe)] = number
    return row, _Intervals(task, place[marks["pipe"][mine]], start, end, len(row))


def _find_rows(trace: Trace, core: Array, token: Array) -> Array:
    """The task row that ran with this token on this core, or -1."""
    tasks = trace.tasks
    known = trace.ran() & (tasks["core"] != MISSING32) & (tasks["token"] != MISSING)
    rows = np.flatnonzero(known)
    if not len(rows) or not len(core):
        return np.full(len(core), -1)
    keys = key(tasks["core"][rows], tasks["token"][rows])
    order = np.argsort(keys, kind="stable")
    wanted = key(core, token)
    at = np.minimum(np.searchsorted(keys[order], wanted), len(rows) - 1)
    found = order[at]
    return np.where(keys[found] == wanted, rows[found], -1)
