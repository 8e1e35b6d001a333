"""Waits of streams and of the host, joined with the record of the event that they wait for.

An event id is used again and again. Since CUDA 12.8 `eventSyncId` is different each time; before, a
wait is for the last record of its event that was asked for before it, by correlation id. Source:
CUPTI `CUpti_ActivitySynchronization2`, `CUpti_ActivityCudaEvent2`.
"""

from __future__ import annotations

import numpy as np

from lanescope.formats.columns import Columns, Tables, require, require_times
from lanescope.formats.nsys.lanes import LaunchKeys, NsysStreams
from lanescope.formats.streams import WaitRows
from lanescope.formats.streams.recording import (
    HOST_DEVICE,
    HOST_EVENT,
    HOST_STREAM,
    STREAM_WAITS,
    WAIT_KINDS,
)
from lanescope.trace import MISSING
from lanescope.trace.table import Array

WAITS = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION"
_EVENTS = "CUPTI_ACTIVITY_KIND_CUDA_EVENT"
_PLACE = ("globalPid", "contextId", "streamId", "correlationId", "eventId", "eventSyncId")
_KINDS = {1: HOST_EVENT, 2: STREAM_WAITS, 3: HOST_STREAM, 4: HOST_DEVICE}
_NO_EVENT = (1 << 32) - 1


def wait_rows(tables: Tables, streams: NsysStreams, launches: LaunchKeys) -> tuple[WaitRows, int]:
    """The waits, and how many rows are of a kind that nobody knows."""
    rows = tables.read(WAITS, ("start", "end", "syncType", *_PLACE))
    if rows.count:
        require(tables, WAITS, rows, ("start", "end"))
    for name in ("start", "end"):
        require_times(tables, WAITS, rows[name], name)
    kind = np.full(rows.count, -1)
    for number, name in _KINDS.items():
        kind[rows["syncType"] == number] = WAIT_KINDS.index(name)
    known = kind >= 0
    events = tables.read(_EVENTS, _PLACE)
    for_event = np.isin(kind, [WAIT_KINDS.index(one) for one in (HOST_EVENT, STREAM_WAITS)])
    record = np.where(for_event, _records(rows, events), -1)
    found = record >= 0
    none = np.array([-1])
    lane_of = np.concatenate([streams.waiting(events), none])
    made = launches.number(events["globalPid"], events["correlationId"])
    launch_of = np.concatenate([made, np.array([MISSING])])
    whole = kind == WAIT_KINDS.index(HOST_DEVICE)
    waits = WaitRows(
        kind=kind[known],
        lane=np.where(whole, -1, streams.waiting(rows))[known],
        on_lane=np.where(found, lane_of[record], -1)[known],
        launch=launches.number(rows["globalPid"], rows["correlationId"])[known],
        on_launch=np.where(found, launch_of[record], MISSING)[known],
        start=rows["start"][known],
        end=rows["end"][known],
    )
    return waits, int(np.count_nonzero(~known))


def _records(waits: Columns, events: Columns) -> Array:
    """Place of the event record that each wait is for; -1 where it is not known."""
    by_sync = _last_before(waits, events, "eventSyncId", ordered=False)
    by_event = _last_before(waits, events, "eventId", ordered=True)
    return np.where(by_sync >= 0, by_sync, by_event)


def _last_before(waits: Columns, events: Columns, key: str, *, ordered: bool) -> Array:
    """The last record with the same process and key, where `ordered` asked for before the wait."""
    usable = _usable(events[key])
    places = np.flatnonzero(usable)
    result = np.full(waits.count, -1)
    if not len(places) or not waits.count:
        return result
    pairs = np.concatenate(
        [
            np.stack([events["globalPid"][places], events[key][places]], axis=1),
            np.stack([waits["globalPid"], waits[key]], axis=1),
        ]
    )
    code = np.unique(pairs, axis=0, return_inverse=True)[1].reshape(-1)
    of_event, of_wait = code[: len(places)], code[len(places) :]
    asked = events["correlationId"][places]
    order = np.lexsort((asked, of_event))
    limit = waits["correlationId"] if ordered else np.full(waits.count, np.iinfo(np.int64).max)
    ranks = np.unique(np.concatenate([asked, limit]), return_inverse=True)[1].reshape(-1)
    width = len(asked) + len(limit) + 1
    own = of_event[order] * width + ranks[: len(asked)][order]
    at = np.searchsorted(own, of_wait * width + ranks[len(asked) :], side="left") - 1
    hit = (at >= 0) & _usable(waits[key])
    hit &= of_event[order][np.maximum(at, 0)] == of_wait
    result[hit] = places[order][at[hit]]
    return result


def _usable(ids: Array) -> Array:
    mask: Array = (ids != MISSING) & (ids != _NO_EVENT) & (ids != 0)
    return mask
