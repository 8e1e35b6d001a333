"""Protobuf's wire format: single messages as bytes, and columns of numbers as rows of bytes.

In rows a varint has a fixed width: shorter numbers are padded with 0x80 bytes and a final 0x00,
which every protobuf reader accepts.
"""

from __future__ import annotations

import numpy as np

from lanescope.native import put_varints
from lanescope.trace.table import Array

VARINT, FIXED64, BYTES = 0, 1, 2
_BITS64 = (1 << 64) - 1


def varint(value: int) -> bytes:
    """Encode a number in as few bytes as possible; negative numbers take ten."""
    value &= _BITS64
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def tag(field: int, wire_type: int) -> bytes:
    """Encode a field's number and wire type."""
    return varint(field << 3 | wire_type)


def number(field: int, value: int) -> bytes:
    """Encode a field that holds a varint."""
    return tag(field, VARINT) + varint(value)


def message(field: int, *parts: bytes) -> bytes:
    """Encode a field that holds a message made of these parts."""
    body = b"".join(parts)
    return tag(field, BYTES) + varint(len(body)) + body


def text(field: int, value: str) -> bytes:
    """Encode a field that holds a text."""
    return message(field, value.encode("utf-8", "replace"))


def varint_width(least: int, most: int) -> int:
    """The bytes that a varint needs for every number from `least` to `most`."""
    return 10 if least < 0 else len(varint(most))


class Row:
    """A row of bytes with holes, of which any number of copies can be made.

    It is written once, from left to right.
    """

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._holes: dict[str, tuple[int, int]] = {}

    def __len__(self) -> int:
        return len(self._bytes)

    def fixed(self, *parts: bytes) -> Row:
        """Append bytes that are the same in every row."""
        self._bytes += b"".join(parts)
        return self

    def hole(self, name: str, width: int) -> Row:
        """Append a hole of that many bytes."""
        return self.named(name, bytes(width))

    def named(self, name: str, content: bytes) -> Row:
        """Append a hole with content; some rows may replace it."""
        self._holes[name] = len(self._bytes), len(content)
        self._bytes += content
        return self

    def then(self, other: Row) -> Row:
        """Append the other row with its holes."""
        self._holes |= {k: (at + len(self), width) for k, (at, width) in other._holes.items()}
        self._bytes += other._bytes
        return self

    def end_of(self, name: str) -> int:
        """The bytes up to the end of this hole."""
        return sum(self._holes[name])

    def make(self, count: int) -> Array:
        """Make `count` copies; `rows[name]` is the hole of that name."""
        dtype = np.dtype(
            {
                "names": list(self._holes),
                "formats": [f"V{width}" for _, width in self._holes.values()],
                "offsets": [at for at, _ in self._holes.values()],
                "itemsize": len(self._bytes),
            }
        )
        rows = np.empty(count, f"V{len(self._bytes)}")
        rows[:] = np.frombuffer(bytes(self._bytes), rows.dtype)
        return rows.view(dtype)

    def put_varints(self, rows: Array, name: str, values: Array) -> None:
        """Fill a hole with numbers, padded to its width."""
        put_varints(rows, *self._holes[name], values)


def as_bytes(rows: Array) -> Array:
    """Rows made by `Row.make` as a matrix of bytes, one line per row."""
    return rows.view(np.uint8).reshape(len(rows), rows.dtype.itemsize)
