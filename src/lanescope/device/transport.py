"""How the host reaches a region: in memory that it shares with the device, or through copies.

A transport has an `image` of the region, which the host reads and writes. `read` brings a range of
the device's bytes into the image, `write` brings it back, and `fence` stands between the two. The
host owns the words in HEADER_WORDS and LANE_WORDS. A transport refuses to write anything else, so
it can never set back a counter of the device.
"""

from __future__ import annotations

from functools import cache
from typing import Protocol

import numpy as np

from lanescope.device.head import Array
from lanescope.device.layouts import layout
from lanescope.native import library

HEADER_WORDS = ("host_beat", "host_gone")
"""The words of the header (ls_header) that the host writes."""
LANE_WORDS = ("released", "refused")
"""The words of a lane (ls_lane) that the host writes."""


class Transport(Protocol):
    """A region, wherever it is: what the drain needs of it."""

    image: Array
    copies: bool
    """Whether the image is a copy; if not, it is the region, and `read` and `write` do nothing."""

    def read(self, offset: int, size: int) -> None: ...

    def write(self, offset: int, size: int) -> None: ...

    def fence(self) -> None: ...


class SharedMapping:
    """A transport whose image is the region: device and host see the same memory."""

    copies = False

    def __init__(self, memory: Array) -> None:
        self.image = memory

    def read(self, offset: int, size: int) -> None:
        """Do nothing: the bytes are there."""

    def write(self, offset: int, size: int) -> None:
        """Do nothing: the device sees the bytes."""

    def fence(self) -> None:
        """Keep the order: what is before it happens before what is after it."""
        library().ls_native_fence()


class ShadowCopy:
    """A transport whose image is a copy of the region, as where the host cannot map its memory."""

    copies = True

    def __init__(self, device: Array, lanes_offset: int, lane_count: int) -> None:
        self.device = device
        self.image = np.zeros(len(device), np.uint8)
        self._lanes = lanes_offset
        self._lane_count = lane_count
        self.read(0, lanes_offset)

    def read(self, offset: int, size: int) -> None:
        """Copy a range of bytes from the device into the image."""
        self.image[offset : offset + size] = self.device[offset : offset + size]

    def write(self, offset: int, size: int) -> None:
        """Copy a word of the host from the image to the device.

        Raises:
            ValueError: the range is something else.
        """
        index, inside = divmod(offset - self._lanes, layout("ls_lane").itemsize)
        in_lane = 0 <= index < self._lane_count and inside in _offsets("ls_lane", LANE_WORDS)
        if size != 8 or not (in_lane or offset in _offsets("ls_header", HEADER_WORDS)):
            raise ValueError(
                f"bytes {offset} to {offset + size} of the region belong to the device; the host "
                f"may write only {', '.join(HEADER_WORDS)}, and {', '.join(LANE_WORDS)} of a lane"
            )
        self.device[offset : offset + size] = self.image[offset : offset + size]

    def fence(self) -> None:
        """Keep the order: what is before it happens before what is after it."""
        library().ls_native_fence()


@cache
def _offsets(struct: str, words: tuple[str, ...]) -> frozenset[int]:
    fields = layout(struct).fields
    assert fields is not None
    return frozenset(fields[word][1] for word in words)
