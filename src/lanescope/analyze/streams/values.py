"""Numbers that the source gives per row of a device: bytes, blocks, registers, occupancy."""

from __future__ import annotations

import numpy as np

from lanescope.analyze.streams.work import DeviceWork
from lanescope.trace.numbering import find
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace

BYTES = "bytes"
SHAPE = ("blocks", "threads", "registers", "shared memory", "occupancy")
"""Counters that say how a kernel was launched; they have a column each in the table of kernels."""


def row_values(trace: Trace, work: DeviceWork, counter: str) -> Array:
    """The value of a counter for each row of the work; NaN where it has none."""
    values = np.full(len(work), np.nan)
    mine = trace.counters["name"] == trace.code(counter)
    if mine.any():
        at = find(trace.tasks["task"][work.row], trace.counters["task"][mine])
        values[at[at >= 0]] = trace.counters["value"][mine][at >= 0]
    return values
