"""Turns values of a core's own counter into ns of the device's clock.

A clock block of a buffer holds moments at which both were read. These moments are knots: between
two of them time runs straight, so it never runs backwards. A reading of the device's clock is up to
one step old, so the times of two cores can be two steps apart. They can be further apart where a
counter changes its rate between two knots; the rates before and after a knot show how much.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.device.head import Array

KNOT_GAP_NS = 100_000
"""Least distance of two knots. The clock's step alone would bend the line between closer ones."""
_FAR = 2.0**62
"""Most ns from the first knot; only damaged clock blocks give more."""
_USUAL_RATE = 0.5
"""ns per cycle, for a capture that has no two moments to measure it with."""


@dataclass(frozen=True, slots=True, eq=False)
class ClockReadings:
    """All readings of the device's clock in a capture, and how much time passed on both clocks.

    Time passes from the start of a kernel until a clock block is closed. Where a block was never
    closed, the time ends when it was opened.
    """

    ns: Array
    """The readings, in ns."""
    cycles_passed: Array
    """By clock block: time that passed on the core's counter."""
    ns_passed: Array
    """By clock block: time that passed on the device's clock."""

    @staticmethod
    def of(clocks: list[Array]) -> ClockReadings:
        """Collect the readings from the clock blocks of all lanes (ls_slice_clock)."""
        everything = np.concatenate(clocks)
        closed = everything["close_ns"] != 0
        cycles = np.where(closed, everything["close_cycles"], everything["open_cycles"])
        ns = np.where(closed, everything["close_ns"], everything["open_ns"])
        return ClockReadings(
            ns=np.concatenate([everything["open_ns"], ns[closed]]).astype(np.int64),
            cycles_passed=(cycles - everything["start_cycles"]).astype(np.int64),
            ns_passed=(ns - everything["start_ns"]).astype(np.int64),
        )


def nominal_rate(readings: ClockReadings) -> float:
    """Return the mean rate of the cores' counters, in ns per cycle."""
    cycles = int(readings.cycles_passed.sum())
    return float(readings.ns_passed.sum()) / cycles if cycles > 0 else _USUAL_RATE


def step_ns(readings: ClockReadings) -> int:
    """Return the step of the device's clock in ns; 0 where there are fewer than two readings.

    It is the largest number that divides the distance of every two readings.
    """
    return int(np.gcd.reduce(np.diff(readings.ns))) if len(readings.ns) > 1 else 0


def bend_ns(clocks: list[Array], step: int) -> int:
    """Return how far apart the times of two cores may be, in ns, because rates change.

    `clocks` has the clock blocks of each lane, `step` is the step of the device's clock in ns.
    """
    parts = [_bends(_lines(lane), step) for lane in clocks if len(lane)]
    if not parts:
        return 0
    change, longest, alone = (np.concatenate(column) for column in zip(*parts, strict=True))
    # A line of one part shows no change of its own. It may have changed as much as the others.
    change = np.where(alone, change.max(initial=0.0), change)
    return round(float((change * longest).max()))


def _bends(lines: _Lines, step: int) -> tuple[Array, Array, Array]:
    """Return each line's largest change of its rate, its longest part in ns, and if it is all.

    A change is relative, and less what the step of the clock explains.
    """
    inner = lines.line[1:] == lines.line[:-1]
    passed, length = np.diff(lines.cycles)[inner], np.diff(lines.ns)[inner]
    of = lines.line[1:][inner]
    both = np.flatnonzero((of[1:] == of[:-1]) & (length[1:] > 0) & (length[:-1] > 0))
    both = both[(passed[both] > 0) & (passed[both + 1] > 0)]
    rate = passed[both] / length[both]
    later = passed[both + 1] / length[both + 1]
    explained = 2 * step / np.minimum(length[both], length[both + 1])
    change = np.zeros(len(lines.last))
    np.maximum.at(change, of[both], np.abs(later - rate) / later - explained)
    longest = np.zeros(len(lines.last))
    np.maximum.at(longest, of, length.astype(np.float64))
    return change, longest, np.bincount(of, minlength=len(longest)) < 2


