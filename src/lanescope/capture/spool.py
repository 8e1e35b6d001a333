"""The spool: a file of everything that the host took from a region, in frames with checksums.

    file  = "LSSPOOL1" frame*
    frame = magic u32 | kind u32 | bytes u64 | index u64 | crc32 u32 | 0 u32 | payload, padded to 8

The checksum covers kind, bytes, index and payload. A whole frame is written before the device gets
the buffers back. So a record is in the spool, in the region or in both, whenever the host dies. The
payload of the first frame (`HEAD`) and of the last (`CLOSE`) is the region's head with its counters
at that moment. The payload of all others (`BUFFERS`) is buffers one after the other, each an
ls_buffer and its records.
"""

from __future__ import annotations

import mmap
import os
import struct
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lanescope.errors import InputError, OutputError
from lanescope.trace import locks

Array = npt.NDArray[Any]

MAGIC = b"LSSPOOL1"
FRAME_MAGIC = 0x5246534C  # the bytes "LSFR"
_FRAME = struct.Struct("<IIQQII")
_CHECKED = struct.Struct("<IQQ")
_MOST_MAPPED = 1 << 26
"""How many bytes of mapped files are read before their pages are given back."""
_SCANNED = 1 << 24
"""How many words of 8 bytes are looked at together for the next frame."""


class FrameKind(IntEnum):
    """What the payload of a frame is."""

    HEAD = 1
    BUFFERS = 2
    CLOSE = 3


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame with the right checksum; `payload` points into the mapped file."""

    kind: int
    index: int
    offset: int
    """Where the frame begins in the file, in bytes."""
    payload: Array


@dataclass(frozen=True, slots=True)
class Damage:
    """Bytes of a spool that are no frame."""

    offset: int
    """Where they begin in the file, in bytes."""
    size: int
    """Number of bytes."""
    problem: str


@dataclass(frozen=True, slots=True)
class FramePlace:
    """Where the payload of a frame is in a spool that may still grow."""

    kind: int
    at: int
    """Where the payload begins in the file, in bytes."""
    size: int


def frame_places(file: int, at: int) -> tuple[list[FramePlace], int]:
    """Return the frames from byte `at` on that are there whole, and where the next one begins.

    No checksum is compared, and no payload is read.
    """
    places, at, end = list[FramePlace](), max(at, len(MAGIC)), os.fstat(file).st_size
    while at + _FRAME.size <= end:
        magic, kind, size, *_ = _FRAME.unpack(os.pread(file, _FRAME.size, at))
        start = at + _FRAME.size
        after = start + size + -size % 8
        if magic != FRAME_MAGIC or after > end:
            break
        places.append(FramePlace(kind, start, size))
        at = after
    return places, at


class SpoolWriter:
    """Appends frames to a new spool. A frame that cannot be written whole is removed again."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        self.bytes = 0
        """Size of the file, in bytes."""
        try:
            locks.lock(self._file)
            self._write_all([MAGIC])
        except OSError:
            self.close()
            raise
        self.bytes = len(MAGIC)
        self._index = 0

    def append(self, kind: FrameKind, payload: memoryview | bytes) -> None:
        """Write one frame.

        Raises:
            OutputError: the disk does not take it; the frames before it are kept.
        """
        size = len(payload)
        crc = zlib.crc32(payload, zlib.crc32(_CHECKED.pack(kind, size, self._index)))
        header = _FRAME.pack(FRAME_MAGIC, kind, size, self._index, crc, 0)
        try:
            self._write_all([header, payload, bytes(-size % 8)])
        except OSError as error:
            with suppress(OSError):  # half a frame at the end is found and left out
                os.ftruncate(self._file, self.bytes)
            os.lseek(self._file, self.bytes, os.SEEK_SET)
            raise OutputError(
                f"{self.path}: could not grow beyond {self.bytes:,} bytes ({error.strerror}); "
                "what was recorded until then is kept"
            ) from error
        self.bytes += len(header) + size + -size % 8
        self._index += 1

    def _write_all(self, parts: list[memoryview | bytes]) -> None:
        left = [memoryview(part).cast("B") for part in parts if len(part)]
        while left:
            written = os.writev(self._file, left)
            while left and written >= len(left[0]):
                written -= len(left.pop(0))
            if left and written:
                left[0] = left[0][written:]

    def close(self) -> None:
        """Close the file, and give up its lock."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


class OpenSpool:
    """A file that is open for reading as long as somebody refers to it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.number = -1
        """The number by which the system knows it."""
        self.number = os.open(path, os.O_RDONLY | os.O_CLOEXEC)

    def __del__(self) -> None:
        """Close the file."""
        if self.number >= 0:
            os.close(self.number)


