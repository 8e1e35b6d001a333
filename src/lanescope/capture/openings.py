"""When kernels opened and closed lanes of slices, and for which launch.

A CTA or a warp opens its lane when the kernel takes it, and closes it when it gives it back. The
clock block of each buffer has the moment of the opening and the launch's number.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from lanescope.capture.knots import stretch_edges
from lanescope.device.head import Array
from lanescope.device.layouts import constant
from lanescope.trace.join import TaskKey
from lanescope.trace.schema import MISSING32

_NUMBER_BITS = 44
"""How many bits of a search key are the number of a slice in its lane; the others are the lane."""
_NUMBERS = 1 << (64 - constant("LS_LAUNCH_SHIFT"))
_MOST_UNIT = np.iinfo(np.int32).max
_LAST = (1 << _NUMBER_BITS) - 1


@dataclass(frozen=True, slots=True, eq=False)
class Openings:
    """Openings of lanes, a column each: by lane, then in recorded order."""

    slot: Array
    """Place of the lane among all: the core's number times the pipes of a core, and the pipe."""
    core: Array
    unit: Array
    """The SM; MISSING32 where it is not known."""
    number: Array
    """Number of the launch as the kernel's handle had it; 0: none."""
    start: Array
    """Times in cycles of the device's clock."""
    end: Array
    first: Array
    """Number in the lane of its first slice; of one without slices, that of the next slice."""

    @staticmethod
    def below_each_other(parts: list[Openings]) -> Openings:
        """Return the openings of all lanes, lane by lane."""
        ordered = sorted(parts, key=lambda part: int(part.slot[0]) if len(part.slot) else -1)
        return Openings(
            *(
                np.concatenate([getattr(part, column.name) for part in ordered])
                for column in fields(Openings)
            )
        )

    def of_tasks(self, key: TaskKey, pipes: int) -> Array:
        """Return the place of the opening in which each task ran, -1 where it is not known."""
        sought = _search_key(
            key.core.astype(np.int64) * pipes + key.token % pipes, key.token // pipes
        )
        known = _search_key(self.slot, self.first)
        found = np.searchsorted(known, sought, side="right") - 1
        same = known[found] >> _NUMBER_BITS == sought >> _NUMBER_BITS
        return np.where(same, found, -1)


def _search_key(slot: Array, number: Array) -> Array:
    key: Array = slot << _NUMBER_BITS | np.minimum(number, _LAST)
    return key


@dataclass(frozen=True, slots=True)
class LanePlace:
    """Which lane it is."""

    core: int
    pipe: int
    pipes: int
    """How many lanes each core has."""


def lane_openings(place: LanePlace, clocks: Array, buffer: Array, number: Array) -> Openings:
    """Return the openings of one lane, with the times of their moments.

    `clocks` are the lane's clock blocks; `buffer` has the block of each slice, `number` its number.
    """
    edges = stretch_edges(clocks)
    head, tail = clocks[edges[:-1]], clocks[edges[1:] - 1]
    closed = np.where(tail["close_ns"] != 0, tail["close_ns"], tail["open_ns"])
    begin = np.searchsorted(buffer, edges[:-1])
    count = len(head)
    return Openings(
        slot=np.full(count, place.core * place.pipes + place.pipe, np.int64),
        core=np.full(count, place.core, np.int64),
        unit=units(head),
        number=np.where(head["launch"] < _NUMBERS, head["launch"], 0).astype(np.int64),
        start=head["start_ns"].astype(np.int64),
        end=closed.astype(np.int64),
        first=np.append(number, _LAST)[begin].astype(np.int64),
    )


def units(clocks: Array) -> Array:
    """Return the SM of each clock block; MISSING32 where it can be none, as damage makes it."""
    unit = clocks["unit"].astype(np.int64)
    found: Array = np.where((unit >= 0) & (unit <= _MOST_UNIT), unit, MISSING32)
    return found


def around(openings: Openings, begin: Array, start: Array, end: Array) -> Openings:
    """Return the openings of one lane, each long enough for the slices in it.

    `begin` is the first slice of each opening. Slices lie on a line through several moments, so one
    may stick out by the step of the clock.
    """
    some = begin < np.append(begin[1:], len(start))
    if not some.any():
        return openings
    at = begin[some]
    opened, closed = openings.start.copy(), openings.end.copy()
    opened[some] = np.minimum(opened[some], np.minimum.reduceat(start, at))
    closed[some] = np.maximum(closed[some], np.maximum.reduceat(end, at))
    return Openings(
        openings.slot,
        openings.core,
        openings.unit,
        openings.number,
        opened,
        closed,
        openings.first,
    )
