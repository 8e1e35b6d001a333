"""Schedulers: who serves which cores, who has records, and whether the numbers belong together."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lanescope.checks.finding import CheckFinding
from lanescope.checks.naming import core_name, listed
from lanescope.render.cells import count_text, many_text, percent_text
from lanescope.trace import MISSING, MISSING32, Trace
from lanescope.trace.table import Array

_GIVING = ("dispatch", "early_dispatch", "drain_publish", "drain", "refill", "worksteal")
"""Kinds of phase in which a scheduler hands tasks to cores."""
_SURE = 0.9
"""A scheduler is taken for another where this share of that one's dispatches lie in its phases."""


def controller_findings(trace: Trace, lists: int | None = None) -> Iterator[CheckFinding]:
    """Schedulers that serve cores and have no phase, and schedulers under a wrong number.

    `lists` is the number of lists in a file whose schedulers have no ids, only places.
    """
    if trace.meta.level < 3:
        return
    phases, cores = trace.phases, trace.cores
    mask = np.array(phases.text("lane"), object) == "scheduler"
    there = set(np.unique(phases["controller"][mask]).tolist())
    if not there:
        return
    serving = cores["controller"]
    needed = set(np.unique(serving[serving != MISSING32]).tolist())
    for thread in sorted(needed - there):
        yield _silent(trace, thread, lists)
    if needed - there:
        yield from _renumbered(trace, mask, sorted(there), sorted(needed))


def _silent(trace: Trace, thread: int, lists: int | None) -> CheckFinding:
    """A scheduler that serves cores and has no phase: it was idle, or its records are lost."""
    cores = trace.cores["core"][trace.cores["controller"] == thread]
    rows = np.isin(trace.tasks["core"], cores)
    worked = int((rows & (trace.tasks["token"] != MISSING)).sum())
    served = listed([core_name(trace, core) for core in cores.tolist()])
    name = f"scheduler {thread}"
    if not worked:
        return CheckFinding(
            producer=name,
            kind="harmless",
            sentence=f"{name.capitalize()} serves {served} and has no records.",
            cause="It was idle: none of its cores ran a task. Streams without records are left "
            "out of a file.",
        )
    sentence = f"{name.capitalize()} serves {served} and has no phase."
    if lists is not None and thread >= lists:
        sentence += (
            f" The file has {many_text(lists, 'list')} of phases, by place, and its cores need "
            f"scheduler {thread}."
        )
    cause = (
        f"It was not idle: its cores ran {count_text(worked)} tasks. Its stream was lost, or is "
        "here under another number."
    )
    return CheckFinding(producer=name, kind="missing", sentence=sentence, cause=cause)


def _renumbered(
    trace: Trace, mask: Array, there: list[int], needed: list[int]
) -> Iterator[CheckFinding]:
    """Schedulers in whose phases the dispatches to another one's cores lie."""
    kinds = np.array(trace.phases.text("kind"), object)
    giving = mask & np.isin(kinds, _GIVING)
    share = {
        (stream, thread): _share(trace, giving & (trace.phases["controller"] == stream), thread)
        for stream in there
        for thread in needed
    }
    for stream in there:
        own = share.get((stream, stream))
        best = max(needed, key=lambda thread: share[stream, thread] or 0.0)
        found = share[stream, best]
        if best == stream or found is None or found < _SURE or (own or 0.0) >= 1 - _SURE:
            continue
        if (share.get((best, best)) or 0.0) >= 1 - _SURE:
            continue  # The scheduler of that number has its own stream.
        yield CheckFinding(
            producer=f"scheduler {stream}",
            kind="contradiction",
            sentence=f"The stream called scheduler {stream} is scheduler {best}: "
            f"{percent_text(found)} of the dispatches to the cores of scheduler {best} lie in its "
            f"dispatch phases, and {percent_text(own or 0.0)} of those to its own cores.",
            cause="Streams without records were left out and the others renumbered by their place "
            "in the file.",
        )


def _share(trace: Trace, phases: Array, thread: int) -> float | None:
    """Which part of the dispatches to a scheduler's cores lies in these phases."""
    cores = trace.cores["core"][trace.cores["controller"] == thread]
    times = trace.tasks["dispatch_ns"][np.isin(trace.tasks["core"], cores)]
    times = times[times != MISSING]
    start, end = (trace.phases[f"{side}_ns"][phases] for side in ("start", "end"))
    good = (start != MISSING) & (end != MISSING)
    if not len(times) or not good.any():
        return None
    order = np.argsort(start[good], kind="stable")
    start, end = start[good][order], np.maximum.accumulate(end[good][order])
    at = np.searchsorted(start, times, side="right") - 1
    inside = (at >= 0) & (times <= end[np.maximum(at, 0)])
    return float(inside.mean())
