"""Levels over time: ready-queue depths, and counters that have times."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lanescope.formats.views.origin import origin_ns
from lanescope.formats.views.rows import groups
from lanescope.formats.views.shapes import Counter
from lanescope.trace import MISSING, MISSING32, Trace
from lanescope.trace.lanes import core_name, core_names


def counters(trace: Trace) -> Iterator[Counter]:
    """Depth of each ready queue, then every counter of the trace that has times."""
    origin = origin_ns(trace)
    yield from _queues(trace, origin)
    known = (trace.counters["time_ns"] != MISSING) & np.isfinite(trace.counters["value"])
    timed = trace.counters.rows(known)
    group = (timed["name"] + np.int64(1)) << 32 | (timed["core"] - np.int64(MISSING32))
    names = core_names(trace)
    for code, rows in groups(group):
        label, core = trace.word((code >> 32) - 1) or "counter", (code & 0xFFFFFFFF) + MISSING32
        rows = rows[np.argsort(timed["time_ns"][rows], kind="stable")]
        if core != MISSING32:
            label = f"{label} {names.get(core, core_name(core))}"
        yield Counter(label, timed["time_ns"][rows] - origin, timed["value"][rows])


def _queues(trace: Trace, origin: int) -> Iterator[Counter]:
    """A sample that repeats the one before is left out: the level did not change."""
    phases = trace.phases
    time = np.concatenate([phases["start_ns"], phases["end_ns"]])
    order = np.argsort(time, kind="stable")
    order = order[np.searchsorted(time[order], MISSING, side="right") :]
    time = time[order] - origin
    for number, name in enumerate(trace.meta.queues):
        columns = [f"queue{number}_{edge}" for edge in ("start", "end")]
        if columns[0] not in phases.columns:
            return
        depth = np.concatenate([phases[column] for column in columns])[order]
        known = depth != MISSING32
        depth, at = depth[known], time[known]
        changed = np.append(True, depth[1:] != depth[:-1])[: len(depth)]
        if len(depth):
            yield Counter(f"ready {name}", at[changed], depth[changed].astype(np.float64))
