"""Copies buffers from a device whose memory the host cannot map, before the drain takes them.

A copy has no order in itself. So the counters come first, and the buffers that they count by
another copy after a fence. The drain sees a table of its own, in which only what was brought is
published.
"""

from __future__ import annotations

import numpy as np

from lanescope.device.head import Array, Head
from lanescope.device.layouts import layout
from lanescope.device.transport import Transport


class Bringer:
    """Brings published buffers of some lanes into the image of a transport."""

    def __init__(self, transport: Transport, head: Head, own: range, room: int) -> None:
        """Bring buffers of the lanes `own`, as many at a time as have room in so many bytes."""
        self._transport = transport
        self._head = head
        self._own = own
        self._room = room
        self._turn = -1
        self.lanes = head.lanes.copy()
        """The lane table (ls_lane) in which each lane has published what was brought."""
        self.fullest = 0
        """How full the fullest ring was when the counters were copied, in percent."""

    def bring(self, taken: Array, refused: Array) -> None:
        """Copy what is published and not taken; `taken` and `refused` are by lane.

        Raises:
            TransportError: the device cannot be reached.
        """
        own = slice(self._own.start, self._own.stop)
        counts, first = self._head.lanes["buffer_count"][own], taken[own]
        published = self._published()
        behind = published - first
        wrong = behind > counts
        behind[wrong | (refused[own] != 0)] = 0
        self.fullest = int((behind * 100 // counts).max(initial=0))
        brought, ranges = self._ranges(first, behind)
        if ranges:
            self._transport.read(*ranges)
        # A counter that cannot be right goes on as it is: the drain finds it and refuses the lane.
        self.lanes["published"][own] = np.where(wrong, published, first + brought)

    def _published(self) -> Array:
        size = layout("ls_lane").itemsize
        at = int(self._head.header["lanes"]) + self._own.start * size
        self._transport.read((at, len(self._own) * size))
        self._transport.fence()
        table = self._transport.image[at : at + len(self._own) * size].view(layout("ls_lane"))
        return table["published"].copy()

    def _ranges(self, first: Array, behind: Array) -> tuple[Array, list[tuple[int, int]]]:
        """Return how many buffers of each lane are brought in this round, and where they are.

        The lanes take turns in being the first.
        """
        brought, ranges, room = np.zeros_like(behind), list[tuple[int, int]](), self._room
        waiting = np.flatnonzero(behind)
        self._turn = int(waiting[waiting > self._turn].min(initial=len(behind))) % len(behind)
        for own in np.roll(waiting, -int(np.searchsorted(waiting, self._turn))).tolist():
            lane = self._head.lanes[self._own.start + own]
            stride, count = int(lane["buffer_stride"]), int(lane["buffer_count"])
            for sequence in range(int(first[own]), int(first[own] + behind[own])):
                if stride > room:
                    return brought, ranges
                room -= stride
                ranges.append((int(lane["buffers"]) + sequence % count * stride, stride))
                brought[own] += 1
        return brought, ranges
