"""The time that is 0 in an export: timeline viewers know no negative times."""

from __future__ import annotations

from lanescope.trace import MISSING, Trace
from lanescope.trace.table import Array


def since(times: Array, origin: int) -> Array:
    """The times counted from the export's 0; the same array where that is the trace's base."""
    return times - origin if origin else times


def origin_ns(trace: Trace) -> int:
    """The trace's time that is 0 in the export: its earliest time, or 0 where none is negative."""
    tables = (trace.tasks, trace.phases, trace.marks, trace.stalls, trace.launches, trace.blocks)
    columns = [table["start_ns"] for table in tables]
    columns += [trace.tasks["dispatch_ns"], trace.phases["end_ns"], trace.counters["time_ns"]]
    columns.append(trace.marks["end_ns"])
    return min(int(times.min(initial=0, where=times != MISSING)) for times in columns)
