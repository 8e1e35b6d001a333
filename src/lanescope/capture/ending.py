"""The end of a session whose region is in no file: what is left in it goes into the spool.

Such a region is a device's memory, which goes away, or belongs to somebody else. A capture of it is
its spool alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.capture.leftover import leftover_buffers
from lanescope.device.head import Array, Head
from lanescope.device.layouts import layout
from lanescope.device.transport import Transport


@dataclass(frozen=True, slots=True, eq=False)
class Ending:
    """What a region held when its session ended."""

    prefix: bytes
    """Its head, with the last counters. Lanes that cannot be believed are marked as refused."""
    payload: Array
    """The buffers that nobody has taken, as a spool holds them."""
    problems: tuple[str, ...]
    """What could not be read, a sentence each."""


def read_end(transport: Transport, head: Head, taken: Array) -> Ending:
    """Return what is left in a region, where `taken` buffers of each lane were taken.

    The device should have stopped. Of one that still runs, what it had recorded is read, as far as
    its counters tell.

    Raises:
        TransportError: the device cannot be reached.
    """
    prefix_bytes, at = int(head.header["prefix_bytes"]), int(head.header["lanes"])
    table = slice(at, at + head.lane_bytes)
    transport.fence()
    transport.read((0, prefix_bytes))
    transport.fence()
    prefix = transport.image[:prefix_bytes].copy()
    lanes = prefix[table].view(layout("ls_lane"))
    transport.read((at, head.lane_bytes))  # a buffer is opened before it is published,
    opened = transport.image[table].view(layout("ls_lane"))["opened"]
    lanes["opened"] = opened  # so this counter is read last
    transport.fence()
    if transport.copies:
        ranges = _open_ranges(lanes, head, taken)
        if ranges:
            transport.read(*ranges)
        transport.fence()
        transport.image[table].view(layout("ls_lane"))[:] = lanes
    leftover = leftover_buffers(transport.image, head, taken)
    lanes["refused"][sorted(leftover.damaged)] = 1
    return Ending(prefix.tobytes(), leftover.payload, leftover.problems)


def _open_ranges(lanes: Array, head: Head, taken: Array) -> list[tuple[int, int]]:
    """Return where the buffers lie that are opened and not taken; at most a ring of each lane."""
    ranges = []
    for index, lane in enumerate(head.lanes):
        count, stride = int(lane["buffer_count"]), int(lane["buffer_stride"])
        left = int(np.uint64(lanes["opened"][index]) - np.uint64(taken[index]))
        for sequence in range(int(taken[index]), int(taken[index]) + left if left <= count else 0):
            ranges.append((int(lane["buffers"]) + sequence % count * stride, stride))
    return ranges
