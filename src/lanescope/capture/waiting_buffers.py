"""How many full buffers waited for the host, over time: a series in the counters table.

A buffer is full when its last record is written. When the host came is not recorded; it was not
before the last record that it took, so this is when its buffers stop waiting here, at the earliest.
"""

from __future__ import annotations

import numpy as np

from lanescope.capture.gather import Gathered
from lanescope.device.head import Array, Head
from lanescope.device.kinds import KINDS
from lanescope.trace.trace import Words

NAME = "buffers_waiting"
_ENDS = {
    "core_task": "end",
    "controller_task": "finish",
    "scheduler_phase": "end",
    "orchestrator_phase": "end",
    "pmu": None,
    "slice": None,
    "burst": None,
}
"""By kind of record: the field that tells the device's time; None: its records do not tell it."""


def waiting_columns(gathered: Gathered, head: Head, words: Words) -> dict[str, Array]:
    """Rows with `time_cycles`; none where no buffer was ever full."""
    filled, visit = _filled(gathered, head)
    if not len(filled):
        return {}
    last = np.zeros(int(visit.max()) + 1, np.int64)
    np.maximum.at(last, visit, filled)
    taken = np.maximum.accumulate(last)[visit] + 1
    time, place = np.unique(np.concatenate([filled, taken]), return_inverse=True)
    change = np.repeat([1, -1], len(filled))
    waiting = np.cumsum(np.bincount(place, weights=change))
    return {
        "name": np.full(len(time), words.code(NAME), np.int32),
        "value": waiting,
        "time_cycles": time,
    }


def _filled(gathered: Gathered, head: Head) -> tuple[Array, Array]:
    """When each full buffer was full, in cycles, and in which visit it was taken."""
    buffers = gathered.buffers
    full = buffers["count"] == head.lanes["buffer_records"][buffers["lane"]]
    times, visits = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for lane, records in enumerate(gathered.records):
        field = _ENDS[KINDS[head.lanes["kind"][lane]]]
        own = slice(*np.searchsorted(buffers["lane"], [lane, lane + 1]))
        if field is None or not full[own].any():
            continue
        at = np.cumsum(buffers["count"][own].astype(np.int64)) - 1
        times.append(records[field][at[full[own]]].astype(np.int64))
        visits.append(gathered.visit[own][full[own]])
    return np.concatenate(times), np.concatenate(visits)
