"""Runs whose five times are all recorded, and the controller that serves each run's core.

Calibration reads its costs from these rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lanescope.trace.numbering import different, numbered
from lanescope.trace.schema import MISSING, MISSING32, TaskFlag
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace

PS = 1000
"""Picoseconds in a nanosecond."""
_TRIM = 0.05
"""A trimmed mean drops this part of the values at either end."""


class RangePs(NamedTuple):
    """The lowest and the highest value that a time in picoseconds may have."""

    low: int
    high: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ServedRuns:
    """One entry per run on a core, sorted by core and start. Times are ns from the trace's base."""

    rows: Array
    """The row in the trace's `tasks`."""
    core: Array
    controller: Array
    """The controller that serves the core; 0 where the trace does not say."""
    dispatch_ns: Array
    receive_ns: Array
    """The start where no receive is recorded."""
    start_ns: Array
    end_ns: Array
    finish_ns: Array
    awaits_engine: Array
    """Whether an engine beside the core goes on with the task after its end."""
    stalled: Array
    """Whether the core waited for a recording buffer between the run before and this one."""
    tick_ns: float
    """The step of the clock that the times were read from."""


def served_runs(trace: Trace) -> ServedRuns:
    """The runs of a trace that have a core, a dispatch, a start, an end and a finish."""
    tasks, cores = trace.tasks, trace.cores
    known = trace.ran() & (tasks["core"] >= 0)
    for name in ("dispatch_ns", "finish_ns"):
        known &= tasks[name] != MISSING
    rows = np.flatnonzero(known)
    core = tasks["core"][rows].astype(np.int64)
    rows = rows[np.lexsort((tasks["start_ns"][rows], core))]
    core = tasks["core"][rows].astype(np.int64)
    serving = dict(zip(cores["core"].tolist(), cores["controller"].tolist(), strict=True))
    used, place = numbered(core)
    controller = np.array([max(serving.get(c, 0), 0) for c in used.tolist()], np.int64)[place]
    start, receive = tasks["start_ns"][rows], tasks["receive_ns"][rows]
    receive = np.where(receive == MISSING, start, receive)
    flags = tasks["flags"][rows]
    return ServedRuns(
        rows=rows,
        core=core,
        controller=controller,
        dispatch_ns=tasks["dispatch_ns"][rows],
        receive_ns=receive,
        start_ns=start,
        end_ns=tasks["end_ns"][rows],
        finish_ns=tasks["finish_ns"][rows],
        awaits_engine=flags & (MISSING32 | TaskFlag.AWAITS_ENGINE) == TaskFlag.AWAITS_ENGINE,
        stalled=_stalled(trace, core, tasks["end_ns"][rows], receive_ns=receive),
        tick_ns=tick_ns(trace),
    )


def _stalled(trace: Trace, core: Array, end_ns: Array, *, receive_ns: Array) -> Array:
    """Whether a wait of its core began between the end of the run before and each receive."""
    stalls = trace.stalls
    stalled = np.zeros(len(core), bool)
    for number in different(stalls["core"][stalls["lane"] == trace.code("core")]).tolist():
        mine = np.flatnonzero(core == number)
        waits = np.sort(stalls["start_ns"][stalls["core"] == number])
        before = np.append(MISSING, end_ns[mine][:-1]) - 1
        stalled[mine] = np.searchsorted(waits, receive_ns[mine]) > np.searchsorted(waits, before)
    return stalled


def tick_ns(trace: Trace) -> float:
    """The step between two readings of the device's counter in ns, and at least 1 ns: times are
    whole nanoseconds."""
    clock_hz = trace.meta.clock_hz
    return max(1e9 / clock_hz, 1.0) if clock_hz else 1.0


def trimmed_mean(values_ns: Array, tick_ns: float) -> float:
    """Trimmed mean in nanoseconds. Returns 0.0 for an empty array.

    It drops the lowest and the highest 5 % of the values, but keeps those that are within one tick
    of the rest: a tick cuts off a part of every value, and the mean of all of them has it back.
    """
    if not len(values_ns):
        return 0.0
    ordered = np.sort(values_ns)
    cut = int(len(ordered) * _TRIM)
    low, high = ordered[cut] - tick_ns, ordered[len(ordered) - cut - 1] + tick_ns
    return float(ordered[(ordered >= low) & (ordered <= high)].mean())


def in_ps(ns: float) -> int:
    """Nanoseconds as whole picoseconds; a negative time becomes 0."""
    return max(round(ns * PS), 0)


def cores_holding(runs: ServedRuns, controller: int, moments_ns: Array) -> Array:
    """How many cores of a controller hold a task at each moment.

    A core holds a task from its dispatch to its finish.
    """
    mine = np.flatnonzero(runs.controller == controller)
    core, begin, until = runs.core[mine], runs.dispatch_ns[mine], runs.finish_ns[mine]
    # On a core that is given tasks in advance, the next hold begins where the last one ends.
    same = core[1:] == core[:-1]
    begin = begin.copy()
    begin[1:] = np.where(same, np.maximum(begin[1:], until[:-1]), begin[1:])
    wide = until >= begin
    opened = np.searchsorted(np.sort(begin[wide]), moments_ns, side="right")
    closed = np.searchsorted(np.sort(until[wide]), moments_ns, side="right")
    return np.asarray(opened - closed)
