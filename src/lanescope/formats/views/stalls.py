"""Times that recording itself made a producer wait, in the lane of that producer."""

from __future__ import annotations

import numpy as np

from lanescope.formats.views.arguments import arguments_of
from lanescope.formats.views.shapes import Slices
from lanescope.trace import MISSING, Table, Trace
from lanescope.trace.table import Array


def stall_slices(trace: Trace, stalls: Table, lane: Array, origin: int) -> Slices:
    names = (*(f"stall: {word}" for word in trace.words), "stall")
    return Slices(
        lane,
        stalls["start_ns"] - origin,
        stalls["end_ns"] - origin,
        stalls["cause"] % len(names),
        names,
        arguments_of(stalls, None, {"records": "records"}),
    )


def stalled(trace: Trace) -> Array:
    stalls = trace.stalls
    return np.asarray((stalls["start_ns"] != MISSING) & (stalls["end_ns"] != MISSING))
