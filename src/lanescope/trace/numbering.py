"""Gives ids their index in the sorted list of ids; fast where ids lie close, as task ids do."""

from __future__ import annotations

import numpy as np

from lanescope.trace.table import Array

_SPARSE = 4
"""Ids that spread over more than this many times their number are sorted, not looked up."""


def different(values: Array) -> Array:
    """The different values, in rising order."""
    if not len(values):
        return values[:0]
    least = int(values.min())
    extent = int(values.max()) - least + 1
    if extent > _SPARSE * len(values) + 1024:
        ordered = np.sort(values)  # np.unique would import masked arrays, which takes 8 ms
        found: Array = ordered[np.append(True, ordered[1:] != ordered[:-1])]
        return found
    seen = np.zeros(extent, bool)
    seen[values.astype(np.int64) - least] = True
    ids: Array = (np.flatnonzero(seen) + least).astype(values.dtype)
    return ids


def numbered(values: Array) -> tuple[Array, Array]:
    """The different values in rising order, and for every value its index among them."""
    if not len(values):
        return values[:0], np.zeros(0, np.int64)
    least = int(values.min())
    extent = int(values.max()) - least + 1
    if extent > _SPARSE * len(values) + 1024:
        ids, place = np.unique(values, return_inverse=True)
        return ids, place
    offset = values.astype(np.int64) - least
    seen = np.zeros(extent, bool)
    seen[offset] = True
    ids = (np.flatnonzero(seen) + least).astype(values.dtype)
    return ids, offset if len(ids) == extent else (np.cumsum(seen) - 1)[offset]


def replaced(values: Array, used: Array, by: Array) -> Array:
    """Every value replaced: `by[k]` stands for `used[k]`.

    `used` holds the different values of `values` in rising order.
    """
    if not len(used):
        return by[:0]
    least, most = int(used[0]), int(used[-1])
    if most - least > _SPARSE * len(values) + 1024:
        return by[np.searchsorted(used, values)]
    table = np.zeros(most - least + 1, by.dtype)
    table[used - least] = by
    result: Array = table[values - values.dtype.type(least)]
    return result


def places(ids: Array, wanted: Array) -> Array:
    """Index of each wanted value in the sorted `ids`; -1 where it is absent."""
    if not len(ids):
        return np.full(len(wanted), -1)
    least, most = int(ids[0]), int(ids[-1])
    if most - least > _SPARSE * len(ids) + 1024:
        at = np.minimum(np.searchsorted(ids, wanted), len(ids) - 1)
        return np.where(ids[at] == wanted, at, -1)
    wanted = wanted.astype(np.int64, copy=False)
    inside = (wanted >= least) & (wanted <= most)
    offset = wanted - least if inside.all() else np.where(inside, wanted - least, 0)
    if most - least + 1 > len(ids):
        place = np.full(most - least + 1, -1)
        place[ids - least] = np.arange(len(ids))
        offset = place[offset]
    return offset if inside.all() else np.where(inside, offset, -1)


def find(values: Array, wanted: Array) -> Array:
    """Where each wanted value first occurs in `values`, which need no order, or -1."""
    if not len(values):
        return np.full(len(wanted), -1)
    least, most = int(values.min()), int(values.max())
    if most - least < _SPARSE * len(values):
        place = np.full(most - least + 1, -1)
        place[values[::-1] - least] = np.arange(len(values))[::-1]
        inside = (wanted >= least) & (wanted <= most)
        return np.where(inside, place[np.where(inside, wanted, least) - least], -1)
    order = rising_order(values)
    at = order[np.searchsorted(values, wanted, sorter=order).clip(max=len(values) - 1)]
    return np.where(values[at] == wanted, at, -1)


def nth(keys: Array) -> Array:
    """How many earlier rows have the same key."""
    order = np.argsort(keys, kind="stable")
    sorted_keys = keys[order]
    first = np.flatnonzero(np.append(True, sorted_keys[1:] != sorted_keys[:-1])[: len(keys)])
    sizes = np.diff(np.append(first, len(keys)))
    count = np.empty(len(keys), np.int64)
    count[order] = np.arange(len(keys)) - np.repeat(first, sizes)
    return count


def rising_order(values: Array) -> Array:
    """The order that sorts the values; equal ones keep theirs. Costs little where they rise."""
    if is_rising(values):
        return np.arange(len(values))
    return np.argsort(values, kind="stable")


def is_rising(values: Array) -> bool:
    """Whether every value is larger than the one before it."""
    return bool((values[1:] > values[:-1]).all())
