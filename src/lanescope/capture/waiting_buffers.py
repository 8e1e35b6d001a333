"""How many full buffers waited for the host, over time: a series in the counters table.

A buffer waits from the moment when its last record is written until the host takes it. When the
host came is not recorded. It came after the last record that it took, so here its buffers stop
waiting right after that record.
"""

from __future__ import annotations

import numpy as np

from lanescope.capture.gather import Gathered
from lanescope.capture.stamps import StampWindow
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
    "edge": None,
    "host_phase": "end",
    "tensor": None,
}
"""Kind of record to its field that tells the device's time; None where no field does."""


def waiting_columns(
    gathered: Gathered, head: Head, words: Words, window: StampWindow
) -> dict[str, Array]:
    """Return a row for each moment at which the number of waiting buffers changes.

    Times are in cycles, in `time_cycles`. There are no columns where no buffer was ever full. A
    buffer whose last time cannot be right is left out.
    """
    filled, visit = _filled(gathered, head)
    usable = ~window.wild(filled)
    filled, visit = filled[usable], visit[usable]
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
    """Return the time at which each full buffer was full, in cycles, and the visit that took it."""
    buffers = gathered.buffers
    full = buffers["count"] == head.lanes["buffer_records"][buffers["lane"]]
    full &= gathered.visit >= gathered.carried
    times, visits = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for lane in range(len(head.lanes)):
        field = _ENDS[KINDS[head.lanes["kind"][lane]]]
        own = gathered.of_lane(lane)
        places = own.start + np.flatnonzero(full[own.start : own.stop])
        if field is None or not len(places):
            continue
        times.append(gathered.last_records(places)[field].astype(np.int64))
        visits.append(gathered.visit[places])
    return np.concatenate(times), np.concatenate(visits)
