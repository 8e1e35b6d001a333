"""Tasks that wait for the host, which waits for another task: a synchronisation, then a launch."""

from __future__ import annotations

import numpy as np

from lanescope.trace.numbering import find
from lanescope.trace.schema import MISSING
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace

_HOST = "host waits "


def host_edges(trace: Trace) -> tuple[Array, Array]:
    """Tasks that a host thread waited for, and the first that it launched on each lane after that.

    What follows on the lane waits for that one already.
    """
    waits = trace.waits
    is_host = [kind.startswith(_HOST) for kind in trace.words]
    known = (waits["on_task"] != MISSING) & (waits["end_ns"] != MISSING)
    rows = np.flatnonzero(np.array([*is_host, False], bool)[waits["kind"]] & known)
    if not len(rows):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    before, after = [], []
    launched, thread = _launches(trace)
    for lane in np.unique(trace.tasks["core"]).tolist():
        for controller in np.unique(waits["controller"][rows]).tolist():
            own = np.flatnonzero((trace.tasks["core"] == lane) & (thread == controller))
            mine = rows[waits["controller"][rows] == controller]
            own = own[np.argsort(launched[own], kind="stable")]
            at = np.searchsorted(launched[own], waits["end_ns"][mine])
            there = at < len(own)
            before.append(waits["on_task"][mine][there])
            after.append(trace.tasks["task"][own[at[there]]])
    return np.concatenate(before), np.concatenate(after)


def _launches(trace: Trace) -> tuple[Array, Array]:
    """By task: when its launch was called, and by which thread; that is -1 where nobody knows."""
    phases, launch = trace.phases, trace.tasks["launch"]
    # Of several rows of one launch the innermost counts, which is the last in the table.
    calls = np.flatnonzero(phases["launch"] != MISSING)[::-1]
    at = find(phases["launch"][calls], launch)
    known = np.flatnonzero((launch != MISSING) & (at >= 0))
    row = calls[at[known]]
    moment, thread = np.zeros(len(launch), np.int64), np.full(len(launch), -1)
    moment[known], thread[known] = phases["start_ns"][row], phases["controller"][row]
    return moment, thread
