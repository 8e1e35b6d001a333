"""A transport that copies: the host has a shadow of the region, and writes back its own words only.

A copy says nothing of the order of its words. So whoever drains reads a counter first, and what it
counts by another `read` after a fence.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from lanescope.device.head import Array, check_header
from lanescope.device.layouts import layout
from lanescope.device.transport import require_host_word, require_room
from lanescope.native import library

Pull: TypeAlias = Callable[[int, memoryview], None]
"""Fills a target with the device's bytes from an offset on."""
Push: TypeAlias = Callable[[int, memoryview], None]
"""Copies bytes to the device, from an offset on."""
_CLEARED = 1 << 20
"""How many bytes are cleared together."""


class ShadowCopy:
    """A transport for memory that the host can only copy from and to.

    Args:
        pull: `pull(offset, target)` fills a writable memoryview with the device's bytes from an
            offset on. A word of 8 bytes must arrive whole; words may arrive in any order.
        push: `push(offset, data)` copies bytes to the device. After the region is made, these are
            always the 8 bytes of one word of the host.
        size: Number of bytes of the device's memory.
        pointer: Address of the memory for the device's program, if you want the session to have it.
        name: What it is, for messages.

    Examples:
        >>> device = bytearray(1 << 20)
        >>> def pull(offset, target):
        ...     target[:] = device[offset : offset + len(target)]
        >>> def push(offset, data):
        ...     device[offset : offset + len(data)] = data
        >>> lanescope.ShadowCopy(pull, push, size=len(device)).name
        'copied memory of 1,048,576 bytes'
    """

    copies = True

    def __init__(
        self, pull: Pull, push: Push, *, size: int, pointer: int = 0, name: str = ""
    ) -> None:
        self._pull, self._push = pull, push
        self.size = size
        """Number of bytes of the device's memory."""
        self.pointer = pointer
        self.name = name or f"copied memory of {size:,} bytes"
        self.note = ""
        self.image: Array = np.empty(0, np.uint8)
        self._header: Any = None

    def place(self, first_bytes: Array, region_bytes: int) -> None:
        """Clear the device's memory, and lay a region out in it."""
        require_room(region_bytes, self.size, self.name)
        self.clear(region_bytes)
        self._push(8, first_bytes[8:].data)
        self.fence()
        self._push(0, first_bytes[:8].data)  # the magic makes it valid
        self.fence()
        self.open()

    def clear(self, region_bytes: int) -> None:
        """Set the device's memory to 0."""
        zeros = memoryview(bytes(_CLEARED))
        for at in range(0, region_bytes, _CLEARED):
            self._push(at, zeros[: region_bytes - at])

    def open(self) -> None:
        """Copy the head of the region that is in the device's memory."""
        header_type = layout("ls_header")
        raw: Array = np.zeros(header_type.itemsize, np.uint8)
        if self.size >= len(raw):
            self._pull(0, raw.data)
        header = check_header(raw, source=self.name, region_bytes=self.size)
        self.image = np.zeros(int(header["region_bytes"]), np.uint8)
        self._header = header
        self.read((0, int(header["prefix_bytes"])))

    def read(self, *ranges: tuple[int, int]) -> None:
        """Copy ranges of bytes from the device into the image."""
        for offset, size in ranges:
            self._pull(offset, self.image[offset : offset + size].data)

    def write(self, *words: int) -> None:
        """Copy words of the host from the image to the device, one by one.

        Raises:
            ValueError: a word belongs to the device; nothing was written.
        """
        for offset in words:
            require_host_word(offset, self._header)
        for offset in words:
            self._push(offset, self.image[offset : offset + 8].data)

    def fence(self) -> None:
        """Keep the order: what is before it happens before what is after it."""
        library().ls_native_fence()

    def close(self) -> None:
        """Do nothing: the memory is its owner's."""
