"""Threads that the operating system took off the processor, recognised from waits that have no
other reason: an idle core that does not pick up its task, a scheduler that does nothing although a
task has ended."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.analyze.columns.quantiles import quantile
from lanescope.analyze.cores.odd_cores import LEAST_SHARE, pick_ups
from lanescope.native.tiling import sorted_values
from lanescope.results import Result
from lanescope.trace.numbering import different, numbered
from lanescope.trace.schema import MISSING
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace

OFF_NS = 50_000
"""A thread that does nothing for so long is off the processor: a round, a poll or a transfer to a
core takes a few microseconds at most …"""
OFF_TIMES = 10
"""… if it is also so many times what nine in ten of the waits of its kind exceed."""
_SHORT = 0.1


@dataclass(frozen=True, slots=True)
class ThreadsAway(Result):
    """Waits of a run for threads that were off the processor."""

    waits: int
    longest_ns: int
    ns: int
    """Time in which at least one of them lay."""
    share: float
    """ns / length of the window."""


def are_off(waits: Array, *, least: float) -> Array:
    """Which waits are so long that their thread was off the processor; below 0: not known."""
    known = waits >= 0
    short = quantile(waits[known], _SHORT) if known.any() else 0.0
    return np.asarray(waits > max(least, OFF_TIMES * short))


def off_processor(trace: Trace, rows: Array, window_ns: int) -> ThreadsAway | None:
    """The waits of these runs; None where they cost less than LEAST_SHARE of the window."""
    tasks = trace.tasks
    rows = rows[(tasks["dispatch_ns"][rows] != MISSING) & (tasks["finish_ns"][rows] != MISSING)]
    if not len(rows):
        return None
    begun, until = (
        np.concatenate(times)
        for times in zip(_late_pick_ups(trace, rows), _late_finishes(trace, rows), strict=True)
    )
    covered = _covered_ns(begun, until)
    if covered < LEAST_SHARE * window_ns:
        return None
    longest = int((until - begun).max())
    return ThreadsAway(len(begun), longest, covered, covered / window_ns)


def _late_pick_ups(trace: Trace, rows: Array) -> tuple[Array, Array]:
    """Begin and end of pick-ups whose core was off the processor."""
    start, receive = (trace.tasks[f"{name}_ns"][rows] for name in ("start", "receive"))
    until, waits = np.where(receive == MISSING, start, receive), pick_ups(trace, rows)
    late = are_off(waits, least=OFF_NS)
    return (until - waits)[late], until[late]


def _late_finishes(trace: Trace, rows: Array) -> tuple[Array, Array]:
    """Begin and end of the times in which a task had ended and its scheduler did nothing."""
    tasks, cores = trace.tasks, trace.cores
    serving = dict(zip(cores["core"].tolist(), cores["controller"].tolist(), strict=True))
    numbers, place = numbered(tasks["core"][rows])
    controller = np.array([serving.get(core, -1) for core in numbers.tolist()], np.int64)[place]
    dispatch, end, finish = (tasks[f"{name}_ns"][rows] for name in ("dispatch", "end", "finish"))
    since, seen_late = end.copy(), (controller >= 0) & (finish - end > OFF_NS)
    for number in different(controller[seen_late]).tolist():
        mine = controller == number
        acts = sorted_values(np.concatenate([dispatch[mine], finish[mine]]))
        asked = np.flatnonzero(mine & seen_late)
        before = np.searchsorted(acts, finish[asked]) - 1
        since[asked] = np.maximum(end[asked], np.where(before >= 0, acts[before], end[asked]))
    late = seen_late & (finish - since > OFF_NS)
    return since[late], finish[late]


def _covered_ns(begun: Array, until: Array) -> int:
    """The time that at least one of the intervals covers."""
    order = np.argsort(begun, kind="stable")
    begun, until = begun[order], np.maximum.accumulate(until[order])
    before = np.append(begun[:1], until[:-1])[: len(begun)]
    return int(np.maximum(until - np.maximum(begun, before), 0).sum())