class SpooledBytes:
    """Bytes of a spool's file that are read when they are asked for."""

    __slots__ = ("_file", "_offset")

    def __init__(self, file: OpenSpool, offset: int) -> None:
        self._file, self._offset = file, offset

    def read_into(self, target: memoryview, at: int) -> None:
        """Fill the target with the bytes from `at` on."""
        if os.preadv(self._file.number, [target], self._offset + at) != len(target):
            raise InputError(self._file.path, "became shorter while it was read")


class SpoolReader:
    """Reads the frames of a spool. Damaged bytes are skipped and listed in `damage`.

    The file is mapped. Pages are given back after a while, so memory does not fill with them.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.data: Array = np.empty(0, np.uint8)
        self._mapped: mmap.mmap | None = None
        self._read = 0
        self._file = OpenSpool(path)
        if path.stat().st_size:
            self._mapped = mmap.mmap(self._file.number, 0, access=mmap.ACCESS_READ)
            self.data = np.frombuffer(self._mapped, np.uint8)
        if bytes(self.data[: len(MAGIC)]) != MAGIC:
            raise InputError(path, f"expected a spool, which begins with {MAGIC.decode()}")
        self.damage: list[Damage] = []

    def payload_of(self, frame: Frame) -> SpooledBytes:
        """Return the payload of a frame as bytes that need no memory until they are read."""
        return SpooledBytes(self._file, frame.offset + _FRAME.size)

    def _was_read(self, size: int) -> None:
        self._read += size
        if self._read >= _MOST_MAPPED and self._mapped is not None:
            self._read = 0
            self._mapped.madvise(mmap.MADV_DONTNEED)

    def frames(self) -> Iterator[Frame]:
        """Yield every whole frame in order; `damage` is complete after the last one."""
        self.damage.clear()
        at, end = len(MAGIC), len(self.data)
        while at < end:
            frame, problem = self._frame_at(at)
            if frame is not None:
                yield frame
                at = frame.offset + _FRAME.size + len(frame.payload) + -len(frame.payload) % 8
                continue
            after = self._next_frame(at + 8)
            self.damage.append(Damage(at, after - at, problem))
            at = after

    def _frame_at(self, at: int) -> tuple[Frame | None, str]:
        """Return the frame at an offset, or None and what is wrong there."""
        if at + _FRAME.size > len(self.data):
            return None, "the file ends inside a frame's header"
        magic, kind, size, index, crc, _ = _FRAME.unpack_from(self.data.data, at)
        if magic != FRAME_MAGIC:
            return None, "no frame begins here"
        start = at + _FRAME.size
        if size > len(self.data) - start:
            return None, f"a frame of {size} bytes is cut off"
        payload = self.data[start : start + size]
        if zlib.crc32(payload.data, zlib.crc32(_CHECKED.pack(kind, size, index))) != crc:
            return None, f"the checksum of frame {index} ({size} bytes) is wrong"
        self._was_read(size)
        return Frame(kind, index, at, payload), ""

    def _next_frame(self, at: int) -> int:
        """Return the offset of the next whole frame; frames begin at multiples of 8 bytes."""
        words = len(self.data) // 8 * 8
        view = self.data[:words].view("<u4")[::2]
        for first in range(at // 8, len(view), _SCANNED):
            block = view[first : first + _SCANNED]
            for word in np.flatnonzero(block == FRAME_MAGIC).tolist():
                offset = (first + word) * 8
                if self._frame_at(offset)[0] is not None:
                    return int(offset)
            self._was_read(len(block) * 8)
        return len(self.data)
