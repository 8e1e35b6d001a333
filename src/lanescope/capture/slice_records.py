"""The slices of a lane in cycles of its core's counter, apart from what tells how it runs.

That is the clock block at the front of each buffer, and the moments between slices. `ls_slice` in
kinds.h draws the bytes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.capture.gather import Gathered
from lanescope.device.head import Array
from lanescope.device.layouts import constant, layout

END_BITS = 47
"""How many low bits of the counter a slice holds of its end."""


@dataclass(frozen=True, slots=True, eq=False)
class LaneRecords:
    """The slices of one lane in recorded order, and its moments on both clocks apart from them."""

    lane: int
    slices: Array
    clocks: Array
    """The clock blocks (ls_slice_clock): one per buffer, and one per moment inside it. That one was
    made from the buffer's and says when the moment was as the time at which it was opened."""
    buffer: Array
    """By slice: the place in `clocks` of the newest clock block before it."""
    number: Array
    """By slice: its number in the lane, where dropped slices are counted, too."""
    apart: Array
    """By buffer: how many of its records are no slices of the kernel."""


def lane_slices(gathered: Gathered, lane: int) -> LaneRecords:
    """Return the slices of a lane, and its moments apart from them."""
    room = constant("LS_SLICE_CLOCK_RECORDS")
    first, last = np.searchsorted(gathered.buffers["lane"], [lane, lane + 1])
    buffers = gathered.buffers[first:last]
    records = gathered.records[lane]
    counts = buffers["count"].astype(np.int64)
    begins = np.cumsum(counts) - counts
    whole = counts >= room  # a buffer without its clock says nothing
    blocks = (begins[whole, None] + np.arange(room)).ravel()
    clocks = np.ascontiguousarray(records[blocks]).view(layout("ls_slice_clock"))
    row = np.repeat(np.arange(len(counts)), counts)
    kept = whole[row]
    kept[blocks] = False
    moment = kept & _are_moments(records)
    before = (buffers["first"] + buffers["dropped"]).astype(np.int64)
    slices = kept & ~moment
    inside = np.cumsum(slices) - 1
    inside -= np.append(0, np.cumsum(slices))[begins][row]
    moments = np.bincount(row[moment], minlength=len(counts))
    place = np.cumsum(whole) - 1  # of each buffer's clock block, without moments
    clocks, newest = _with_moments(clocks, records, moment, place[row])
    return LaneRecords(
        lane=lane,
        slices=records[slices],
        clocks=clocks,
        buffer=newest[slices],
        number=(before[row] + inside)[slices],
        apart=np.minimum(counts, room + moments).astype(np.uint32),
    )


def _are_moments(records: Array) -> Array:
    """Say which slices are moments (LS_SLICE_MOMENT)."""
    mark, number = constant("LS_SLICE_MARK"), constant("LS_SLICE_ID")
    found: Array = (records["what"] & np.uint32(mark | number)) == np.uint32(
        mark | constant("LS_SLICE_MOMENT")
    )
    return found


def _with_moments(
    clocks: Array, records: Array, moment: Array, place: Array
) -> tuple[Array, Array]:
    """Return the clock blocks with those of the moments, and by record the newest one before it.

    `place` is, by record, the clock block of its buffer.
    """
    if not moment.any():
        return clocks, place
    at = np.flatnonzero(moment)
    made = clocks[place[at]]
    made["open_cycles"] = _whole_end(records[at], made["open_cycles"])
    made["open_ns"] = records["task"][at].astype(np.uint64) << np.uint64(32)
    made["open_ns"] |= records["duration"][at]
    order = np.argsort(np.append(np.arange(len(clocks)), place[at]), kind="stable")
    return np.concatenate([clocks, made])[order], place + np.cumsum(moment)


def _whole_end(slices: Array, near: Array) -> Array:
    """Return the ends of slices: the values of the counter that are nearest to `near`."""
    whole, half = 1 << END_BITS, 1 << (END_BITS - 1)
    cycles = near.astype(np.int64)
    found: Array = cycles + (_low_end(slices) - cycles + half) % whole - half
    return found


def _low_end(slices: Array) -> Array:
    """Return the low bits of the ends of slices."""
    low: Array = (
        slices["end"].astype(np.int64) | (slices["what"].astype(np.int64) >> 16 & 0x7FFF) << 32
    )
    return low


def slice_cycles(lane: LaneRecords) -> tuple[Array, Array]:
    """Return the end and the duration of each slice, in cycles of the core's counter.

    The first end after a clock block is the value that is nearest to its moment. After it the ends
    never go back.
    """
    end = _low_end(lane.slices)
    steps = np.empty_like(end)
    steps[1:] = (end[1:] - end[:-1]) % (1 << END_BITS)
    first = np.flatnonzero(np.diff(lane.buffer, prepend=-1))
    base = _whole_end(lane.slices[first], lane.clocks["open_cycles"][lane.buffer[first]])
    steps[first] = 0
    passed = np.cumsum(steps)
    which = np.cumsum(np.isin(np.arange(len(end)), first)) - 1
    ends = base[which] + passed - passed[first][which] if len(end) else end
    is_long = lane.slices["what"] & np.uint32(constant("LS_SLICE_LONG")) != 0
    return ends, lane.slices["duration"].astype(np.int64) << (16 * is_long).astype(np.int64)
