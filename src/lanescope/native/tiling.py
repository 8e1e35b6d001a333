"""Sorts numbers, and adds up what cores did between moments (native/src/sort.c, tile.c)."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import Structure, c_int32, c_int64, c_void_p
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lanescope.native import Array, library

MOST_CORES = (1 << 16) - 1
"""Most cores that moments can name."""
MOST_KINDS = 126
"""Most kinds of core that moments can name."""

RUNNING, UNKNOWN, BLOCKED, HELD = range(4)
"""What a core is doing; where several hold, the first one counts."""
READY, BEHIND, PENDING, UNSURE = range(4, 8)
"""What waits for a kind of core."""
GIVEN, STARTED = range(8, 10)
"""A task is dispatched to a core (GIVEN), or starts on it (STARTED). One such moment stands for all
that ends and begins then."""
TILES = (
    *("running", "lost", "blocked", "switch"),
    *("scheduler", "queued", "orchestrator", "data", "unexplained", "nothing"),
)
"""Names of the places where time goes, in the order of enum ls_tile."""


class Moments(NamedTuple):
    """Moments of one sort; `change` and `by` are columns, or one number for all."""

    time: Array
    """In ns."""
    where: Array
    """The core or the kind of core."""
    what: int
    """The sort: RUNNING to STARTED."""
    change: Array | int = 0
    """How many more of this sort there are from this moment on; negative: how many fewer."""
    by: Array | int = 0
    """For BEHIND: the kind of core of the task that is not submitted, or the number of kinds where
    there is none. For GIVEN: what else the task stops to be, READY or UNSURE, or 0."""


class _MomentsStruct(Structure):
    """The struct ls_moments."""

    _fields_ = (
        ("time", c_void_p),
        ("change", c_void_p),
        ("where", c_void_p),
        ("by", c_void_p),
        ("count", c_int64),
        ("each", c_int32),
        ("what", c_int32),
    )


class _TilingStruct(Structure):
    """The struct ls_tiling."""

    _fields_ = (
        ("parts", c_void_p),
        ("kind_of", c_void_p),
        ("begin", c_int64),
        ("end", c_int64),
        ("areas", c_void_p),
        ("before", c_void_p),
        ("after", c_void_p),
        ("count", c_int32),
        ("cores", c_int32),
        ("kinds", c_int32),
        ("pad", c_int32),
    )


@dataclass(frozen=True, slots=True, eq=False)
class RunWaits:
    """What cores waited for between single runs, in ns. Each array has a column per TILES.

    Idle cores of a kind share what all of them wait for.
    """

    before: Array
    """By STARTED moment: what its core waited for since the run before."""
    after: Array
    """By core: what it waited for after its last run."""


def sort_order(keys: Array) -> Array:
    """Return the order that sorts int64 keys; equal keys keep their order."""
    keys = np.ascontiguousarray(keys, np.int64)
    order = np.empty(len(keys), np.int64)
    if library().ls_sort_order(len(keys), keys.ctypes.data, order.ctypes.data) < 0:
        raise MemoryError
    return order


def sorted_values(values: Array) -> Array:
    """Return a sorted copy of int64 values."""
    ordered = np.array(values, np.int64)
    if library().ls_sort_values(len(ordered), ordered.ctypes.data) < 0:
        raise MemoryError
    return ordered


def tile(parts: Sequence[Moments], kind_of: Array, kinds: int, window: tuple[int, int]) -> Array:
    """Return where the time of the cores goes, in ns times cores, by kind of core and TILES.

    `kind_of` has the kind of every core, `kinds` is their number. `window` is the time to look at,
    in ns.
    """
    areas = np.zeros((kinds, len(TILES)), np.int64)
    _tile(parts, kind_of, window, areas=areas, waits=None)
    return areas


def tile_runs(
    parts: Sequence[Moments], kind_of: Array, kinds: int, window: tuple[int, int]
) -> RunWaits:
    """Return where the time of the cores goes between single runs; see `tile`."""
    started = [part for part in parts if part.what == STARTED]
    if len(started) > 1:
        raise ValueError("runs that start must be one part")
    rows = sum(len(part.time) for part in started)
    before = np.zeros((rows, len(TILES)), np.float32)
    waits = RunWaits(before, np.zeros((len(kind_of), len(TILES)), np.float32))
    areas = np.zeros((kinds, len(TILES)), np.int64)
    _tile(parts, kind_of, window, areas=areas, waits=waits)
    return waits


def _tile(
    parts: Sequence[Moments],
    kind_of: Array,
    window: tuple[int, int],
    *,
    areas: Array,
    waits: RunWaits | None,
) -> None:
    cores, kinds = len(kind_of), len(areas)
    for part in parts:
        _require(part.where, kinds if READY <= part.what < GIVEN else cores)
        if part.what == BEHIND:
            _require(np.asarray(part.by), kinds + 1)
    _require(kind_of, kinds)
    kind_of = np.ascontiguousarray(kind_of, np.int32)
    given = _Parts(parts)
    tiling = _TilingStruct(
        parts=given.address,
        kind_of=kind_of.ctypes.data,
        begin=window[0],
        end=window[1],
        areas=areas.ctypes.data,
        before=None if waits is None else waits.before.ctypes.data,
        after=None if waits is None else waits.after.ctypes.data,
        count=len(parts),
        cores=cores,
        kinds=kinds,
    )
    if library().ls_tile(ctypes.addressof(tiling)) < 0:
        raise MemoryError


def overhead(parts: Sequence[Moments], cores: Array) -> Array:
    """Return how long cores were idle while tasks waited, in ns.

    The first values are by kind of core: the time with an idle core and a waiting task of this
    kind. Then comes the time in which all kinds had that. The last value is the time in which all
    kinds with waiting tasks had an idle core.
    """
    kinds = len(cores)
    for part in parts:
        _require(part.where, kinds)
    cores = np.ascontiguousarray(cores, np.int64)
    idle_ns = np.zeros(kinds + 2, np.int64)
    given = _Parts(parts)
    status = library().ls_overhead(
        given.address, len(parts), cores.ctypes.data, kinds, idle_ns.ctypes.data
    )
    if status < 0:
        raise MemoryError
    return idle_ns


def _require(where: Array, limit: int) -> None:
    """Refuse numbers of cores or kinds below 0, or not below `limit`."""
    if where.size and not (0 <= int(where.min()) and int(where.max()) < limit):
        raise IndexError("a moment is about a core or kind that there is not")


class _Parts:
    """The parts as C reads them. It keeps the columns in memory for that time."""

    def __init__(self, parts: Sequence[Moments]) -> None:
        self._columns: list[Array] = []
        self._structs = (_MomentsStruct * max(len(parts), 1))(*(self._one(part) for part in parts))
        self.address = ctypes.addressof(self._structs)

    def _one(self, part: Moments) -> _MomentsStruct:
        columns = [c for c in (part.where, part.change, part.by) if not isinstance(c, int)]
        if any(len(column) != len(part.time) for column in columns):
            raise ValueError("columns of moments differ in length")
        return _MomentsStruct(
            time=self._pointer(part.time, np.int64),
            change=None if isinstance(part.change, int) else self._pointer(part.change, np.int32),
            where=self._pointer(part.where, np.uint16),
            by=self._by(part),
            count=len(part.time),
            each=part.change if isinstance(part.change, int) else 0,
            what=part.what,
        )

    def _by(self, part: Moments) -> int | None:
        if isinstance(part.by, int):
            return None if not part.by else self._pointer(np.full(len(part.time), part.by), np.int8)
        return self._pointer(part.by, np.int8)

    def _pointer(self, column: Array, dtype: type[np.generic]) -> int:
        self._columns.append(np.ascontiguousarray(column, dtype))
        return int(self._columns[-1].ctypes.data)
