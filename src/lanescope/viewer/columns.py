"""Integer columns as bytes that a browser reads fast: planes of bytes, little end first, gzipped.

A column of n whole numbers below 2^53, each divided by `unit`, their greatest common divisor, and
where `delta`, replaced by the difference from the one before:

    number = 2v for v >= 0, -2v - 1 for v < 0; where `gaps`, plus 1, and 0 is "not known"
    bytes  = width planes of n bytes: all lowest bytes, then all second ones, …

viewer/packed.js reads this.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from lanescope.trace import MISSING, MISSING32
from lanescope.trace.table import Array

_GZIP = 31  # zlib's window bits for the gzip format


@dataclass(frozen=True, slots=True)
class Column:
    """One packed column and how to read its bytes back."""

    name: str
    width: int
    unit: int
    delta: bool
    gaps: bool
    data: bytes

    def as_dict(self) -> dict[str, Any]:
        """How to read the column, without its data."""
        return {
            "name": self.name,
            "width": self.width,
            "unit": self.unit,
            "delta": self.delta,
            "gaps": self.gaps,
        }


def pack(columns: Mapping[str, Array], delta: frozenset[str] = frozenset()) -> tuple[Column, ...]:
    """Pack integer columns; those in `delta` as differences between neighbours.

    A column in which nothing is known is left out.
    """
    with ThreadPoolExecutor(2) as pool:
        jobs = [
            pool.submit(_packed, name, values, name in delta) for name, values in columns.items()
        ]
        return tuple(column for job in jobs if (column := job.result()) is not None)


def unpack(column: Column) -> Array:
    """The values that were packed, as int64 with MISSING where not known."""
    planes = np.frombuffer(zlib.decompress(column.data, _GZIP), np.uint8)
    planes = planes.reshape(column.width, -1)
    number = np.zeros(planes.shape[1], np.uint64)
    for place, plane in enumerate(planes):
        number |= plane.astype(np.uint64) << np.uint64(8 * place)
    return _value(number, column)


def _value(number: Array, form: Column) -> Array:
    known = number != 0 if form.gaps else np.ones(len(number), bool)
    number = number - np.uint64(form.gaps) * known
    value = (number >> np.uint64(1)).astype(np.int64)
    value = np.where(number & np.uint64(1), -value - 1, value) * form.unit
    if form.delta:
        value = np.cumsum(value)
    return np.where(known, value, MISSING)


def _packed(name: str, values: Array, delta: bool) -> Column | None:
    known = values != (MISSING32 if values.dtype == np.int32 else MISSING)
    if not known.any():
        return None
    gaps = not known.all()
    values = np.where(known, values, 0).astype(np.int64, copy=False)
    if delta:
        values[1:] = np.diff(values)
    unit = _unit(values)
    if unit > 1:
        values //= unit
    number = _folded(values)
    if gaps:
        number += 1
        number *= known
    width = max((int(number.max(initial=0)).bit_length() + 7) // 8, 1)
    planes = number.astype("<i8", copy=False).view(np.uint8).reshape(-1, 8)[:, :width].T
    return Column(name, width, unit, delta, gaps, gzip(np.ascontiguousarray(planes).data))


def _folded(values: Array) -> Array:
    """Signed numbers as 0, 1, 2, … for 0, -1, 1, …; changes the array."""
    values <<= 1
    np.invert(values, out=values, where=values < 0)
    return values


def _unit(values: Array) -> int:
    """The greatest common divisor of the values: times are multiples of the clock's period."""
    sample = int(np.gcd.reduce(values[:: max(len(values) // 1024, 1)])) if len(values) else 1
    if sample <= 1:
        return 1
    return int(np.gcd.reduce(values)) or 1


def gzip(data: bytes | memoryview) -> bytes:
    """The data compressed in the gzip format, fast rather than small."""
    packer = zlib.compressobj(1, zlib.DEFLATED, _GZIP)
    return packer.compress(data) + packer.flush()
