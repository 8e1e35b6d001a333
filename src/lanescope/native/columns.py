"""Columns of numbers in one pass (native/src/columns.c)."""

from __future__ import annotations

import numpy as np

from lanescope.native import Array, library


def as_int32(values: Array) -> tuple[Array, int]:
    """The int64 values as int32, and the first that does not fit; -1: all do.

    The least number of 64 bits, which stands for a missing value, becomes the least of 32 bits.
    """
    values = values.astype(np.int64, copy=False)
    if values.strides[0] < 0 or values.strides[0] % values.itemsize:
        values = np.ascontiguousarray(values)
    narrow = np.empty(len(values), np.int32)
    step = values.strides[0] // values.itemsize
    row = library().ls_narrow(len(values), values.ctypes.data, step, narrow.ctypes.data)
    return narrow, int(row)
