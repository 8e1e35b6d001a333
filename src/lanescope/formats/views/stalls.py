"""Bars of stalls: times in which recording itself made a producer wait, on its lane."""

from __future__ import annotations

import numpy as np

from lanescope.formats.views.arguments import arguments_of
from lanescope.formats.views.names import word_names
from lanescope.formats.views.shapes import Bars
from lanescope.trace import MISSING, Table, Trace
from lanescope.trace.table import Array

PREFIX = "stall: "
"""What stands before the cause in the name of a bar."""


def stall_bars(trace: Trace, stalls: Table, lane: Array, origin: int) -> Bars:
    """A bar per stall, on the lane given for it, named by its cause."""
    causes = tuple(f"{PREFIX}{word}" for word in trace.words)
    return Bars(
        lane,
        stalls["start_ns"] - origin,
        stalls["end_ns"] - origin,
        *word_names(stalls["cause"], causes, "stall"),
        arguments_of(stalls, None, {"records": "records"}),
        "stall",
    )


def stalled(trace: Trace) -> Array:
    """Mask of the stalls whose start and end are known."""
    stalls = trace.stalls
    return np.asarray((stalls["start_ns"] != MISSING) & (stalls["end_ns"] != MISSING))
