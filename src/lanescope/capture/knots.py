"""A core's own counter laid over the device's clock, from the clock blocks of its buffers.

Each block holds moments read from both. Between two of them time runs straight; so all slices of a
core lie on one line with knots, which never runs backwards. Each reading of the device's clock is
up to one step old, so two cores can be off by two steps against each other; and by more where a
counter changes its rate between knots, which shows in the rates on both sides of one.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from lanescope.device.head import Array

KNOT_GAP_NS = 100_000
"""Knots that are closer than this bend the line by the clock's step for nothing."""
_FAR = 2.0**62
"""Only damaged clock blocks are further apart."""
_USUAL_RATE = 0.5
"""ns per cycle where a capture has no two moments to measure it from."""


@dataclass(frozen=True, slots=True, eq=False)
class Anchors:
    """All readings of the device's clock, and what passed on both until each block closed
    or, where it is open, opened."""

    ns: Array
    cycles_passed: Array
    ns_passed: Array

    @staticmethod
    def of(clocks: list[Array]) -> Anchors:
        everything = np.concatenate(clocks)
        closed = everything["close_ns"] != 0
        cycles = np.where(closed, everything["close_cycles"], everything["open_cycles"])
        ns = np.where(closed, everything["close_ns"], everything["open_ns"])
        return Anchors(
            ns=np.concatenate([everything["open_ns"], ns[closed]]).astype(np.int64),
            cycles_passed=(cycles - everything["start_cycles"]).astype(np.int64),
            ns_passed=(ns - everything["start_ns"]).astype(np.int64),
        )


def nominal_rate(anchors: Anchors) -> float:
    """ns per cycle over everything that was recorded."""
    cycles = int(anchors.cycles_passed.sum())
    return float(anchors.ns_passed.sum()) / cycles if cycles > 0 else _USUAL_RATE


def step_ns(anchors: Anchors) -> int:
    """The device clock's step: what all its readings are whole multiples of."""
    return int(np.gcd.reduce(np.diff(anchors.ns))) if len(anchors.ns) > 1 else 0


def bend_ns(clocks: list[Array], step: int) -> int:
    """How far apart two cores' times may be because rates change between knots."""
    lines = [_knots(lane[first:last]) for lane in clocks for first, last in _runs(lane)]
    parts = [(np.diff(cycles), np.diff(ns)) for cycles, ns in lines if len(ns) > 1]
    changes = [_change(passed, length, step) for passed, length in parts]
    usual = max(changes, default=0.0)
    # A line of one part shows no change of its own: it may have had what the others had.
    found = [
        (change if len(length) > 1 else usual) * float(length.max())
        for change, (_, length) in zip(changes, parts, strict=True)
    ]
    return round(max(found, default=0.0))


def _change(passed: Array, length: Array, step: int) -> float:
    """By what share rates on two sides of a knot differ, beyond what the step explains."""
    if len(length) < 2:
        return 0.0
    rate = passed / length
    explained = 2 * step / np.minimum(length[1:], length[:-1])
    return float(np.maximum(np.abs(np.diff(rate)) / rate[1:] - explained, 0.0).max())


def device_ns(cycles: Array, clocks: Array, buffer: Array, *, rate: float) -> Array:
    """Counter values, one column per slice, as ns of the device; `buffer` is the slices' block."""
    out = np.empty(cycles.shape, np.int64)
    for first, last in _runs(clocks):
        begin, end = np.searchsorted(buffer, [first, last])
        knots = _knots(clocks[first:last])
        out[:, begin:end] = _on_line(cycles[:, begin:end], *knots, rate=rate)
    return out


def _runs(clocks: Array) -> list[tuple[int, int]]:
    """Blocks in a row that one kernel wrote: it opened the lane once, on one unit."""
    if not len(clocks):
        return []
    new = (clocks["start_cycles"][1:] != clocks["start_cycles"][:-1]) | (
        clocks["unit"][1:] != clocks["unit"][:-1]
    )
    edges = [0, *(np.flatnonzero(new) + 1).tolist(), len(clocks)]
    return list(pairwise(edges))


def _knots(clocks: Array) -> tuple[Array, Array]:
    """Moments of a run that are far enough from each other: cycles and ns."""
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
    """Straight between knots; beyond them at the run's own rate, or `rate` if it is short."""
    x = (knot_cycles - knot_cycles[0]).astype(np.float64)
    y = (knot_ns - knot_ns[0]).astype(np.float64)
    at = (cycles - knot_cycles[0]).astype(np.float64)
    inside = np.interp(at, x, y)
    slope = y[-1] / x[-1] if y[-1] >= KNOT_GAP_NS and x[-1] > 0 else rate
    inside += np.minimum(at, 0.0) * slope + np.maximum(at - x[-1], 0.0) * slope
    out: Array = knot_ns[0] + np.rint(inside).clip(-_FAR, _FAR).astype(np.int64)
    return out
