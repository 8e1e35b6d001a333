"""Rows in groups by a key: exact sums and ordered values per group, without a loop over rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.trace.numbering import different, numbered
from lanescope.trace.table import Array

_LOW_BITS = 31
"""Sums are made of the values' low bits and high bits apart, because 64 bits may overflow."""
_LOW = (1 << _LOW_BITS) - 1
_FEW = 1024
"""Up to so many groups are partitioned one by one; more are sorted at once."""


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """Rows of a table in groups, one group per distinct key; no group is empty."""

    keys: Array
    """Key of each group, in rising order."""
    codes: Array
    """Per row: the number of its group."""
    order: Array
    """Row numbers, group by group; rows of a group keep their order."""
    first: Array
    """Where each group starts in `order`."""

    def __len__(self) -> int:
        """Number of groups."""
        return len(self.keys)

    def counts(self, rows: Array | None = None) -> list[int]:
        """Number of rows in each group; with a mask, of the rows in the mask."""
        codes = self.codes if rows is None else self.codes[rows]
        counted: list[int] = np.bincount(codes, minlength=len(self)).tolist()
        return counted

    def sums(self, values: Array) -> list[int]:
        """Exact sum of each group's values, also where it exceeds 64 bits."""
        if not len(self):
            return []
        ordered = values[self.order].astype(np.int64, copy=False)
        high = np.add.reduceat(ordered >> _LOW_BITS, self.first).tolist()
        low = np.add.reduceat(ordered & _LOW, self.first).tolist()
        return [(h << _LOW_BITS) + part for h, part in zip(high, low, strict=True)]


def exact_sum(values: Array) -> int:
    """Exact sum of 64-bit values, also where it exceeds 64 bits."""
    high, low = int((values >> _LOW_BITS).sum()), int((values & _LOW).sum())
    return (high << _LOW_BITS) + low


def group_by(keys: Array) -> Groups:
    """Rows in groups by an integer column."""
    ids, codes = numbered(keys)
    narrow = codes.astype(np.uint16) if len(ids) <= 1 << 16 else codes
    order = np.argsort(narrow, kind="stable")
    counts = np.bincount(codes, minlength=len(ids))
    return Groups(ids, codes, order, np.cumsum(counts) - counts)


def combine(*columns: Array) -> Array:
    """One integer key per row for several columns.

    Rows with equal values have equal keys; keys sort by the first column, then the second, …
    """
    key = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        ids, codes = numbered(column)
        key = numbered(key)[1] * np.int64(max(len(ids), 1)) + codes
    return key


def sort_within(codes: Array, values: Array) -> Array:
    """The values sorted by (code, value): group after group, rising within each group."""
    packed = _pack(codes, values)
    if packed is None:
        return values[np.lexsort((values, codes))]
    keys = packed.keys
    if not (keys[1:] >= keys[:-1]).all():
        keys.sort()
    unpacked: Array = (keys & ((1 << packed.low_bits) - 1)) + packed.low_least
    return unpacked


def pick_within(codes: Array, values: Array, places: Array) -> Array:
    """`sort_within(codes, values)[places]`, faster: column g of `places` is of group g.

    Every place of a group must lie in the group's part of the sorted values. The column of a group
    without rows gives any value.
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
    """Number of different values."""
    return len(different(values))


def distinct_pairs(left: Array, right: Array) -> int:
    """Number of different pairs (left, right)."""
    packed = _pack(left, right)
    if packed is not None:
        return distinct(packed.keys)
    order = np.lexsort((right, left))
    left, right = left[order], right[order]
    return 1 + int(np.count_nonzero((left[1:] != left[:-1]) | (right[1:] != right[:-1])))


@dataclass(frozen=True, slots=True, eq=False)
class _Packed:
    """Two columns as one column of numbers that sorts like the pairs."""

    keys: Array
    low_bits: int
    """So many low bits of a key are the second value less `low_least`."""
    low_least: int


def _pack(high: Array, low: Array) -> _Packed | None:
    """Both columns as one; None where a pair needs more than 63 bits."""
    if not len(high):
        return _Packed(np.zeros(0, np.int64), 0, 0)
    high_least, low_least = int(high.min()), int(low.min())
    low_bits = (int(low.max()) - low_least).bit_length()
    if (int(high.max()) - high_least).bit_length() + low_bits > 63:
        return None
    keys = (high.astype(np.int64) - high_least) << low_bits
    keys |= low.astype(np.int64) - low_least
    return _Packed(keys, low_bits, low_least)
