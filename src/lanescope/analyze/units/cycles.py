"""Moments of instructions in cycles; from the clock where a file kept nanoseconds only."""

from __future__ import annotations

import numpy as np

from lanescope.trace.schema import MISSING
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace

_NS = 1e9


def moments(trace: Trace, name: str, rows: Array) -> Array:
    """`dispatch`, `start` or `end` of these task rows in cycles; MISSING where not known."""
    cycles: Array = trace.tasks[f"{name}_cycles"][rows]
    ns, clock_hz = trace.tasks[f"{name}_ns"][rows], trace.meta.clock_hz
    lost = (cycles == MISSING) & (ns != MISSING)
    if clock_hz is None or not lost.any():
        return cycles
    found: Array = np.where(lost, np.rint(ns * (clock_hz / _NS)).astype(np.int64), cycles)
    return found
