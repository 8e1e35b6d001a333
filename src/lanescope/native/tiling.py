"""Sorting moments, and adding up what cores did between them (native/src/tile.c)."""

from __future__ import annotations

import numpy as np

from lanescope.native import Array, library

EVENT = np.dtype(
    [("time", "<i8"), ("change", "<i4"), ("where", "<u2"), ("what", "i1"), ("by", "i1")]
)
"""ls_tile_event"""
MOST_CORES = (1 << 16) - 1
MOST_KINDS = 126
"""What an event can name."""

RUNNING, UNKNOWN, BLOCKED, HELD = range(4)
"""What a core is doing; the first one that holds counts."""
READY, BEHIND, PENDING, UNSURE = range(4, 8)
"""What waits for a kind of core."""
GIVEN, STARTED = range(8, 10)
"""A task is dispatched to a core, and starts on it: what closes and opens then, in one event."""
TILES = (
    *("running", "lost", "blocked", "switch"),
    *("scheduler", "queued", "orchestrator", "data", "unexplained", "nothing"),
)
"""Where the time goes, in the order of enum ls_tile."""


def sort_order(keys: Array) -> Array:
    """The order that sorts int64 keys; equal ones stay as they come."""
    keys = np.ascontiguousarray(keys, np.int64)
    order = np.empty(len(keys), np.int64)
    if library().ls_sort_order(len(keys), keys.ctypes.data, order.ctypes.data) < 0:
        raise MemoryError
    return order


def tile(events: Array, kind_of: Array, kinds: int, window: tuple[int, int]) -> Array:
    """ns x cores by kind of core and TILES; `kind_of` has the kind of every core."""
    cores = len(kind_of)
    is_core = (events["what"] < READY) | (events["what"] >= GIVEN)
    for where, limit in ((events["where"][is_core], cores), (events["where"][~is_core], kinds)):
        if len(where) and not (0 <= int(where.min()) and int(where.max()) < limit):
            raise IndexError("an event is about a core or kind that there is not")
    by = events["by"][events["what"] == BEHIND]
    if len(by) and not (0 <= int(by.min()) and int(by.max()) <= kinds):
        raise IndexError("an event is about a kind that there is not")
    if cores and not (0 <= int(kind_of.min()) and int(kind_of.max()) < kinds):
        raise IndexError("a core is of a kind that there is not")
    events = np.ascontiguousarray(events, EVENT)
    kind_of = np.ascontiguousarray(kind_of, np.int32)
    order = sort_order(events["time"])
    areas = np.zeros((kinds, len(TILES)), np.int64)
    status = library().ls_tile(
        events.ctypes.data,
        len(events),
        order.ctypes.data,
        kind_of.ctypes.data,
        cores,
        kinds,
        *window,
        areas.ctypes.data,
    )
    if status < 0:
        raise MemoryError
    return areas


def overhead(events: Array, cores: Array) -> Array:
    """By kind of core the ns with an idle core and a waiting task, then those in which all kinds
    had that, then those in which all kinds with waiting tasks had an idle core."""
    kinds = len(cores)
    where = events["where"]
    if len(where) and not (0 <= int(where.min()) and int(where.max()) < kinds):
        raise IndexError("an event is about a kind that there is not")
    events = np.ascontiguousarray(events, EVENT)
    cores = np.ascontiguousarray(cores, np.int64)
    order = sort_order(events["time"])
    found = np.zeros(kinds + 2, np.int64)
    arrays = (order, cores)
    status = library().ls_overhead(
        events.ctypes.data,
        len(events),
        *(array.ctypes.data for array in arrays),
        kinds,
        found.ctypes.data,
    )
    if status < 0:
        raise MemoryError
    return found
