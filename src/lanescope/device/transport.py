"""How the host reaches a region: what every transport does, and memory that device and host share.

A transport has an `image` of the region, which the host reads and writes. `read` brings ranges of
the device's bytes into the image, `write` brings words of the host back, and `fence` stands between
the two. The host owns the words in HEADER_WORDS and LANE_WORDS. A transport refuses to write
anything else, so it can never set back a counter of the device.
"""

from __future__ import annotations

import mmap
from functools import cache
from typing import Any, Protocol

import numpy as np

from lanescope.device.head import Array
from lanescope.device.layouts import constant, layout
from lanescope.errors import UsageError
from lanescope.native import library

HEADER_WORDS = ("host_beat", "host_gone")
"""The words of the header (ls_header) that the host writes."""
LANE_WORDS = ("released", "refused")
"""The words of a lane (ls_lane) that the host writes."""


class Transport(Protocol):
    """A region, wherever it is. Several threads may call `read`, `write` and `fence` at once.

    Where the memory cannot be reached any more, a method raises a TransportError.
    """

    name: str
    """What it reaches, for messages."""
    note: str
    """A sentence that the trace carries about it; empty where there is nothing to say."""
    image: Array
    """The region as the host sees it; it is there after `place` or `open`."""
    copies: bool
    """Whether the image is a copy; if not, it is the region, and `read` and `write` do nothing."""
    pointer: int
    """Address of the region for the device's program; 0 where the transport does not know it."""

    def place(self, first_bytes: Array, region_bytes: int) -> None:
        """Make a region: clear the memory, and write its first bytes. No device runs yet."""

    def open(self) -> None:
        """Find a region that is there already."""

    def read(self, *ranges: tuple[int, int]) -> None:
        """Bring ranges of the device's bytes into the image; each is an offset and a size."""

    def write(self, *words: int) -> None:
        """Bring words of 8 bytes from the image to the device; each is an offset."""

    def fence(self) -> None:
        """Keep the order: what is before it happens before what is after it."""

    def close(self) -> None:
        """Give everything back. The image is not used after this."""


class SharedMapping:
    """A transport for memory that the device writes and this process sees: nothing is copied.

    It is a file that both map, the memory of a runtime in this process, or pinned host memory.

    Args:
        memory: The bytes, such as an mmap or a numpy array: writable, and at an address that is a
            multiple of 64.
        pointer: Address of the memory for the device, where it is another one than for the host.

    Raises:
        UsageError: The memory is read-only or lies at another address.

    Examples:
        >>> import mmap
        >>> lanescope.SharedMapping(mmap.mmap(-1, 1 << 20)).name
        'shared memory of 1,048,576 bytes'
    """

    copies = False
    note = ""

    def __init__(
        self, memory: mmap.mmap | memoryview | bytearray | Array, *, pointer: int | None = None
    ) -> None:
        self.image: Array = np.frombuffer(memory, np.uint8)
        self.name = f"shared memory of {len(self.image):,} bytes"
        address = int(self.image.ctypes.data)
        self.pointer = address if pointer is None else pointer
        if not self.image.flags.writeable:
            raise UsageError(f"expected memory that can be written, found {self.name}, read-only")
        require_aligned(address, self.name)

    def place(self, first_bytes: Array, region_bytes: int) -> None:
        """Clear the memory, and lay a region out in it."""
        require_room(region_bytes, len(self.image), self.name)
        self.image[:region_bytes] = 0
        self.image[8 : len(first_bytes)] = first_bytes[8:]
        self.fence()
        self.image[:8] = first_bytes[:8]  # the magic makes it valid

    def open(self) -> None:
        """Do nothing: the region is there."""

    def read(self, *ranges: tuple[int, int]) -> None:
        """Do nothing: the bytes are there."""

    def write(self, *words: int) -> None:
        """Do nothing: the device sees the words."""

    def fence(self) -> None:
        """Keep the order: what is before it happens before what is after it."""
        library().ls_native_fence()

    def close(self) -> None:
        """Do nothing: the memory is its owner's."""


def require_aligned(address: int, name: str) -> None:
    """Refuse memory in which a line of the region would lie on two lines of a cache.

    Raises:
        UsageError: the address is no multiple of LS_LINE.
    """
    line = constant("LS_LINE")
    if address % line:
        raise UsageError(
            f"expected {name} at a multiple of {line}, found it {address % line} bytes behind one; "
            "a line of a region must be one line of the cache"
        )


def require_room(region_bytes: int, room: int, name: str) -> None:
    """Refuse memory that is too small for a region.

    Raises:
        UsageError: it is.
    """
    if region_bytes > room:
        raise UsageError(
            f"the region takes {region_bytes:,} bytes, and {name} has room for {room:,}; take more "
            "memory, or fewer or smaller buffers"
        )


def require_host_word(offset: int, header: Any) -> None:
    """Refuse to write what belongs to the device; `header` is the region's (ls_header).

    Raises:
        ValueError: the offset is not that of a word of the host.
    """
    index, inside = divmod(offset - int(header["lanes"]), layout("ls_lane").itemsize)
    in_lane = 0 <= index < int(header["lane_count"]) and inside in _offsets("ls_lane", LANE_WORDS)
    if not (in_lane or offset in _offsets("ls_header", HEADER_WORDS)):
        raise ValueError(
            f"byte {offset} of the region belongs to the device; the host may write only "
            f"{', '.join(HEADER_WORDS)}, and {', '.join(LANE_WORDS)} of a lane"
        )


@cache
def _offsets(struct: str, words: tuple[str, ...]) -> frozenset[int]:
    return frozenset(word_offset(struct, word) for word in words)


def word_offset(struct: str, word: str) -> int:
    """Return where a field of a struct begins, in bytes."""
    fields = layout(struct).fields
    assert fields is not None
    return int(fields[word][1])
