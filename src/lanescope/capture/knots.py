"""Turns values of a core's own counter into ns of the device's clock.

A clock block of a buffer holds moments at which both were read. These moments are knots: between
two of them time runs straight, so it never runs backwards. A reading of the device's clock is up to
one step old, so the times of two cores can be two steps apart. They can be further apart where a
counter changes its rate between two knots; the rates before and after a knot show how much.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

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
    lines = [_knots(lane[first:last]) for lane in clocks for first, last in _stretches(lane)]
    parts = [(np.diff(cycles), np.diff(ns)) for cycles, ns in lines if len(ns) > 1]
    changes = [_change(passed, length, step) for passed, length in parts]
    usual = max(changes, default=0.0)
    # A line of one part shows no change of its own. It may have changed as much as the others.
    bends_ns = [
        (change if len(length) > 1 else usual) * float(length.max())
        for change, (_, length) in zip(changes, parts, strict=True)
    ]
    return round(max(bends_ns, default=0.0))


def _change(passed: Array, length: Array, step: int) -> float:
    """Return the largest relative change of the rate at a knot, less what the step explains."""
    if len(length) < 2:
        return 0.0
    rate = passed / length
    explained = 2 * step / np.minimum(length[1:], length[:-1])
    return float(np.maximum(np.abs(np.diff(rate)) / rate[1:] - explained, 0.0).max())


def device_ns(cycles: Array, clocks: Array, buffer: Array, *, rate: float) -> Array:
    """Return counter values as ns of the device's clock.

    `cycles` has one column per slice, and `buffer` the clock block of each slice. `rate`, in ns per
    cycle, is for a stretch that is too short to measure its own.
    """
    out = np.empty(cycles.shape, np.int64)
    for first, last in _stretches(clocks):
        begin, end = np.searchsorted(buffer, [first, last])
        knots = _knots(clocks[first:last])
        out[:, begin:end] = _on_line(cycles[:, begin:end], *knots, rate=rate)
    return out


def stretch_edges(clocks: Array) -> Array:
    """Return where the clock blocks of each opening of the lane begin, and their number.

    A lane is opened once by each CTA or warp that has it; those of one opening are on one unit.
    """
    new = np.zeros(max(len(clocks) - 1, 0), bool)
    for name in ("start_cycles", "unit", "launch"):
        new |= clocks[name][1:] != clocks[name][:-1]
    first = [0] if len(clocks) else []
    return np.concatenate([first, np.flatnonzero(new) + 1, [len(clocks)]]).astype(np.int64)


def _stretches(clocks: Array) -> list[tuple[int, int]]:
    """Return first and last + 1 of the clock blocks in a row that one kernel wrote on one unit."""
    return list(pairwise(stretch_edges(clocks).tolist()))


def _knots(clocks: Array) -> tuple[Array, Array]:
    """Return cycles and ns of the knots of a stretch, none of them too close to another."""
    final = clocks[-1]
    closed = int(final["close_ns"]) != 0
    cycles = [clocks["start_cycles"][:1], clocks["open_cycles"]]
    ns = [clocks["start_ns"][:1], clocks["open_ns"]]
    if closed:
        cycles.append(clocks["close_cycles"][-1:])
        ns.append(clocks["close_ns"][-1:])
    all_cycles = np.concatenate(cycles).astype(np.int64)
    all_ns = np.concatenate(ns).astype(np.int64)
    group = (all_ns - all_ns[:1]) // KNOT_GAP_NS
    kept = np.concatenate([[True], group[1:] != group[:-1]])
    kept[-1] = True
    if len(kept) > 2:
        kept[1:-1] &= all_ns[-1:] - all_ns[1:-1] >= KNOT_GAP_NS
    return all_cycles[kept], all_ns[kept]


def _on_line(cycles: Array, knot_cycles: Array, knot_ns: Array, *, rate: float) -> Array:
    """Return counter values as ns: straight between knots, and at the stretch's rate beyond them.

    A stretch that is too short to measure its own rate has `rate`.
    """
    x = (knot_cycles - knot_cycles[0]).astype(np.float64)
    y = (knot_ns - knot_ns[0]).astype(np.float64)
    at = (cycles - knot_cycles[0]).astype(np.float64)
    inside = np.interp(at, x, y)
    slope = y[-1] / x[-1] if y[-1] >= KNOT_GAP_NS and x[-1] > 0 else rate
    inside += np.minimum(at, 0.0) * slope + np.maximum(at - x[-1], 0.0) * slope
    out: Array = knot_ns[0] + np.rint(inside).clip(-_FAR, _FAR).astype(np.int64)
    return out
