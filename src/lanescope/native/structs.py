"""Structs of the C library that Python mirrors; others are in replay.py, tiling.py and paths.py.

tests/native/test_mirrors.py compares all of them with the library, field by field.
"""

from __future__ import annotations

from ctypes import (
    Structure,
    c_char,
    c_char_p,
    c_int32,
    c_int64,
    c_uint32,
    c_uint64,
    c_void_p,
)

import numpy as np


class JsonPool(Structure):
    """The different texts of one column (ls_json_pool)."""

    _fields_ = (
        ("used", c_int32),
        ("capacity", c_int32),
        ("offset", c_void_p),
        ("length", c_void_p),
        ("slots", c_void_p),
    )


class JsonColumn(Structure):
    """One column to read from JSON (ls_json_column)."""

    _fields_ = (
        ("key", c_char_p),
        ("key_length", c_int64),
        ("type", c_int32),
        ("count", c_int32),
        ("required", c_int32),
        ("lenient", c_int32),
        ("number", c_int32),
        ("inner_count", c_int32),
        ("min", c_int64),
        ("missing", c_int64),
        ("seen", c_int64),
        ("next", c_int32),
        ("first", c_int32),
        ("out", c_void_p),
        ("pool", c_void_p),
        ("inner", c_void_p),
    )


class JsonError(Structure):
    """Where reading stopped and why (ls_json_error)."""

    _fields_ = (("problem", c_int32), ("column", c_int32), ("row", c_int64), ("at", c_int64))


class LayoutField(Structure):
    """One field of a struct in the C headers (ls_layout_field)."""

    _fields_ = (
        ("type", c_char_p),
        ("field", c_char_p),
        ("offset", c_uint32),
        ("bytes", c_uint32),
        ("type_bytes", c_uint32),
        ("element", c_char),
    )


class Constant(Structure):
    """One constant of the C headers (ls_constant)."""

    _fields_ = (("name", c_char_p), ("value", c_int64))


class CostRow(Structure):
    """One line of the table of costs (ls_cost)."""

    _fields_ = (("name", c_char_p), ("section", c_char_p), ("meaning", c_char_p))


class RecordKindRow(Structure):
    """One kind of record (ls_record_kind)."""

    _fields_ = (
        ("constant", c_char_p),
        ("name", c_char_p),
        ("owner", c_char_p),
        ("producer", c_char_p),
        ("feature", c_uint64),
        ("code", c_uint32),
        ("record_bytes", c_uint32),
    )


class Schedule(Structure):
    """A program to schedule, and its schedule (ls_schedule)."""

    _fields_ = (
        ("lines", c_void_p),
        ("which", c_void_p),
        ("number", c_void_p),
        ("granule", c_void_p),
        ("rows", c_int64),
        ("most", c_int64),
        ("registers", c_int32),
        ("memories", c_int32),
        ("units", c_int32),
        ("outstanding", c_int32),
        ("buffers", c_int32),
        ("depth", c_int32),
        ("scale", c_int32),
        ("stride", c_int32),
        ("executed", c_int64),
        ("makespan", c_int64),
        ("critical_path", c_int64),
        ("transfer_cycles", c_void_p),
        ("most_transfers", c_int64),
        ("transfers", c_void_p),
        ("waits", c_void_p),
        ("row_waits", c_void_p),
        ("row_critical", c_void_p),
        ("carriers", c_void_p),
        ("issue", c_void_p),
        ("start", c_void_p),
        ("row_of", c_void_p),
        ("previous", c_void_p),
        ("carrier", c_void_p),
    )


SCHEDULE_RANGE = np.dtype(
    [
        ("memory", np.int32),
        ("base", np.int32),
        ("step", np.int32),
        ("part", np.int32),
        ("count", np.int32),
        ("open", np.int32),
        ("offset", np.int64),
    ]
)
"""A range of a memory, in granules (ls_range)."""
SCHEDULE_LINE = np.dtype(
    [
        *(
            (name, np.int32)
            for name in ("kind", "unit", "transfer", "value", "target", "left", "right", "clears")
        ),
        *((name, np.int64) for name in ("done", "ready", "interval")),
        ("reads", np.int32, 8),
        ("writes", np.int32, 4),
        ("loads", SCHEDULE_RANGE, 4),
        ("stores", SCHEDULE_RANGE, 2),
    ]
)
"""What lines of one pattern do (ls_line)."""
SCHEDULE_TRANSFER = np.dtype(
    [
        *((name, np.int64) for name in ("before", "base", "offset", "scale", "stride")),
        *((name, np.int32) for name in ("row", "node", "known", "spare")),
    ]
)
"""One executed transfer, and what its address is made of (ls_transfer)."""
