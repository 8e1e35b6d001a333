"""Start stamps: which of them are whole, and which of those to trust.

A flipped bit in a stamp must not move the times after it. The counter never runs backwards. So as
few stamps as possible are set aside, until the others never fall.
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
"""A counter beyond this is damage: at 1 GHz it would have run for 146 years."""


@dataclass(frozen=True, eq=False, slots=True)
class SortedStamps:
    """Stamps and pieces of stamps, as positions in the chunks."""

    trusted: Array
    """First chunks of the stamps that are trusted."""
    counter: Array
    """The system counter of each trusted stamp."""
    block: Array
    """The block of each trusted stamp."""
    doubtful: Array
    """First chunks of whole stamps that are set aside."""
    broken: Array
    """Chunks of stamps that are not whole."""


def find_stamps(words: Array, at: Array, clocks: Clocks) -> SortedStamps:
    """Sort the chunks with control code 14, which are at `at`, into stamps and pieces of stamps."""
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
    """Return the first chunks of those four in a row whose sequence is 0, 1, 2, 3."""
    fits = at[at + layout.STAMP_CHUNKS <= len(words)]
    for sequence in range(layout.STAMP_CHUNKS):
        fits = fits[words[fits + sequence] >> 24 == _FIRST + sequence]
    return fits


def _in_range(counter: Array, clocks: Clocks) -> Array:
    """Say which counters are near enough to the median one.

    The time between the two must fit in 64 bits.
    """
    good = counter < _COUNTER_LIMIT
    if good.any():
        known = np.sort(counter[good]).astype(np.int64)
        middle = known[len(known) // 2]
        away = np.abs(np.where(good, counter, 0).astype(np.int64) - middle)
        good &= away <= clocks.limit // 2 // clocks.units_per_tick
    return good


def _rising(counter: Array) -> Array:
    """Return a mask of as many counters as possible that never fall."""
    kept = np.ones(len(counter), bool)
    if (counter[1:] >= counter[:-1]).all():
        return kept
    values = counter.tolist()
    tails: list[int] = []  # for each length, the smallest last value of a run of that length
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
