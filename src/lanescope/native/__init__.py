"""The C library through ctypes. Only this room knows that it is C.

A library that was built from another version of native/src/native.h is refused.
"""

from __future__ import annotations

import ctypes
import os
import sys
from ctypes import POINTER, c_int32, c_int64, c_uint32, c_uint64, c_void_p
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lanescope.errors import LanescopeError, UsageError
from lanescope.native.structs import (
    Constant,
    CostRow,
    JsonColumn,
    JsonError,
    LayoutField,
    RecordKindRow,
)

Array = npt.NDArray[Any]

NATIVE_VERSION = 34
"""The version of native/src/native.h that this code needs."""

PROBLEMS = (
    "ok",
    "truncated",
    "syntax",
    "not_row",
    "not_number",
    "range",
    "too_small",
    "no_column",
    "many_columns",
    "pool_full",
    "not_text",
)
"""Why reading JSON stopped, by the number in ls_json_error."""


_SIGNATURES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "ls_native_version": (c_int32, ()),
    "ls_json_rows": (
        c_int64,
        (
            c_void_p,
            c_int64,
            POINTER(c_int64),
            c_int32,
            POINTER(JsonColumn),
            c_int32,
            c_int64,
            POINTER(JsonError),
        ),
    ),
    "ls_json_members": (c_int64, (c_void_p, c_int64, POINTER(c_int64), c_void_p, c_int64)),
    "ls_narrow": (c_int64, (c_int64, c_void_p, c_int64, c_void_p)),
    "ls_asm_read": (c_int64, (c_void_p,)),
    "ls_proto_columns": (c_int64, (c_void_p, c_void_p, c_int32, c_void_p)),
    "ls_proto_repeated": (c_int64, (c_void_p, c_void_p, c_void_p)),
    "ls_proto_codes": (c_int64, (c_void_p, c_int64, *[c_void_p] * 3)),
    "ls_stack_slices": (c_int64, (c_int64, *[c_void_p] * 5)),
    "ls_nest": (c_int64, (c_int64, *[c_void_p] * 9)),
    "ls_area_count": (c_int64, (c_void_p, c_int64, c_void_p, c_void_p)),
    "ls_area_narrow": (None, (c_void_p,) * 3),
    "ls_scatter_rows": (None, (c_void_p, c_void_p, c_void_p, c_int64, c_int64)),
    "ls_put_varints": (None, (c_void_p, c_int64, c_int64, c_void_p, c_int64)),
    "ls_cyclic_nodes": (c_int64, (c_int64, c_int64, c_void_p, c_void_p, c_void_p)),
    "ls_schedule_run": (c_int32, (c_void_p,)),
    "ls_sort_order": (c_int32, (c_int64, *[c_void_p] * 2)),
    "ls_sort_values": (c_int32, (c_int64, c_void_p)),
    "ls_tile": (c_int32, (c_void_p,)),
    "ls_overhead": (c_int32, (c_void_p, c_int32, c_void_p, c_int32, c_void_p)),
    "ls_graph_order": (c_int64, (c_int64, c_int64, *[c_void_p] * 5)),
    "ls_graph_ready": (None, (c_int64, *[c_void_p] * 6)),
    "ls_sum_followers": (None, (c_int64, *[c_void_p] * 3)),
    "ls_graph_longest": (None, (c_int64, *[c_void_p] * 7)),
    "ls_graph_reduce": (c_int64, (c_int64, *[c_void_p] * 3, c_int64, c_void_p)),
    "ls_walk_back": (c_int64, (c_void_p, c_int64, c_void_p, c_void_p)),
    "ls_follow": (c_int64, (c_int64, c_void_p, c_int64, c_void_p)),
    "ls_machine_go": (c_int32, (c_void_p,) * 5),
    "ls_cost_table": (POINTER(CostRow), (POINTER(c_int32),)),
    "ls_layout_table": (POINTER(LayoutField), (POINTER(c_int32),)),
    "ls_mirror_table": (POINTER(LayoutField), (POINTER(c_int32),)),
    "ls_constant_table": (POINTER(Constant), (POINTER(c_int32),)),
    "ls_record_kind_table": (POINTER(RecordKindRow), (POINTER(c_int32),)),
    "ls_native_default_config": (None, (c_void_p,)),
    "ls_native_config_check": (c_int32, (c_void_p,)),
    "ls_native_region_bytes": (c_uint64, (c_void_p,)),
    "ls_native_region_init": (None, (c_void_p, c_void_p)),
    "ls_native_level_flags": (c_uint64, (c_int32,)),
    "ls_native_flags_closed": (c_uint64, (c_uint64,)),
    "ls_native_clock": (c_uint64, ()),
    "ls_native_clock_hz": (c_uint64, ()),
    "ls_native_anchor_clock": (None, (c_void_p,)),
    "ls_native_set_state": (None, (c_void_p, c_uint64)),
    "ls_native_fence": (None, ()),
    "ls_drain": (
        None,
        (c_void_p, c_void_p, c_void_p, c_uint32, *[c_void_p] * 2, c_uint64, c_void_p),
    ),
    "ls_drain_some": (
        None,
        (*[c_void_p] * 3, c_uint32, c_uint32, *[c_void_p] * 2, c_uint64, c_void_p),
    ),
    "ls_release": (None, (c_void_p, c_uint32, c_void_p)),
    "ls_host_beats": (None, (c_void_p,)),
    "ls_host_leaves": (None, (c_void_p,)),
    "ls_count_buffers": (c_int64, (c_void_p, c_uint64, c_void_p, c_uint32, c_void_p, c_void_p)),
    "ls_list_buffers": (None, (c_void_p, c_uint64, c_void_p, c_uint32, c_void_p, c_void_p)),
    "ls_threads_run": (c_int32, (c_void_p,)),
}


