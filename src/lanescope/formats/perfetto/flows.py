"""Arrows as flow fields at the end of a bar's begin packet (SLICE ENCODING in rows.py)."""

from __future__ import annotations

import numpy as np

from lanescope.formats.perfetto import fields as f
from lanescope.formats.perfetto.wire import FIXED64, Row, as_bytes, tag
from lanescope.formats.views import Arrows
from lanescope.native import scatter_rows
from lanescope.native.tiling import sort_order
from lanescope.trace.table import Array

FLOW_BYTES = 10


class Flows:
    """Arrow i has the id i + 1, at the bar that it leaves and at the bar where it arrives."""

    def __init__(self, arrows: Arrows, bars: int) -> None:
        arriving = sort_order(arrows.target)
        ids = np.arange(1, len(arriving) + 1, dtype=np.int64)
        self._leaving = _End(f.EVENT_FLOW, arrows.source, ids, bars)
        self._arriving = _End(f.EVENT_TERMINATING_FLOW, arrows.target[arriving], arriving + 1, bars)
        both = self._leaving.count, self._arriving.count
        self.count = both[0] + both[1] if len(ids) else both[0]

    def put(self, target: Array, stops: Array, bars: slice) -> None:
        """Write the flows of these bars so that the packet of each ends at its stop."""
        arriving_at = stops - FLOW_BYTES * self._arriving.count[bars]
        self._arriving.put(target, arriving_at, bars)
        leaving_at = arriving_at - FLOW_BYTES * self._leaving.count[bars]
        self._leaving.put(target, leaving_at, bars)


class _End:
    """One end of all arrows, sorted by the bar that it is at."""

    def __init__(self, field: int, owner: Array, ids: Array, bars: int) -> None:
        self._row = Row().fixed(tag(field, FIXED64)).hole("id", 8)
        self._owner = owner
        self._ids = ids.astype("<i8", copy=False)
        self.count = np.bincount(owner, minlength=bars) if len(owner) else _zeros(bars)
        self._first = np.cumsum(self.count) - self.count if len(owner) else self.count

    def put(self, target: Array, at: Array, bars: slice) -> None:
        """Write the fields of bar i one after another from `at[i - bars.start]` on."""
        low, high = np.searchsorted(self._owner, [bars.start, bars.stop]).tolist()
        owner = self._owner[low:high]
        nth = np.arange(low, high) - self._first[owner]
        rows = self._row.make(high - low)
        rows["id"] = self._ids[low:high].view("V8")
        scatter_rows(target, at[owner - bars.start] + FLOW_BYTES * nth, as_bytes(rows))


def _zeros(count: int) -> Array:
    """So many zeros that take no memory."""
    return np.broadcast_to(np.int64(0), count)
