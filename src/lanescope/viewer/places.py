"""Values at places of sorted lengths, without sorting: viewer/bins.js does the same in the page.

Lengths are counted in bins; the bin that holds a place is counted again in finer ones, down to
single nanoseconds.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lanescope.native.areas import PLACES, SEARCH
from lanescope.trace.table import Array

PERCENTS = (50, 99, 100)
"""What is searched for: a percentile is the value at place ceil(p/100 x n) of n sorted ones."""
_FINE_BITS = 12
_FEWER_BITS = 8
"""A bin is cut into 2^12 finer ones; into 2^8 where there are more than MANY functions."""
_MANY = 512

Counting = Callable[[Array, int], Array]
"""Counts lengths by searches (function and place) into so many bins."""


def values_at(bins: Array, count: Counting) -> Array:
    """Per function the values at its PERCENTS; `bins` has a row per function, none of them empty.

    `count` is called once per round; a length of up to 2^17 ns takes one.
    """
    searches = np.zeros((len(bins), PLACES), SEARCH)
    totals = bins.sum(axis=1)
    places = np.array([(totals * percent + 99) // 100 - 1 for percent in PERCENTS]).T
    bin_at = np.empty_like(places)
    for function, counts in enumerate(bins):
        bin_at[function], places[function] = _found(counts, places[function])
    shift = np.maximum((bin_at >> 4) - 1, 0)
    searches["low"] = (bin_at - 16 * shift) << shift
    searches["width"] = 1 << shift
    while (open_ := searches["width"] > 1).any():
        size = _cut(searches, open_)
        counts = count(np.where(open_, searches, np.zeros((), SEARCH)), size)
        for function, place in np.argwhere(open_).tolist():
            one = searches[function, place]
            begin, bits = int(one["at"]), int(one["shift"])
            here = counts[begin : begin + (int(one["width"]) >> bits)]
            at, places[function, place] = _found(here, places[function, place])
            one["low"] += np.uint64(int(at) << bits)
            one["width"] = 1 << bits
    return searches["low"].astype(np.int64)


def _found(counts: Array, places: Array) -> tuple[Array, Array]:
    """The bins that hold these places, and the places within them."""
    until = np.cumsum(counts, dtype=np.int64)
    at = np.searchsorted(until, places, side="right")
    return at, places - until[at] + counts[at]


def _cut(searches: Array, open_: Array) -> int:
    """Give every open search its finer bins; returns how many they are."""
    fine = _FINE_BITS if len(searches) <= _MANY else _FEWER_BITS
    bits = np.log2(searches["width"].astype(np.float64)).astype(np.int64)
    searches["shift"] = np.maximum(bits - fine, 0)
    bins = np.where(open_, searches["width"].astype(np.int64) >> searches["shift"], 0)
    searches["at"] = (np.cumsum(bins) - bins.ravel()).reshape(bins.shape)
    return int(bins.sum())
