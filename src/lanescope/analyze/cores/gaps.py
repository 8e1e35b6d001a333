"""Times in which a core's records may be lost, and times in which recording itself stopped it."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from lanescope.analyze.cores.makespan import Span
from lanescope.trace.numbering import different
from lanescope.trace.schema import MISSING, MISSING32, TaskFlag
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace

_TOKENS = 1 << 32
"""Tokens of a core count up modulo this."""
_LANE_CORE = re.compile(r"core (\d+)\b")
"""A core's id in the name of a lane of the ledger."""


@dataclass(frozen=True, slots=True, eq=False)
class Intervals:
    """One entry per interval of time on a core; times are ns from the trace's base."""

    core: Array
    start: Array
    end: Array


def lost_intervals(trace: Trace, window: Span) -> Intervals:
    """Times in which a run may have been whose record was lost.

    They are: dispatch to finish of a task row without the core's record; between two runs of a core
    whose tokens do not follow each other; and, on a core whose ledger shows losses, the window
    before its first and after its last run.
    """
    parts = [_without_record(trace, window), _between(trace), *_around(trace, window)]
    return Intervals(
        np.concatenate([part.core for part in parts]),
        np.concatenate([part.start for part in parts]),
        np.concatenate([part.end for part in parts]),
    )


def stalled_intervals(trace: Trace) -> Intervals:
    """Times in which recording stopped a core, because it or its scheduler waited for a buffer.

    A scheduler that waits serves none of its cores, so each of them has the interval.
    """
    stalls, cores = trace.stalls, trace.cores
    timed = (stalls["start_ns"] != MISSING) & (stalls["end_ns"] != MISSING)
    own = timed & (stalls["lane"] == trace.code("core"))
    core, start, end = [stalls["core"][own]], [stalls["start_ns"][own]], [stalls["end_ns"][own]]
    theirs = np.flatnonzero(timed & (stalls["lane"] == trace.code("scheduler")))
    for controller in different(stalls["controller"][theirs]).tolist():
        served = cores["core"][(cores["controller"] == controller) & (controller >= 0)]
        rows = theirs[stalls["controller"][theirs] == controller]
        core.append(np.tile(served, len(rows)))
        start.append(np.repeat(stalls["start_ns"][rows], len(served)))
        end.append(np.repeat(stalls["end_ns"][rows], len(served)))
    return Intervals(*(np.concatenate(column).astype(np.int64) for column in (core, start, end)))


def _without_record(trace: Trace, window: Span) -> Intervals:
    """Dispatch to finish of the task rows that lack the core's record."""
    tasks = trace.tasks
    rows = np.flatnonzero((tasks["flags"] & TaskFlag.NO_CORE_RECORD != 0) & (tasks["core"] >= 0))
    dispatch, finish = tasks["dispatch_ns"][rows], tasks["finish_ns"][rows]
    return Intervals(
        tasks["core"][rows].astype(np.int64),
        np.where(dispatch != MISSING, dispatch, window.start_ns),
        np.where(finish != MISSING, finish, window.end_ns),
    )


def _between(trace: Trace) -> Intervals:
    """From run to run where the token jumps; the task table is sorted by core, run and token.

    Slices and marks count with the same tokens, so a jump says nothing on a core whose slices all
    arrived.
    """
    tasks = trace.tasks
    complete = [core for core, lossy in _lossy_cores(trace, ("slice",)).items() if not lossy]
    counted = ~np.isin(tasks["core"], complete)
    rows = np.flatnonzero(
        trace.ran() & (tasks["token"] != MISSING) & (tasks["core"] >= 0) & counted
    )
    core, token = tasks["core"][rows].astype(np.int64), tasks["token"][rows]
    jump = (core[1:] == core[:-1]) & ((token[1:] - token[:-1]) % _TOKENS > 1)
    jump &= token[1:] > token[:-1]
    jump &= tasks["run"][rows[1:]] == tasks["run"][rows[:-1]]
    at = np.flatnonzero(jump)
    return Intervals(core[at], tasks["end_ns"][rows[at]], tasks["start_ns"][rows[at + 1]])


def _around(trace: Trace, window: Span) -> list[Intervals]:
    """The window before the first and after the last run of every core that lost records."""
    cores = [core for core, lossy in _lossy_cores(trace, ("core_task", "slice")).items() if lossy]
    if not cores:
        return []
    tasks, ran = trace.tasks, trace.ran()
    rows = []
    for core in cores:
        mine = ran & (tasks["core"] == core)
        first = int(tasks["start_ns"][mine].min(initial=window.end_ns))
        last = int(tasks["end_ns"][mine].max(initial=window.start_ns))
        rows.append((core, window.start_ns, first))
        rows.append((core, last, window.end_ns))
    return [Intervals(*np.array(rows, np.int64).T)]


def _lossy_cores(trace: Trace, kinds: tuple[str, ...]) -> dict[int, bool]:
    """Core id to whether it lost records of these kinds, for cores with such records in the ledger.

    The name of a lane says which core it is of. The ids rise.
    """
    lossy: dict[int, bool] = {}
    for entry in trace.meta.ledger:
        match = _LANE_CORE.search(entry.lane)
        if match is not None and entry.kind in kinds:
            core = int(match[1])
            lossy[core] = lossy.get(core, False) or entry.dropped > 0 or entry.unknown
    known = set(trace.cores["core"].tolist()) - {MISSING32}
    return {core: lossy[core] for core in sorted(lossy.keys() & known)}