_THREADS = "ls_threads_run"
"""The function that a library without the thread platform does not have."""
_SUFFIX = {"darwin": ".dylib", "win32": ".dll"}.get(sys.platform, ".so")


@cache
def library() -> ctypes.CDLL:
    """Return the library that was installed with the package, loaded once.

    Tests name another build of it in LANESCOPE_LIBRARY.
    """
    if other := os.environ.get("LANESCOPE_LIBRARY"):
        return load_library(Path(other))
    file = resources.files("lanescope.native").joinpath(f"liblanescope{_SUFFIX}")
    with resources.as_file(file) as path:
        return load_library(path)


def require_threads() -> None:
    """Refuse a library that was built without the thread platform.

    Raises:
        UsageError: it has none.
    """
    if not hasattr(library(), _THREADS):
        raise UsageError(
            "the threads platform needs Linux, and this lanescope was built without it; choose a "
            "simulated chip, such as --platform a2a3"
        )


def load_library(path: Path) -> ctypes.CDLL:
    """Load a build of the library.

    Raises:
        LanescopeError: the file cannot be loaded, or it has another version.
    """
    try:
        loaded = ctypes.CDLL(str(path))
    except OSError as error:
        raise LanescopeError(
            f"the lanescope C library could not be loaded ({error}); "
            "install lanescope again with a C compiler present"
        ) from error
    for name, (result, arguments) in _SIGNATURES.items():
        if name == _THREADS and not hasattr(loaded, name):
            continue
        function = getattr(loaded, name)
        function.restype = result
        function.argtypes = arguments
    version = loaded.ls_native_version()
    if version != NATIVE_VERSION:
        raise LanescopeError(
            f"the lanescope C library is version {version}, this Python code needs "
            f"{NATIVE_VERSION}; install lanescope again"
        )
    return loaded


def stack_slices(lane: Array, start: Array, end: Array) -> tuple[Array, Array] | None:
    """Return the sub-lane of each slice, and the order in which to write their begins and ends.

    In the order, 2i is the begin of slice i and 2i + 1 its end. On a sub-lane two slices are
    disjoint or nested. Returns None where the slices are not sorted by lane, then start, then the
    longest first.

    Raises:
        LanescopeError: too many slices of one lane overlap.
    """
    count = len(start)
    lane = np.ascontiguousarray(lane, np.int32)
    start = np.ascontiguousarray(start, np.int64)
    end = np.ascontiguousarray(end, np.int64)
    sublane = np.empty(count, np.int32)
    order = np.empty(2 * count, np.int64)
    most = library().ls_stack_slices(
        count,
        lane.ctypes.data,
        start.ctypes.data,
        end.ctypes.data,
        sublane.ctypes.data,
        order.ctypes.data,
    )
    if most == -1:
        raise LanescopeError(
            "more than 1024 slices of one lane overlap at the same moment, so they cannot be "
            "drawn as lanes; select a shorter time window"
        )
    if most == -2:
        raise MemoryError
    return None if most == -3 else (sublane, order)


def scatter_rows(target: Array, offset: Array, rows: Array) -> None:
    """Copy row i of the uint8 matrix `rows` to `target[offset[i]:]`, for each i."""
    count, width = rows.shape
    if count and (int(offset.min()) < 0 or int(offset.max()) + width > len(target)):
        raise IndexError("a row does not fit into the target")
    rows = np.ascontiguousarray(rows, np.uint8)
    offset = np.ascontiguousarray(offset, np.int64)
    library().ls_scatter_rows(
        target.ctypes.data, offset.ctypes.data, rows.ctypes.data, width, count
    )


def put_varints(rows: Array, offset: int, width: int, values: Array) -> None:
    """Write values[i] as a varint of `width` bytes into row i of a structured array, for each i.

    `offset` is the place in the row, in bytes.
    """
    if not rows.flags.c_contiguous or not rows.flags.writeable or len(rows) != len(values):
        raise ValueError("rows must be contiguous, writeable and as many as the values")
    if not 1 <= width <= 10 or offset < 0 or offset + width > rows.dtype.itemsize:
        raise IndexError("the varint does not fit into the row")
    values = np.ascontiguousarray(values, np.int64)
    stride = rows.dtype.itemsize
    library().ls_put_varints(
        rows.ctypes.data + offset, stride, width, values.ctypes.data, len(values)
    )


def cyclic_nodes(node_count: int, pred: Array, succ: Array) -> Array:
    """Return a mask of the nodes on a cycle or between two cycles; nodes are numbered from 0."""
    pred = np.ascontiguousarray(pred, np.int64)
    succ = np.ascontiguousarray(succ, np.int64)
    for ends in (pred, succ):
        if len(ends) and (int(ends.min()) < 0 or int(ends.max()) >= node_count):
            raise IndexError("an edge names a node that does not exist")
    cyclic = np.zeros(node_count, np.uint8)
    left = library().ls_cyclic_nodes(
        node_count, len(pred), pred.ctypes.data, succ.ctypes.data, cyclic.ctypes.data
    )
    if left < 0:
        raise MemoryError
    return cyclic.astype(bool)
