"""What a stream decodes to: columns of busy intervals, marks and stamps, and an account of bytes.

Times are int64 units (clocks.py) since `Decoded.base_ticks`; pipes are places in PIPES.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from lanescope.chunks.clocks import Clocks
from lanescope.errors import LanescopeError
from lanescope.trace.table import Array


class Reason(IntEnum):
    """Why a chunk could not be used."""

    UNKNOWN_CODE = 1
    BROKEN_STAMP = 2
    STAMP_OUT_OF_ORDER = 3
    NO_TIME = 4
    PAST_NEXT_STAMP = 5
    AFTER_THE_END = 6
    CUT_OFF = 7

    @property
    def text(self) -> str:
        return _TEXTS[self]


_TEXTS = {
    Reason.UNKNOWN_CODE: "unknown control code",
    Reason.BROKEN_STAMP: "part of a start stamp whose other parts are lost",
    Reason.STAMP_OUT_OF_ORDER: "start stamp whose counter does not fit the others",
    Reason.NO_TIME: "no good start stamp before it, so its time is unknown",
    Reason.PAST_NEXT_STAMP: "later than the start stamp that follows it",
    Reason.AFTER_THE_END: "data after the end of the stream",
    Reason.CUT_OFF: "not a whole chunk",
}


@dataclass(frozen=True, eq=False, slots=True)
class Stamps:
    """Good start stamps in stream order."""

    time: Array
    block: Array


@dataclass(frozen=True, eq=False, slots=True)
class Busy:
    """Intervals in which a pipe worked, by pipe, then start."""

    pipe: Array
    start: Array
    end: Array


@dataclass(frozen=True, eq=False, slots=True)
class Marks:
    """Marks in stream order; `ctrl` is the raw code, which tells the two codes of fixp apart."""

    pipe: Array
    ctrl: Array
    mark: Array
    time: Array


@dataclass(frozen=True, eq=False, slots=True)
class Unpaired:
    """Ends of busy intervals whose other end is not in the stream or has no time.

    `starts` is True where the pipe became busy then, and False where it became idle.
    """

    pipe: Array
    time: Array
    starts: Array


class DamagedRange(NamedTuple):
    """Neighbouring bytes that could not be used for one reason."""

    offset: int
    bytes: int
    reason: Reason


@dataclass(frozen=True, eq=False, slots=True)
class Damaged:
    """Chunks that could not be used, by offset; only the last may have fewer than 4 bytes."""

    offset: Array
    bytes: Array
    reason: Array

    def places(self) -> int:
        """How many ranges there are."""
        return len(self._first())

    def ranges(self, most: int | None = None) -> list[DamagedRange]:
        """Neighbours of one reason together; the first `most` of them."""
        first = self._first()
        sizes = np.add.reduceat(self.bytes, first)[:most].tolist() if len(first) else []
        first = first[:most]
        columns = (self.offset[first].tolist(), sizes, self.reason[first].tolist())
        return [
            DamagedRange(offset, size, Reason(reason))
            for offset, size, reason in zip(*columns, strict=True)
        ]

    def _first(self) -> Array:
        """Where ranges begin."""
        new = np.ones(len(self.offset), bool)
        new[1:] = self.offset[1:] != self.offset[:-1] + self.bytes[:-1]
        new[1:] |= self.reason[1:] != self.reason[:-1]
        return np.flatnonzero(new)


@dataclass(frozen=True, slots=True)
class ByteAccount:
    """Every byte of a stream, each counted by itself: they add up to `total` or the code is wrong.

    `stub` is everything from the first flush stub on that is neither filler nor sentinel.
    """

    total: int
    decoded: int
    filler: int
    sentinel: int
    stub: int
    damaged: int

    @property
    def closes(self) -> bool:
        return self.total == self.decoded + self.filler + self.sentinel + self.stub + self.damaged


@dataclass(frozen=True, eq=False, slots=True)
class Decoded:
    """One core's stream."""

    clocks: Clocks
    base_ticks: int
    """The system counter at time 0: that of the earliest good stamp."""
    stamps: Stamps
    busy: Busy
    marks: Marks
    unpaired: Unpaired
    damaged: Damaged
    account: ByteAccount

    def ticks(self, time: Array) -> Array:
        """The system counter at these times, rounded down."""
        return self.clocks.ticks(time) + np.int64(self.base_ticks)

    def ns(self, time: Array, base_ticks: int) -> Array:
        """Nanoseconds since the counter was `base_ticks`, rounded down."""
        shift = (self.base_ticks - base_ticks) * self.clocks.units_per_tick
        if abs(shift) > self.clocks.limit:
            raise LanescopeError(
                f"the core's counter starts at {self.base_ticks}, too far from the trace's base "
                f"{base_ticks} to be of the same run; decode it as a trace of its own"
            )
        return self.clocks.ns(time + np.int64(shift))

    def block_at(self, time: Array) -> Array:
        """The block of the last stamp at or before each time."""
        at = np.searchsorted(self.stamps.time, time, side="right") - 1
        blocks: Array = self.stamps.block[at]
        return blocks
