"""Levels over time: ready-queue depths, and counters that have times."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lanescope.formats.views.cores import Cores
from lanescope.formats.views.origin import origin_ns
from lanescope.formats.views.rows import groups
from lanescope.formats.views.shapes import Counter
from lanescope.trace import MISSING, MISSING32, Trace
from lanescope.trace.join import key


def counters(trace: Trace) -> Iterator[Counter]:
    """Depth of each ready queue, then every counter of the trace that has times."""
    origin = origin_ns(trace)
    for number, name in enumerate(trace.meta.queues):
        yield from _queue(trace, name, number, origin)
    known = (trace.counters["time_ns"] != MISSING) & np.isfinite(trace.counters["value"])
    timed = trace.counters.rows(known)
    group = key(timed["name"] + 1, timed["core"] - np.int64(MISSING32))
    cores = Cores(trace)
    for code, rows in groups(group):
        label, core = trace.word((code >> 32) - 1) or "counter", (code & 0xFFFFFFFF) + MISSING32
        rows = rows[np.argsort(timed["time_ns"][rows], kind="stable")]
        if core != MISSING32:
            label = f"{label} {cores.name(core)}"
        yield Counter(label, timed["time_ns"][rows] - origin, timed["value"][rows])


def _queue(trace: Trace, name: str, number: int, origin: int) -> Iterator[Counter]:
    """A sample that repeats the one before is left out: the level did not change."""
    columns = [f"queue{number}_{edge}" for edge in ("start", "end")]
    if columns[0] not in trace.phases.columns:
        return
    depth = np.concatenate([trace.phases[column] for column in columns])
    time = np.concatenate([trace.phases["start_ns"], trace.phases["end_ns"]])
    known = (depth != MISSING32) & (time != MISSING)
    if not known.any():
        return
    depth, time = depth[known], time[known] - origin
    order = np.argsort(time, kind="stable")
    depth, time = depth[order], time[order]
    changed = np.append(True, depth[1:] != depth[:-1])
    yield Counter(f"ready {name}", time[changed], depth[changed].astype(np.float64))
