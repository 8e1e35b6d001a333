"""When a core's records say nothing (they were lost), and when recording itself stopped it."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from lanescope.analyze.cores.makespan import Span
from lanescope.trace.schema import MISSING, MISSING32, TaskFlag
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace

_TOKENS = 1 << 32
"""Tokens count modulo this."""
_LANE_CORE = re.compile(r"core (\d+)\b")


@dataclass(frozen=True, slots=True, eq=False)
class Intervals:
    """From when to when, on which core."""

    core: Array
    start: Array
    end: Array


def lost_intervals(trace: Trace, window: Span) -> Intervals:
    """Time in which a lost run may have been: of rows without the core's record from dispatch to
    finish, and between two runs of a core whose tokens do not follow each other. A core whose
    account shows losses also has the time before its first and after its last run."""
    parts = [_without_record(trace, window), _between(trace), *_around(trace, window)]
    return Intervals(
        np.concatenate([part.core for part in parts]),
        np.concatenate([part.start for part in parts]),
        np.concatenate([part.end for part in parts]),
    )


def stalled_intervals(trace: Trace) -> Intervals:
    """A core that waits for a buffer does nothing; a scheduler that does serves no core."""
    stalls, cores = trace.stalls, trace.cores
    timed = (stalls["start_ns"] != MISSING) & (stalls["end_ns"] != MISSING)
    own = timed & (stalls["lane"] == trace.code("core"))
    core, start, end = [stalls["core"][own]], [stalls["start_ns"][own]], [stalls["end_ns"][own]]
    theirs = np.flatnonzero(timed & (stalls["lane"] == trace.code("scheduler")))
    for controller in np.unique(stalls["controller"][theirs]).tolist():
        served = cores["core"][(cores["controller"] == controller) & (controller >= 0)]
        rows = theirs[stalls["controller"][theirs] == controller]
        core.append(np.tile(served, len(rows)))
        start.append(np.repeat(stalls["start_ns"][rows], len(served)))
        end.append(np.repeat(stalls["end_ns"][rows], len(served)))
    return Intervals(*(np.concatenate(column).astype(np.int64) for column in (core, start, end)))


def _without_record(trace: Trace, window: Span) -> Intervals:
    tasks = trace.tasks
    rows = np.flatnonzero((tasks["flags"] & TaskFlag.NO_CORE_RECORD != 0) & (tasks["core"] >= 0))
    dispatch, finish = tasks["dispatch_ns"][rows], tasks["finish_ns"][rows]
    return Intervals(
        tasks["core"][rows].astype(np.int64),
        np.where(dispatch != MISSING, dispatch, window.start_ns),
        np.where(finish != MISSING, finish, window.end_ns),
    )


def _between(trace: Trace) -> Intervals:
    """Neighbours in the order of core and token, which is the table's order. Slices have tokens in
    common with marks, so where all of them arrived a jump says nothing."""
    tasks = trace.tasks
    counted = ~np.isin(tasks["core"], _cores_with(trace, ("slice",), lossy=False))
    rows = np.flatnonzero(
        trace.ran() & (tasks["token"] != MISSING) & (tasks["core"] >= 0) & counted
    )
    core, token = tasks["core"][rows].astype(np.int64), tasks["token"][rows]
    jump = (core[1:] == core[:-1]) & ((token[1:] - token[:-1]) % _TOKENS > 1)
    jump &= token[1:] > token[:-1]
    at = np.flatnonzero(jump)
    return Intervals(core[at], tasks["end_ns"][rows[at]], tasks["start_ns"][rows[at + 1]])


def _around(trace: Trace, window: Span) -> list[Intervals]:
    lossy = _cores_with(trace, ("core_task", "slice"), lossy=True)
    if not lossy:
        return []
    tasks, ran = trace.tasks, trace.ran()
    found = []
    for core in lossy:
        mine = ran & (tasks["core"] == core)
        first = int(tasks["start_ns"][mine].min(initial=window.end_ns))
        last = int(tasks["end_ns"][mine].max(initial=window.start_ns))
        found.append((core, window.start_ns, first))
        found.append((core, last, window.end_ns))
    columns = np.array(found, np.int64).T
    return [Intervals(*columns)]


def _cores_with(trace: Trace, kinds: tuple[str, ...], *, lossy: bool) -> list[int]:
    """Cores with records of these kinds that lost some of them, or none, by their lanes' names."""
    lost: dict[int, bool] = {}
    for entry in trace.meta.ledger:
        match = _LANE_CORE.search(entry.lane)
        if match is not None and entry.kind in kinds:
            lost[int(match[1])] = lost.get(int(match[1]), False) or entry.dropped > 0
    named = {core for core, has in lost.items() if has == lossy}
    return sorted(named & set(trace.cores["core"].tolist()) - {MISSING32})
