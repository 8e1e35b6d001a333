"""Bars of a lane in a range of time, counted by name and run (native/src/area.c)."""

from __future__ import annotations

import ctypes
from ctypes import Structure, c_int32, c_int64, c_void_p
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lanescope.native import Array, library

BINS = 1024
"""Bins of lengths: 16 per factor of two."""
PLACES = 3
"""Values that are searched for each name."""
_ROOM = 16
"""Names of a lane for which there is room at first."""
SUMS = np.dtype(
    [(name, "<i8") for name in ("count", "over", "low", "high", "outside_low", "outside_high")]
)
"""The struct ls_area_sums."""
SEARCH = np.dtype([("low", "<u8"), ("width", "<u8"), ("at", "<i8"), ("shift", "<i8")])
"""The struct ls_area_search."""


class _Bars(Structure):
    """The struct ls_area_bars."""

    _fields_ = (
        ("start", c_void_p),
        ("end", c_void_p),
        ("name", c_void_p),
        ("run", c_void_p),
        ("slot_of", c_void_p),
        ("count", c_int64),
        ("t0", c_int64),
        ("t1", c_int64),
        ("names", c_int32),
        ("runs", c_int32),
        ("slots", c_int32),
        ("used", c_int32),
    )


class LaneBars:
    """Bars of one lane, in order of their start, and the range of time in which they count."""

    def __init__(self, start: Array, end: Array, name: Array, *, t0: int, t1: int) -> None:
        """Bars count up to but not `t1`.

        Raises:
            OverflowError: a time has more than 64 bits.
        """
        self.t0, self.t1 = int(np.int64(t0)), int(np.int64(t1))
        count = int(np.searchsorted(start, self.t1))
        self._start = np.ascontiguousarray(start[:count], np.int64)
        self._end = np.ascontiguousarray(end[:count], np.int64)
        self._name = np.ascontiguousarray(name[:count], np.int32)
        if not len(self._start) == len(self._end) == len(self._name):
            raise ValueError("start, end and name must have the same length")

    def __len__(self) -> int:
        """Number of bars that start before the end of the range."""
        return len(self._start)

    def as_struct(self, slot_of: Array, slots: int) -> _Bars:
        """The bars as C reads them, without runs."""
        return _Bars(
            start=self._start.ctypes.data,
            end=self._end.ctypes.data,
            name=self._name.ctypes.data,
            slot_of=slot_of.ctypes.data,
            count=len(self),
            t0=self.t0,
            t1=self.t1,
            names=len(slot_of),
            runs=1,
            slots=slots,
        )


@dataclass(frozen=True, slots=True, eq=False)
class BarCounts:
    """What a lane has in the range, by name."""

    names: list[int]
    """Codes of the names that have bars, in rising order; -1 stands for all others."""
    sums: Array
    """Of SUMS, by name and run."""
    bins: Array
    """By name: bars in each bin of lengths."""


class _Room:
    """Sums and bins for so many names."""

    def __init__(self, slots: int, runs: int) -> None:
        self.sums = np.zeros((slots, runs), SUMS)
        self.bins = np.zeros((slots, BINS), np.uint32)

    @cached_property
    def addresses(self) -> tuple[int, int]:
        return self.sums.ctypes.data, self.bins.ctypes.data

    def larger(self) -> _Room:
        slots, runs = self.sums.shape
        more = _Room(2 * slots, runs)
        more.sums[:slots], more.bins[:slots] = self.sums, self.bins
        return more


def count_bars(bars: LaneBars, known: int, run: Array | None = None, runs: int = 1) -> BarCounts:
    """Count the bars that touch the range, by name and run.

    Names are 0 up to but not `known`; all others count as -1. `run` is a number per bar below
    `runs`; others count as the last one.
    """
    slot_of = np.full(known + 1, -1, np.int32)
    room = _Room(_ROOM, runs)
    given = bars.as_struct(slot_of, _ROOM)
    if run is not None:
        run = np.ascontiguousarray(run[: len(bars)], np.int32)
        if len(run) != len(bars):
            raise ValueError("there must be a run per bar")
        given.run, given.runs = run.ctypes.data, runs
    done = 0
    while True:
        done = library().ls_area_count(ctypes.addressof(given), done, *room.addresses)
        if done == len(bars):
            break
        room = room.larger()
        given.slots = len(room.sums)
    codes = np.flatnonzero(slot_of >= 0)
    slots = slot_of[codes]
    return BarCounts((codes - 1).tolist(), room.sums[slots], room.bins[slots])


def narrow(bars: LaneBars, slot_of: Array, searches: Array, size: int) -> Array:
    """Count the lengths of bars that are searched for.

    `slot_of` says from name -1 on whose searches are those of a name, -1 where it has none.
    `searches` is of SEARCH, by slot and place; `size` is how many counts they share.
    """
    searches = np.ascontiguousarray(searches, SEARCH)
    if searches.ndim != 2 or searches.shape[1] != PLACES:
        raise ValueError(f"there must be {PLACES} searches per name")
    bins = searches["at"] + (searches["width"].astype(np.int64) >> searches["shift"])
    if searches.size and (int(searches["at"].min()) < 0 or int(bins.max()) > size):
        raise IndexError("a search does not fit into the counts")
    slot_of = np.ascontiguousarray(slot_of, np.int32)
    counts = np.zeros(size, np.uint32)
    given = bars.as_struct(slot_of, len(searches))
    library().ls_area_narrow(ctypes.addressof(given), searches.ctypes.data, counts.ctypes.data)
    return counts
