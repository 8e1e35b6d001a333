"""Series of an export: the depth of each ready queue, and counters that have times."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lanescope.formats.views.origin import origin_ns
from lanescope.formats.views.rows import groups
from lanescope.formats.views.shapes import Series
from lanescope.native.tiling import sort_order
from lanescope.trace import MISSING, MISSING32, Table, Trace
from lanescope.trace.lanes import core_name, core_names
from lanescope.trace.rows import which


def series_of(trace: Trace) -> Iterator[Series]:
    """The depth of each ready queue, then every counter with times, by name and core."""
    origin = origin_ns(trace)
    yield from _queues(trace, origin)
    known = (trace.counters["time_ns"] != MISSING) & np.isfinite(trace.counters["value"])
    timed = trace.counters.rows(known)
    group = (timed["name"] + np.int64(1)) << 32 | (timed["core"] - np.int64(MISSING32))
    names = core_names(trace)
    for code, rows in groups(group):
        counter, core = trace.word((code >> 32) - 1), (code & 0xFFFFFFFF) + MISSING32
        label = counter or "counter"
        time, value = timed["time_ns"][rows], timed["value"][rows]
        order = np.argsort(time, kind="stable")
        if core != MISSING32:
            label = f"{label} {names.get(core, core_name(core))}"
        known_core = None if core == MISSING32 else core
        yield Series(label, time[order] - origin, value[order], counter, known_core)


def _queues(trace: Trace, origin: int) -> Iterator[Series]:
    """The depth of each ready queue, sampled where phases start and end.

    A sample with the value of the sample before it is left out.
    """
    phases = _sampled(trace)
    time = np.concatenate([phases["start_ns"], phases["end_ns"]])
    order = sort_order(time)
    order = order[np.searchsorted(time[order], MISSING, side="right") :]
    time = time[order] - origin
    for number, name in enumerate(trace.meta.queues):
        start, end = _columns(number)
        if start not in phases.columns:
            return
        depth = np.concatenate([phases[start], phases[end]])[order]
        known = depth != MISSING32
        depth, at = depth[known], time[known]
        changed = np.append(True, depth[1:] != depth[:-1])[: len(depth)]
        if len(depth):
            yield Series(f"ready {name}", at[changed], depth[changed].astype(np.float64))


def _sampled(trace: Trace) -> Table:
    """The phases in which the depth of any queue is known; of other columns their times."""
    phases = trace.phases
    queues = [
        name
        for number in range(len(trace.meta.queues))
        for name in _columns(number)
        if name in phases.columns
    ]
    known = np.zeros(len(phases), bool)
    for name in queues:
        known |= phases[name] != MISSING32
    rows = which(known)
    names = ("start_ns", "end_ns", *queues)
    return Table(phases.schema, {name: phases[name][rows] for name in names}, phases.words)


def _columns(queue: int) -> list[str]:
    """The columns with the depth of one ready queue at both ends of a phase."""
    return [f"queue{queue}_{edge}" for edge in ("start", "end")]