def device_ns(cycles: Array, clocks: Array, buffer: Array, *, rate: float) -> Array:
    """Return counter values as ns of the device's clock.

    `cycles` has one column per slice, and `buffer` the clock block of each slice. `rate`, in ns per
    cycle, is for a stretch that is too short to measure its own.
    """
    if not len(clocks):
        return np.zeros(cycles.shape, np.int64)
    lines = _lines(clocks)
    return lines.at(cycles, np.searchsorted(lines.edges, buffer, side="right") - 1, rate=rate)


def stretch_edges(clocks: Array) -> Array:
    """Return where the clock blocks of each opening of the lane begin, and their number.

    A lane is opened once by each CTA or warp that has it; those of one opening are on one unit.
    """
    new = np.zeros(max(len(clocks) - 1, 0), bool)
    for name in ("start_cycles", "unit", "launch"):
        new |= clocks[name][1:] != clocks[name][:-1]
    first = [0] if len(clocks) else []
    return np.concatenate([first, np.flatnonzero(new) + 1, [len(clocks)]]).astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class _Lines:
    """The knots of every stretch of a lane, one stretch after another."""

    edges: Array
    """Where the clock blocks of each stretch begin, and the number of all."""
    cycles: Array
    ns: Array
    line: Array
    """By knot: its stretch."""
    last: Array
    """By stretch: its last knot. Each has two or more."""

    def at(self, cycles: Array, of: Array, *, rate: float) -> Array:
        """Return counter values as ns: straight between knots, and at the line's rate beyond them.

        `of` is the line of each column. One that is too short to measure its own rate has `rate`.
        """
        first = np.append(0, self.last[:-1] + 1)
        x = (self.cycles - self.cycles[first][self.line]).astype(np.float64)
        y = (self.ns - self.ns[first][self.line]).astype(np.float64)
        span, passed = x[self.last], y[self.last]
        measured = (passed >= KNOT_GAP_NS) & (span > 0)
        slope = np.where(measured, passed / np.where(measured, span, 1.0), rate)
        # Lines behind each other on one axis, so that one search finds the part of any value. One
        # that runs backwards, as damage makes it, stays in its own place there.
        room = np.maximum(span, 0.0)
        begin = np.append(0.0, np.cumsum(room + 1.0)[:-1])
        value = (cycles - self.cycles[first][of]).astype(np.float64)
        inside = np.clip(value, 0.0, room[of])
        axis = begin[self.line] + np.clip(x, 0.0, room[self.line])
        part = np.searchsorted(axis, begin[of] + inside, side="right") - 1
        part = np.clip(part, first[of], self.last[of] - 1)
        length = x[part + 1] - x[part]
        steep = (y[part + 1] - y[part]) / np.where(length > 0, length, 1.0)
        found = y[part] + steep * (inside - x[part]) + (value - inside) * slope[of]
        out: Array = self.ns[first][of] + np.rint(found).clip(-_FAR, _FAR).astype(np.int64)
        return out


def _lines(clocks: Array) -> _Lines:
    """Return the lines of a lane: knots that are not too close to each other."""
    edges = stretch_edges(clocks)
    counts, tail = np.diff(edges), clocks[edges[1:] - 1]
    closed = tail["close_ns"] != 0
    size = 1 + counts + closed
    end = np.cumsum(size)
    first, last = end - size, end - 1
    opened = np.arange(len(clocks)) + 1 + np.repeat(first - edges[:-1], counts)
    cycles, ns = np.empty((2, int(end[-1])), np.int64)
    for flat, name in ((cycles, "cycles"), (ns, "ns")):
        flat[first] = clocks[f"start_{name}"][edges[:-1]]
        flat[opened] = clocks[f"open_{name}"]
        flat[last[closed]] = tail[f"close_{name}"][closed]
    line = np.repeat(np.arange(len(counts)), size)
    group = (ns - ns[first][line]) // KNOT_GAP_NS
    kept = np.append(True, group[1:] != group[:-1])
    kept &= ns[last][line] - ns >= KNOT_GAP_NS
    kept[first] = kept[last] = True
    return _Lines(edges, cycles[kept], ns[kept], line[kept], np.cumsum(kept)[last] - 1)
