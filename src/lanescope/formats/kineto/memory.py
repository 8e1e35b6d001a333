"""Memory in use over time: the moments `[memory]` that `profile_memory=True` adds to a Kineto file.

Source: kineto `output_json.cpp`, PyTorch `torch/csrc/profiler/collection.cpp`.
"""

from __future__ import annotations

import numpy as np

from lanescope.formats.kineto.events import KinetoEvents
from lanescope.formats.streams import SeriesRows
from lanescope.trace.table import Array

_HOST = 0
"""The type of the host among c10's types of devices."""


def memory_moments(events: KinetoEvents) -> Array:
    """Rows that tell how much memory is in use."""
    named = events.is_one_of("name", {"[memory]"})
    return np.flatnonzero((events.phase == "i") & named)


def memory_series(events: KinetoEvents, rows: Array) -> list[SeriesRows]:
    """Bytes allocated and reserved, per device, by time."""
    rows = rows[np.argsort(events.start[rows], kind="stable")]
    kind, device = events.arg("Device Type")[rows], events.arg("Device Id")[rows]
    series = []
    for one, number in sorted({*zip(kind.tolist(), device.tolist(), strict=True)}):
        mine = rows[(kind == one) & (device == number)]
        place = "host" if one == _HOST else f"device {number}"
        for key, what in (("Total Allocated", "allocated"), ("Total Reserved", "reserved")):
            value = events.arg(key)[mine]
            known = ~np.isnan(value)
            if known.any() and value[known].any():
                name = f"memory {what}, {place}"
                found = SeriesRows(name=name, time=events.start[mine[known]], value=value[known])
                series.append(found)
    return series
