"""What a stream decodes to: columns of busy intervals, marks and stamps, and an account of bytes.

Times are int64 units (clocks.py) since `Decoded.base_ticks`. Pipes are positions in PIPES.
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
        """The reason in words."""
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
    """Intervals in which a pipe worked, sorted by pipe and then by start."""

    pipe: Array
    start: Array
    end: Array


@dataclass(frozen=True, eq=False, slots=True)
class Marks:
    """Marks in stream order; `ctrl` is the raw control code, because fixp has two."""

    pipe: Array
    ctrl: Array
    mark: Array
    time: Array


@dataclass(frozen=True, eq=False, slots=True)
class Unpaired:
    """Single ends of busy intervals, whose other end is not in the stream or has no time.

    `starts` is True where the pipe became busy at that time, False where it became idle.
    """

    pipe: Array
    time: Array
    starts: Array


class DamagedRange(NamedTuple):
    """Neighbouring bytes that could not be used, all for the same reason."""

    offset: int
    bytes: int
    reason: Reason


@dataclass(frozen=True, eq=False, slots=True)
class Damaged:
    """Chunks that could not be used, sorted by offset; only the last may be under 4 bytes long."""

    offset: Array
    bytes: Array
    reason: Array

    def places(self) -> int:
        """Count the ranges."""
        return len(self._first())

    def ranges(self, most: int | None = None) -> list[DamagedRange]:
        """Return the damage with neighbours of one reason joined; at most the first `most`."""
        first = self._first()
        sizes = np.add.reduceat(self.bytes, first)[:most].tolist() if len(first) else []
        first = first[:most]
        columns = (self.offset[first].tolist(), sizes, self.reason[first].tolist())
        return [
            DamagedRange(offset, size, Reason(reason))
            for offset, size, reason in zip(*columns, strict=True)
        ]

    def _first(self) -> Array:
        """Return the positions at which ranges begin."""
        new = np.ones(len(self.offset), bool)
        new[1:] = self.offset[1:] != self.offset[:-1] + self.bytes[:-1]
        new[1:] |= self.reason[1:] != self.reason[:-1]
        return np.flatnonzero(new)


@dataclass(frozen=True, slots=True)
class ByteAccount:
    """The bytes of a stream by what they are. They add up to `total`, or the decoder is wrong.

    `stub` counts what follows the first flush stub and is neither filler nor sentinel.
    """

    total: int
    decoded: int
    filler: int
    sentinel: int
    stub: int
    damaged: int

    @property
    def closes(self) -> bool:
        """Whether the parts add up to the total."""
        return self.total == self.decoded + self.filler + self.sentinel + self.stub + self.damaged


@dataclass(frozen=True, eq=False, slots=True)
class Decoded:
    """One core's stream, decoded."""

    clocks: Clocks
    base_ticks: int
    """The system counter at time 0, which is that of the earliest good stamp."""
    stamps: Stamps
    busy: Busy
    marks: Marks
    unpaired: Unpaired
    damaged: Damaged
    account: ByteAccount

    def ticks(self, time: Array) -> Array:
        """Return the system counter at these times, rounded down."""
        return self.clocks.ticks(time) + np.int64(self.base_ticks)

    def ns(self, time: Array, base_ticks: int) -> Array:
        """Return the nanoseconds since the counter was `base_ticks`, rounded down."""
        shift = (self.base_ticks - base_ticks) * self.clocks.units_per_tick
        if abs(shift) > self.clocks.limit:
            raise LanescopeError(
                f"the core's counter starts at {self.base_ticks}, too far from the trace's base "
                f"{base_ticks} to be of the same run; decode it as a trace of its own"
            )
        return self.clocks.ns(time + np.int64(shift))

    def block_at(self, time: Array) -> Array:
        """Return the block of the last stamp at or before each time."""
        at = np.searchsorted(self.stamps.time, time, side="right") - 1
        blocks: Array = self.stamps.block[at]
        return blocks
