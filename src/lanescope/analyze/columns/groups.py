"""Rows put into groups: exact sums and sorted values per group, without a loop over rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.trace.table import Array

_LOW_BITS = 31
_FEW = 1024
_LOW = (1 << _LOW_BITS) - 1


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """`codes` gives every row the position of its key in `keys`; no group is empty."""

    keys: Array
    codes: Array
    order: Array
    """Rows in group order."""
    first: Array
    """Where each group starts in `order`."""

    def __len__(self) -> int:
        return len(self.keys)

    def counts(self, rows: Array | None = None) -> list[int]:
        """Rows per group, of all rows or of those in a mask."""
        codes = self.codes if rows is None else self.codes[rows]
        counted: list[int] = np.bincount(codes, minlength=len(self)).tolist()
        return counted

    def sums(self, values: Array) -> list[int]:
        """Exact sum per group, also where it exceeds 64 bits."""
        if not len(self):
            return []
        ordered = values[self.order].astype(np.int64, copy=False)
        high = np.add.reduceat(ordered >> _LOW_BITS, self.first).tolist()
        low = np.add.reduceat(ordered & _LOW, self.first).tolist()
        return [(h << _LOW_BITS) + part for h, part in zip(high, low, strict=True)]


def exact_sum(values: Array) -> int:
    """Sum of 64-bit values, also where it exceeds 64 bits."""
    high, low = int((values >> _LOW_BITS).sum()), int((values & _LOW).sum())
    return (high << _LOW_BITS) + low


def group_by(keys: Array) -> Groups:
    """Group rows by an integer column; keys come out in rising order."""
    distinct, codes = _encode(keys)
    narrow = codes.astype(np.uint16) if len(distinct) <= 1 << 16 else codes
    order = np.argsort(narrow, kind="stable")
    counts = np.bincount(codes, minlength=len(distinct))
    return Groups(distinct, codes, order, np.cumsum(counts) - counts)


def combine(*columns: Array) -> Array:
    """One key per distinct combination of the columns, ordered like the columns."""
    key = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        distinct, codes = _encode(column)
        key = _encode(key)[1] * np.int64(max(len(distinct), 1)) + codes
    return key


def sort_within(codes: Array, values: Array) -> Array:
    """The values in order of (code, value)."""
    packed = _pack(codes, values)
    if packed is None:
        return values[np.lexsort((values, codes))]
    key, bits, least = packed
    if not (key[1:] >= key[:-1]).all():
        key.sort()
    unpacked: Array = (key & ((1 << bits) - 1)) + least
    return unpacked


def pick_within(codes: Array, values: Array, places: Array) -> Array:
    """What `sort_within` has at `places`, one column of places per group 0, 1, …

    A few large groups are partitioned, which is faster than sorting; many are sorted at once.
    The places of a group without rows give some value.
    """
    places = np.clip(places, 0, max(len(values) - 1, 0))
    groups = places.shape[1]
    if groups > _FEW:
        return sort_within(codes, values)[places]
    values = values[np.argsort(codes.astype(np.uint16), kind="stable")]
    counts = np.bincount(codes, minlength=groups)
    begin = 0
    for group, count in enumerate(counts.tolist()):
        if count:
            values[begin : begin + count].partition(places[:, group] - begin)
        begin += count
    return values[places]


def distinct(values: Array) -> int:
    """How many different values there are."""
    if not len(values):
        return 0
    least = int(values.min())
    extent = int(values.max()) - least + 1
    if extent <= 4 * len(values) + 1024:
        return int(np.count_nonzero(np.bincount(values - least, minlength=extent)))
    ordered = np.sort(values)
    return 1 + int(np.count_nonzero(ordered[1:] != ordered[:-1]))


def distinct_pairs(left: Array, right: Array) -> int:
    """How many different (left, right) there are."""
    if not len(left):
        return 0
    packed = _pack(left, right)
    if packed is not None:
        return distinct(packed[0])
    order = np.lexsort((right, left))
    left, right = left[order], right[order]
    return 1 + int(np.count_nonzero((left[1:] != left[:-1]) | (right[1:] != right[:-1])))


def _pack(high: Array, low: Array) -> tuple[Array, int, int] | None:
    """Both columns in one sortable number, the bits and the least value of `low`; None if wider."""
    if not len(high):
        return np.zeros(0, np.int64), 0, 0
    high_least, low_least = int(high.min()), int(low.min())
    low_bits = (int(low.max()) - low_least).bit_length()
    if (int(high.max()) - high_least).bit_length() + low_bits > 63:
        return None
    key = (high.astype(np.int64) - high_least) << low_bits
    key |= low.astype(np.int64) - low_least
    return key, low_bits, low_least


def _encode(keys: Array) -> tuple[Array, Array]:
    """Distinct keys in rising order and every row's position among them."""
    if not len(keys):
        return keys[:0], np.zeros(0, np.int64)
    least = int(keys.min())
    extent = int(keys.max()) - least + 1
    if extent > 4 * len(keys) + 1024:
        distinct, codes = np.unique(keys, return_inverse=True)
        return distinct, codes
    offset = keys.astype(np.int64) - least
    present = np.bincount(offset, minlength=extent) > 0
    codes = (np.cumsum(present) - 1)[offset]
    return (np.flatnonzero(present) + least).astype(keys.dtype), codes
