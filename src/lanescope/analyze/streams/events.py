"""What rows had to wait for on other streams.

Best is a wait whose record names the event. Many records do not (PyTorch 2.11 on CUDA 13 names
none). An event happens when work ends, so the row then is taken to have waited for the row of
another stream that ended right before it started. Where none did, a row that started within
LAUNCHED_NS of its launch did not wait, and of any other it is not known for what it waited.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.analyze.streams.work import DeviceWork
from lanescope.trace.numbering import find
from lanescope.trace.schema import MISSING
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace

RIGHT_AFTER_NS = 5_000
"""On an H200 rows that waited for an event started 1.4 to 2.0 µs after it (ten rows, one run)."""
LAUNCHED_NS = 30_000
"""HolisticTraceAnalysis calls idle time up to this the overhead of launching."""


@dataclass(frozen=True, slots=True, eq=False)
class EventEnds:
    """What each row of the work had to wait for on other streams."""

    end: Array
    """By row of the work: when the last event happened, MISSING where there is none."""
    on: Array
    """By row: the row of the work that it waited for, -1 where there is none or it is not known."""
    inferred: Array
    """By row: whether `on` is what the times tell, not the source."""
    unknown: Array
    """By row: whether it waited for an event of which nobody can tell what it is."""


def events(trace: Trace, work: DeviceWork) -> EventEnds:
    """Collect the waits between streams from `edges` and `waits`."""
    count, ids = len(work), trace.tasks["task"][work.row]
    edges, waits = trace.edges, trace.waits
    kinds = edges["kind"] == trace.code("event")
    pred, succ = find(ids, edges["pred"][kinds]), find(ids, edges["succ"][kinds])
    known = (pred >= 0) & (succ >= 0)
    pred, succ = pred[known], succ[known]
    end, on = np.full(count, MISSING), np.full(count, -1, np.int64)
    order = np.argsort(work.end[pred], kind="stable")
    end[succ[order]], on[succ[order]] = work.end[pred[order]], pred[order]
    waited = (waits["kind"] == trace.code("stream waits event")) & (waits["task"] != MISSING)
    blind = find(ids, waits["task"][waited & (waits["on_task"] == MISSING)])
    unnamed = np.unique(blind[(blind >= 0) & (on[blind] < 0)])
    before = _ended_right_before(work, unnamed)
    found = before >= 0
    end[unnamed[found]], on[unnamed[found]] = work.end[before[found]], before[found]
    inferred, unknown = np.zeros(count, bool), np.zeros(count, bool)
    inferred[unnamed[found]] = True
    late = work.start[unnamed] - work.call_end[unnamed] > LAUNCHED_NS
    unknown[unnamed[~found & late & work.launched[unnamed]]] = True
    return EventEnds(end, on, inferred, unknown)


def _ended_right_before(work: DeviceWork, rows: Array) -> Array:
    """The row of another stream of the device that ended last before each row starts; -1: none."""
    result, latest = np.full(len(rows), -1, np.int64), np.full(len(rows), MISSING)
    start = work.start[rows]
    for place, (lane, own) in enumerate(work.slices()):
        ran = np.arange(own.start, own.stop)[work.busy[own]]
        if not len(ran):
            continue
        by_end = ran[np.argsort(work.end[ran], kind="stable")]
        at = np.searchsorted(work.end[by_end], start, side="right") - 1
        row = by_end[at]
        near = (at >= 0) & (work.end[row] >= start - RIGHT_AFTER_NS) & (work.end[row] > latest)
        near &= (work.device[rows] == lane.device) & (work.lane[rows] != place)
        result[near], latest[near] = row[near], work.end[row[near]]
    return result
