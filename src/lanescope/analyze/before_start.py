"""What each task's core waited for before the task started, as far as its own records tell.

The idle time between the previous task's end on the core (or the window's start) and this task's
start is cut at two moments: when the last predecessor finished, and when the task was dispatched.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.analyze.makespan import Span, makespan
from lanescope.trace.numbering import numbered, places
from lanescope.trace.schema import MISSING
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace

REASONS = ("data", "scheduler", "switch", "unknown")


@dataclass(frozen=True, slots=True, eq=False)
class BeforeStart:
    """Columns over the task rows that ran, ordered by core, then start. The four add up to the
    idle time before the task."""

    row: Array
    """Row of `trace.tasks`."""
    data_ns: Array
    """A predecessor had not finished."""
    scheduler_ns: Array
    """Ready, but not dispatched."""
    switch_ns: Array
    """Dispatched, but not started."""
    unknown_ns: Array
    """No dispatch time, or no known finish of any predecessor, or no edges at all."""

    def columns(self) -> dict[str, Array]:
        return {reason: getattr(self, f"{reason}_ns") for reason in REASONS}


def before_start(trace: Trace) -> BeforeStart:
    """Predecessors count by their finish, or their end where no controller saw it."""
    tasks = trace.tasks
    row = _by_core_and_start(trace)
    start, dispatch = tasks["start_ns"][row], tasks["dispatch_ns"][row]
    window = makespan(trace).window or Span(0, 0)
    free = np.minimum(_free_from(trace, row, window), start)
    ready = ready_ns(trace, window)[row]
    is_ready, is_dispatched = ready != MISSING, dispatch != MISSING
    sent = np.where(is_dispatched, np.clip(dispatch, free, start), start)
    came = np.where(is_ready, np.clip(ready, free, sent), free)
    queued = sent - came
    blamed = is_ready & is_dispatched
    return BeforeStart(
        row=row,
        data_ns=came - free,
        scheduler_ns=np.where(blamed, queued, 0),
        switch_ns=start - sent,
        unknown_ns=np.where(blamed, 0, queued),
    )


def ready_ns(trace: Trace, window: Span) -> Array:
    """Per task row: when its last predecessor was done; MISSING where that is not known.

    A task without predecessors is ready from the first moment of the window.
    """
    tasks, edges = trace.tasks, trace.edges
    if not len(edges):
        return np.full(len(tasks), MISSING)
    ids, node = numbered(tasks["task"])
    done = np.full(len(ids), MISSING)
    finish = np.where(tasks["finish_ns"] != MISSING, tasks["finish_ns"], tasks["end_ns"])
    np.maximum.at(done, node, finish)
    pred, succ = places(ids, edges["pred"]), places(ids, edges["succ"])
    ready = np.full(len(ids), window.start_ns)
    waits = succ >= 0
    ready[succ[waits]] = MISSING
    known = waits & (pred >= 0)
    np.maximum.at(ready, succ[known], done[pred[known]])
    found: Array = ready[node]
    return found


def _by_core_and_start(trace: Trace) -> Array:
    row = np.flatnonzero(trace.ran())
    core, start = trace.tasks["core"][row], trace.tasks["start_ns"][row]
    later = (core[1:] > core[:-1]) | ((core[1:] == core[:-1]) & (start[1:] >= start[:-1]))
    return row if later.all() else row[np.lexsort((start, core))]


def _free_from(trace: Trace, row: Array, window: Span) -> Array:
    """When the core had ended everything it ran before this row."""
    if not len(row):
        return np.zeros(0, np.int64)
    end, core = trace.tasks["end_ns"][row], trace.tasks["core"][row]
    first = np.append(True, core[1:] != core[:-1])
    span = window.length_ns + 1
    offset = (np.cumsum(first) - 1) * span
    latest = np.maximum.accumulate(end - window.start_ns + offset)
    free = np.full(len(row), window.start_ns)
    free[1:] = np.where(first[1:], window.start_ns, latest[:-1] - offset[1:] + window.start_ns)
    return free
