"""Protobuf's wire format: single messages as bytes, and columns of numbers as rows of bytes.

In rows a varint has a fixed width: shorter numbers are padded with 0x80 bytes and a final 0x00,
which every protobuf reader accepts.
"""

from __future__ import annotations

import numpy as np

from lanescope.trace.table import Array

VARINT, FIXED64, BYTES = 0, 1, 2
_BITS64 = (1 << 64) - 1


def varint(value: int) -> bytes:
    """The shortest encoding; negative numbers take ten bytes."""
    value &= _BITS64
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def tag(field: int, wire_type: int) -> bytes:
    return varint(field << 3 | wire_type)


def number(field: int, value: int) -> bytes:
    return tag(field, VARINT) + varint(value)


def message(field: int, *parts: bytes) -> bytes:
    body = b"".join(parts)
    return tag(field, BYTES) + varint(len(body)) + body


def text(field: int, value: str) -> bytes:
    return message(field, value.encode("utf-8", "replace"))


def varint_width(least: int, most: int) -> int:
    """Bytes that hold every number from `least` to `most`."""
    return 10 if least < 0 else len(varint(most))


def padded_varints(values: Array, width: int) -> Array:
    """Each number as a varint of `width` bytes, one void of that size per row."""
    spread = _spread(values.astype(np.uint64, copy=False))
    if width <= 8:
        more = 0x8080808080808080 & ((1 << 8 * (width - 1)) - 1)
        spread |= np.uint64(more)
        return np.ndarray(len(values), f"V{width}", spread, strides=8)
    rows = np.empty(len(values), [("low", "<u8"), ("bits56", "u1"), ("bit63", "u1")])
    rows["low"] = spread | np.uint64(0x8080808080808080)
    rows["bits56"] = (values >> 56) & 0x7F | (0x80 if width == 10 else 0)
    rows["bit63"] = values < 0
    return np.ndarray(len(values), f"V{width}", rows, strides=10)


def _spread(bits: Array) -> Array:
    """The low 56 bits in groups of seven, one group per byte, the lowest first."""
    for low, high, by in (
        (0x000000000FFFFFFF, 0x00FFFFFFF0000000, 4),
        (0x00003FFF00003FFF, 0x0FFFC0000FFFC000, 2),
        (0x007F007F007F007F, 0x3F803F803F803F80, 1),
    ):
        bits = (bits & np.uint64(low)) | ((bits & np.uint64(high)) << np.uint64(by))
    return bits.astype("<u8", copy=False)


class Row:
    """A row of bytes with holes: write it once from left to right, then make any number of it."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._holes: dict[str, tuple[int, int]] = {}

    def __len__(self) -> int:
        return len(self._bytes)

    def fixed(self, *parts: bytes) -> Row:
        self._bytes += b"".join(parts)
        return self

    def hole(self, name: str, width: int) -> Row:
        return self.named(name, bytes(width))

    def named(self, name: str, content: bytes) -> Row:
        """A hole that already has content; some rows may replace it."""
        self._holes[name] = len(self._bytes), len(content)
        self._bytes += content
        return self

    def then(self, other: Row) -> Row:
        """This row followed by the other one, with the holes of both."""
        self._holes |= {k: (at + len(self), width) for k, (at, width) in other._holes.items()}
        self._bytes += other._bytes
        return self

    def end_of(self, name: str) -> int:
        """Bytes up to the end of this hole."""
        return sum(self._holes[name])

    def make(self, count: int) -> Array:
        """`count` copies; `rows[name]` is the hole of that name."""
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
        rows[name] = padded_varints(values, self._holes[name][1])


def as_bytes(rows: Array) -> Array:
    """Rows made by `Row.make` as a matrix of bytes."""
    return rows.view(np.uint8).reshape(len(rows), rows.dtype.itemsize)
