"""`cuda_sync` rows: waits, not work.

A row's own time is when the host asked for the wait, not when a stream waited. Written only where
the profiler was asked for it (`enable_cuda_sync_events=True`). Source: kineto `CuptiActivity.h`,
HolisticTraceAnalysis PR #73.
"""

from __future__ import annotations

import numpy as np

from lanescope.formats.kineto.events import KinetoEvents
from lanescope.formats.kineto.lanes import UNKNOWN_STREAMS, StreamLanes, device_of
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

_KINDS = {
    "stream wait event": STREAM_WAITS,
    "event sync": HOST_EVENT,
    "stream sync": HOST_STREAM,
    "context sync": HOST_DEVICE,
}


def sync_waits(events: KinetoEvents, rows: Array, lanes: StreamLanes) -> tuple[WaitRows, int]:
    """The waits among these rows, and how many rows are of a kind that nobody knows."""
    names = [*events.texts("args.cuda_sync_kind"), ""]
    by_args = [_kind(name) for name in names]
    by_name = [_kind(name) for name in [*events.texts("name"), ""]]
    kind = _taken(by_args, events.arg("cuda_sync_kind")[rows])
    kind = np.where(kind < 0, _taken(by_name, events.rows["name"][rows]), kind)
    known = kind >= 0
    rows, kind = rows[known], kind[known]
    device = device_of(events, rows)
    stream, on = _stream(events.arg("stream")[rows]), _stream(events.arg("wait_on_stream")[rows])
    record = events.arg("wait_on_cuda_event_record_corr_id")[rows]
    waits = WaitRows(
        kind=kind,
        lane=lanes.of(device, stream),
        on_lane=lanes.of(device, on),
        launch=events.arg("correlation")[rows],
        on_launch=np.where(record > 0, record, MISSING),
        start=events.start[rows],
        end=events.end[rows],
    )
    return waits, int(np.count_nonzero(~known))


def _kind(name: str) -> int:
    kind = _KINDS.get(name.lower())
    return -1 if kind is None else WAIT_KINDS.index(kind)


def _taken(kinds: list[int], codes: Array) -> Array:
    found: Array = np.array(kinds, np.int64)[np.where(codes == MISSING, len(kinds) - 1, codes)]
    return found


def _stream(values: Array) -> Array:
    """Streams with -2 for those that are not known, which no lane has."""
    return np.where((values == MISSING) | np.isin(values, UNKNOWN_STREAMS), -2, values)
