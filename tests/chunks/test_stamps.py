"""Which start stamps are trusted, against trying all choices."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from lanescope.chunks import Clocks, StartStamp
from lanescope.chunks.encoder import stamp_chunks
from lanescope.chunks.stamps import find_stamps

CLOCKS = Clocks(core_hz=1_650_000_000, counter_hz=1_000_000_000)


def most_in_order(values: list[int]) -> int:
    return max(
        count
        for count in range(len(values) + 1)
        for chosen in combinations(values, count)
        if list(chosen) == sorted(chosen)
    )


@settings(deadline=None)
@given(st.lists(st.integers(0, 12), max_size=8))
def test_the_fewest_stamps_are_set_aside(counters: list[int]) -> None:
    words = np.array(
        [stamp_chunks(StartStamp(c, n)) for n, c in enumerate(counters)], np.uint32
    ).ravel()
    found = find_stamps(words, np.arange(len(words)), CLOCKS)
    kept = found.counter.tolist()
    assert kept == sorted(kept)
    assert len(kept) == most_in_order(counters)
    assert kept == [counters[block] for block in found.block.tolist()]
    assert len(kept) + len(found.doubtful) == len(counters)
    assert len(found.broken) == 0


def test_parts_out_of_sequence_are_broken() -> None:
    words = stamp_chunks(StartStamp(77))[[0, 1, 3, 2, 0, 1, 2, 3, 3]]
    found = find_stamps(words, np.arange(9), CLOCKS)
    assert found.trusted.tolist() == [4]
    assert found.broken.tolist() == [0, 1, 2, 3, 8]
