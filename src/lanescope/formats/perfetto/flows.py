"""Arrows as flow fields at the end of a slice's begin packet (SLICE ENCODING in rows.py)."""

from __future__ import annotations

import numpy as np

from lanescope.formats.perfetto import fields as f
from lanescope.formats.perfetto.wire import FIXED64, Row, as_bytes, tag
from lanescope.formats.views import Arrows
from lanescope.native import scatter_rows
from lanescope.trace.table import Array

FLOW_BYTES = 10


class Flows:
    """Arrow i has the id i + 1, at the slice it leaves and at the slice where it arrives."""

    def __init__(self, arrows: Arrows, slices: int) -> None:
        arriving = np.argsort(arrows.target, kind="stable")
        ids = np.arange(1, len(arriving) + 1)
        self._leaving = _End(f.EVENT_FLOW, arrows.source, ids, slices)
        self._arriving = _End(
            f.EVENT_TERMINATING_FLOW, arrows.target[arriving], arriving + 1, slices
        )
        self.count = self._leaving.count + self._arriving.count

    def put(self, target: Array, stops: Array, slices: slice) -> None:
        """Writes the flows of these slices so that the packet of each ends at its stop."""
        arriving_at = stops - FLOW_BYTES * self._arriving.count[slices]
        self._arriving.put(target, arriving_at, slices)
        leaving_at = arriving_at - FLOW_BYTES * self._leaving.count[slices]
        self._leaving.put(target, leaving_at, slices)


class _End:
    """One end of all arrows, sorted by the slice it is at."""

    def __init__(self, field: int, owner: Array, ids: Array, slices: int) -> None:
        self._row = Row().fixed(tag(field, FIXED64)).hole("id", 8)
        self._owner = owner
        self._ids = ids.astype("<u8")
        self.count = np.bincount(owner, minlength=slices)
        self._first = np.cumsum(self.count) - self.count

    def put(self, target: Array, at: Array, slices: slice) -> None:
        """Writes the fields of slice i one after another from `at[i - slices.start]` on."""
        low, high = np.searchsorted(self._owner, [slices.start, slices.stop]).tolist()
        owner = self._owner[low:high]
        nth = np.arange(low, high) - self._first[owner]
        rows = self._row.make(high - low)
        rows["id"] = self._ids[low:high].view("V8")
        scatter_rows(target, at[owner - slices.start] + FLOW_BYTES * nth, as_bytes(rows))
