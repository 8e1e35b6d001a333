"""The task ids of a trace: as its source writes them, and as people read them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lanescope.trace.numbering import find
from lanescope.trace.schema import MISSING
from lanescope.trace.table import Array, Table
from lanescope.trace.trace import Trace


def source_ids(trace: Trace, task: Array) -> Array:
    """The source's own id of each task; MISSING for what the trace does not name."""
    own = trace.tasks["id"]
    if not (own != MISSING).any():
        return task
    at = find(trace.tasks["task"], task)
    return np.where((at >= 0) & (task != MISSING), own[at], MISSING)


def with_source_ids(trace: Trace) -> Trace:
    """A trace of one run with the ids that its source writes."""
    if not (trace.tasks["id"] != MISSING).any():
        return trace

    def renamed(table: Table, *names: str) -> Table:
        return table.replace(**{name: source_ids(trace, table[name]) for name in names})

    return replace(
        trace,
        tasks=renamed(trace.tasks, "task"),
        phases=renamed(trace.phases, "task"),
        marks=renamed(trace.marks, "task"),
        counters=renamed(trace.counters, "task"),
        edges=renamed(trace.edges, "pred", "succ"),
    )
