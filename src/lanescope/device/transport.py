"""How the host reaches a region: where it lies in shared memory, or through copies of it.

A transport has an `image` of the region that the host reads and writes, `read` and `write` to
bring ranges of the device's bytes into it and back, and `fence` between the two. The host owns one
word per lane, `released`; a transport refuses to write anything else, so the device's counters can
never be rolled back.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from lanescope.device.head import Array
from lanescope.device.layouts import layout
from lanescope.native import library


class Transport(Protocol):
    """What the drain needs of a region, wherever it is."""

    image: Array
    copies: bool
    """False: the image is the region itself, and reading and writing move nothing."""

    def read(self, offset: int, size: int) -> None: ...

    def write(self, offset: int, size: int) -> None: ...

    def fence(self) -> None: ...


class SharedMapping:
    """The image is the region: device and host see the same memory."""

    copies = False

    def __init__(self, memory: Array) -> None:
        self.image = memory

    def read(self, offset: int, size: int) -> None:
        """Nothing to bring: it is there."""

    def write(self, offset: int, size: int) -> None:
        """Nothing to send."""

    def fence(self) -> None:
        library().ls_native_fence()


class ShadowCopy:
    """The host has its own copy and moves ranges of it."""

    copies = True

    def __init__(self, device: Array, lanes_offset: int, lane_count: int) -> None:
        self.device = device
        self.image = np.zeros(len(device), np.uint8)
        self._lanes = lanes_offset
        self._lane_count = lane_count
        self.read(0, lanes_offset)

    def read(self, offset: int, size: int) -> None:
        self.image[offset : offset + size] = self.device[offset : offset + size]

    def write(self, offset: int, size: int) -> None:
        lane = layout("ls_lane")
        _, released = lane.fields["released"][:2]  # type: ignore[index]
        index, inside = divmod(offset - self._lanes, lane.itemsize)
        if not (0 <= index < self._lane_count and inside == released and size == 8):
            raise ValueError(
                f"bytes {offset} to {offset + size} of the region belong to the device; the host "
                "may write only the `released` word of a lane"
            )
        self.device[offset : offset + size] = self.image[offset : offset + size]

    def fence(self) -> None:
        library().ls_native_fence()
