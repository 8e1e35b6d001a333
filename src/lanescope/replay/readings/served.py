"""Runs with all their times, and the controllers that serve their cores: what calibration reads."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.analyze.graph.nodes import distinct_codes
from lanescope.trace.schema import MISSING, MISSING32, TaskFlag
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace

PS = 1000
"""Picoseconds in a nanosecond."""
_TRIM = 0.05
"""A mean leaves out this part at either end."""


@dataclass(frozen=True, slots=True, eq=False)
class ServedRuns:
    """Runs with all times, and the controller that serves their core."""

    core: Array
    controller: Array
    dispatch: Array
    receive: Array
    start: Array
    end: Array
    finish: Array
    awaits: Array
    """Whether an engine beside the core goes on with it."""
    stalled: Array
    """Whether the core waited for a recording buffer between the run before and this one."""
    tick_ns: float


def served_runs(trace: Trace) -> ServedRuns:
    tasks, cores = trace.tasks, trace.cores
    known = trace.ran() & (tasks["core"] >= 0)
    for name in ("dispatch_ns", "finish_ns"):
        known &= tasks[name] != MISSING
    rows = np.flatnonzero(known)
    core = tasks["core"][rows].astype(np.int64)
    rows = rows[np.lexsort((tasks["start_ns"][rows], core))]
    core = tasks["core"][rows].astype(np.int64)
    serving = dict(zip(cores["core"].tolist(), cores["controller"].tolist(), strict=True))
    used, place = distinct_codes(core)
    controller = np.array([max(serving.get(c, 0), 0) for c in used.tolist()], np.int64)[place]
    start, receive = tasks["start_ns"][rows], tasks["receive_ns"][rows]
    receive = np.where(receive == MISSING, start, receive)
    return ServedRuns(
        core,
        controller,
        tasks["dispatch_ns"][rows],
        receive,
        start,
        tasks["end_ns"][rows],
        tasks["finish_ns"][rows],
        tasks["flags"][rows] & (MISSING32 | TaskFlag.AWAITS_ENGINE) == TaskFlag.AWAITS_ENGINE,
        _stalled(trace, core, tasks["end_ns"][rows], receive),
        tick_ns(trace),
    )


def _stalled(trace: Trace, core: Array, end: Array, receive: Array) -> Array:
    stalls = trace.stalls
    found = np.zeros(len(core), bool)
    for number in np.unique(stalls["core"][stalls["lane"] == trace.code("core")]).tolist():
        mine = np.flatnonzero(core == number)
        waits = np.sort(stalls["start_ns"][stalls["core"] == number])
        before = np.append(MISSING, end[mine][:-1]) - 1
        found[mine] = np.searchsorted(waits, receive[mine]) > np.searchsorted(waits, before)
    return found


def tick_ns(trace: Trace) -> float:
    """How far apart two stamps are that differ at all; times are whole nanoseconds in any case."""
    clock_hz = trace.meta.clock_hz
    return max(1e9 / clock_hz, 1.0) if clock_hz else 1.0


def mean(values: Array, tick_ns: float) -> float:
    """Of the middle and what is no more than a tick away from it: the share of values that a tick
    cut off tells the rest of it. 0 of nothing."""
    if not len(values):
        return 0.0
    ordered = np.sort(values)
    cut = int(len(ordered) * _TRIM)
    low, high = ordered[cut] - tick_ns, ordered[len(ordered) - cut - 1] + tick_ns
    return float(ordered[(ordered >= low) & (ordered <= high)].mean())


def in_ps(ns: float) -> int:
    return max(round(ns * PS), 0)


def cores_holding(rows: ServedRuns, controller: int, moments: Array) -> Array:
    """How many cores of a controller hold a task then: dispatched, not seen to have ended."""
    mine = np.flatnonzero(rows.controller == controller)
    core, begin, until = rows.core[mine], rows.dispatch[mine], rows.finish[mine]
    # On a core that is given tasks in advance, the next hold begins where the last one ends.
    same = core[1:] == core[:-1]
    begin = begin.copy()
    begin[1:] = np.where(same, np.maximum(begin[1:], until[:-1]), begin[1:])
    wide = until >= begin
    opened = np.searchsorted(np.sort(begin[wide]), moments, side="right")
    closed = np.searchsorted(np.sort(until[wide]), moments, side="right")
    return np.asarray(opened - closed)
