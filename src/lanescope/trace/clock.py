"""Cycles to nanoseconds in exact integers, also where cycles × 10⁹ would not fit in 64 bits."""

from __future__ import annotations

import numpy as np

from lanescope.trace.schema import MISSING
from lanescope.trace.table import Array

_NS = 1_000_000_000
_MAX = int(np.iinfo(np.int64).max)


def cycles_to_ns(cycles: Array, clock_hz: int, base_cycles: int) -> Array:
    """Device cycles as nanoseconds since `base_cycles`, rounded down; MISSING stays MISSING.

    Raises:
        OverflowError: a time is so far from the base that 64 bits of nanoseconds cannot hold it.
    """
    if len(cycles) and int(cycles.min()) > MISSING:
        return _known_to_ns(cycles, clock_hz, base_cycles)
    known = cycles != MISSING
    ns = _known_to_ns(np.where(known, cycles, base_cycles), clock_hz, base_cycles)
    return np.where(known, ns, MISSING)


def _known_to_ns(cycles: Array, clock_hz: int, base_cycles: int) -> Array:
    delta: Array = cycles - np.int64(base_cycles)
    span = max(-int(delta.min(initial=0)), int(delta.max(initial=0)))
    if span // clock_hz >= _MAX // _NS:
        raise OverflowError(f"{span} cycles at {clock_hz} Hz exceed 64 bits of nanoseconds")
    if _NS % clock_hz == 0:
        delta *= _NS // clock_hz
        return delta
    whole, rest = np.divmod(delta, clock_hz)
    ns: Array = whole * _NS + rest * _NS // clock_hz
    return ns
