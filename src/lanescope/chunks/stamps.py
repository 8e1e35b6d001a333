"""Start stamps: which are whole, and which of them to trust.

A stamp that a flipped bit moved must not move time. The counter never runs backwards, so the
fewest stamps are set aside that leave the others in rising order.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

import numpy as np

from lanescope.chunks import layout
from lanescope.chunks.clocks import Clocks
from lanescope.trace.table import Array

_FIRST = layout.CTRL_STAMP << 4
_COUNTER_LIMIT = 1 << 62
"""A counter beyond this would be 146 years after its start at 1 GHz: damage."""


@dataclass(frozen=True, eq=False, slots=True)
class SortedStamps:
    """Places in chunks: first chunks of trusted stamps and of those set aside, single broken."""

    trusted: Array
    counter: Array
    block: Array
    doubtful: Array
    broken: Array


def find_stamps(words: Array, at: Array, clocks: Clocks) -> SortedStamps:
    """Sort the chunks of ctrl 14, which are at `at`, into stamps and pieces of stamps."""
    first = _whole(words, at)
    chunks = words[first[:, None] + np.arange(layout.STAMP_CHUNKS)].astype(np.uint64)
    parts = chunks & 0xFFFF
    counter = parts[:, 0] | parts[:, 1] << 16 | parts[:, 2] << 32 | parts[:, 3] << 48
    block = (chunks[:, 1] >> 16 & 0xFF) << 8 | chunks[:, 0] >> 16 & 0xFF
    good = _in_range(counter, clocks)
    good[np.flatnonzero(good)[~_rising(counter[good])]] = False
    whole = (first[:, None] + np.arange(layout.STAMP_CHUNKS)).ravel()
    return SortedStamps(
        trusted=first[good],
        counter=counter[good].astype(np.int64),
        block=block[good].astype(np.int32),
        doubtful=first[~good],
        broken=np.setdiff1d(at, whole, assume_unique=True),
    )


def _whole(words: Array, at: Array) -> Array:
    """First chunks of four in a row whose sequence is 0, 1, 2, 3."""
    fits = at[at + layout.STAMP_CHUNKS <= len(words)]
    for sequence in range(layout.STAMP_CHUNKS):
        fits = fits[words[fits + sequence] >> 24 == _FIRST + sequence]
    return fits


def _in_range(counter: Array, clocks: Clocks) -> Array:
    """Not so far from the middle one that the time between does not fit in 64 bits."""
    good = counter < _COUNTER_LIMIT
    if good.any():
        known = np.sort(counter[good]).astype(np.int64)
        middle = known[len(known) // 2]
        away = np.abs(np.where(good, counter, 0).astype(np.int64) - middle)
        good &= away <= clocks.limit // 2 // clocks.units_per_tick
    return good


def _rising(counter: Array) -> Array:
    """Mask of a longest run of stamps that never go back."""
    kept = np.ones(len(counter), bool)
    if (counter[1:] >= counter[:-1]).all():
        return kept
    values = counter.tolist()
    tails: list[int] = []  # the least last value of a run of each length
    lengths = []
    for value in values:
        length = bisect_right(tails, value)
        tails[length : length + 1] = [value]
        lengths.append(length)
    kept[:] = False
    wanted, ceiling = len(tails) - 1, values[-1]
    for place in range(len(values) - 1, -1, -1):
        if lengths[place] == wanted and (wanted == len(tails) - 1 or values[place] <= ceiling):
            kept[place] = True
            wanted, ceiling = wanted - 1, values[place]
    return kept
