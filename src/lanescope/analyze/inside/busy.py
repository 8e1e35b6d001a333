"""How long each pipe worked in each task. The questions about pipes start from this.

Only time between a task's start and its end counts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.analyze.columns.core_kinds import UNKNOWN, core_kinds
from lanescope.analyze.columns.union import covered_ns
from lanescope.render.cells import many_text
from lanescope.trace.join import TaskKey, places
from lanescope.trace.numbering import numbered
from lanescope.trace.pipes import BUSY, COMPUTE_PIPES, LOAD_PIPES, UNITS
from lanescope.trace.schema import MISSING, MISSING32
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace


@dataclass(frozen=True, slots=True, eq=False)
class TaskPipes:
    """What the pipes did in each task: one entry per task row that has busy intervals."""

    row: Array
    """The task row."""
    length_ns: Array
    """Time from its start to its end."""
    busy_ns: dict[str, Array]
    """By pipe: time in which the pipe worked."""
    load_ns: Array
    """Time in which a load pipe worked."""
    overlap_ns: Array
    """Time in which a load pipe and a compute pipe worked at once."""
    bubble_ns: Array
    """Time in which no pipe worked."""

    def __repr__(self) -> str:
        return f"<TaskPipes: {many_text(len(self.row), 'task')}>"


@dataclass(frozen=True, slots=True, eq=False)
class _Intervals:
    """Busy intervals of pipes, cut to their tasks."""

    rows: Array
    """Task rows that have busy intervals."""
    task: Array
    """Per interval: the place of its task in `rows`."""
    pipe: Array
    """Per interval: the place of its pipe in UNITS."""
    start: Array
    end: Array

    def covered(self, pipes: tuple[str, ...]) -> Array:
        """Per task row: nanoseconds in which at least one of these pipes worked."""
        mine = np.isin(self.pipe, [UNITS.index(pipe) for pipe in pipes])
        times = self.start[mine], self.end[mine]
        return covered_ns(self.task[mine], *times, groups=len(self.rows))


def task_pipes(trace: Trace) -> TaskPipes:
    """What the pipes did in every task that has busy intervals."""
    intervals = _intervals(trace)
    row = intervals.rows
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
    """Mask of the marks that are a busy interval of a pipe with start and end."""
    marks = trace.marks
    mask: Array = (marks["name"] == trace.code(BUSY)) & (marks["start_ns"] != MISSING)
    mask &= marks["end_ns"] != MISSING
    mask &= np.isin(marks["pipe"], [trace.code(pipe) for pipe in UNITS])
    return mask


def kinds_of(trace: Trace, cores: Array) -> tuple[Array, list[str]]:
    """Per entry of a column of core ids: the number of the core's kind; and the kinds' names."""
    kinds = core_kinds(trace)
    names = list(dict.fromkeys([*kinds.values(), UNKNOWN]))
    used, place = numbered(cores)
    codes = [names.index(kinds.get(core, UNKNOWN)) for core in used.tolist()]
    return np.array(codes, np.int64)[place], names


def _intervals(trace: Trace) -> _Intervals:
    """The busy intervals whose core and token are those of a task that ran."""
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
    return _Intervals(row, task, place[marks["pipe"][mine]], start, end)


def _find_rows(trace: Trace, core: Array, token: Array) -> Array:
    """Per pair of core and token: the task row that ran with it; -1 where there is none."""
    tasks = trace.tasks
    known = trace.ran() & (tasks["core"] != MISSING32) & (tasks["token"] != MISSING)
    rows = np.flatnonzero(known)
    at = places(TaskKey.of(tasks).rows(rows), TaskKey(core, token))
    found: Array = np.append(rows, -1)[at]
    return found
