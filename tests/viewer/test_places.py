"""Values at places of sorted lengths, against sorting them."""

from __future__ import annotations

import numpy as np
import pytest

from lanescope.native.areas import LaneBars, count_bars, narrow
from lanescope.trace.table import Array
from lanescope.viewer import places
from lanescope.viewer.places import PERCENTS, values_at


def found(samples: list[list[int]]) -> tuple[list[list[int]], int]:
    """The values of each sample, and how often lengths were counted again."""
    lengths = np.array([one for sample in samples for one in sample])
    name = np.repeat(np.arange(len(samples), dtype=np.int32), [len(one) for one in samples])
    bars = LaneBars(np.zeros(len(name), np.int64), lengths, name, t0=0, t1=1)
    rounds = []

    def count(searches: Array, size: int) -> Array:
        rounds.append(size)
        return narrow(bars, np.arange(-1, len(samples)), searches, size)

    bins = count_bars(bars, len(samples)).bins.astype(np.int64)
    return values_at(bins, count).tolist(), len(rounds)


def expected(sample: list[int]) -> list[int]:
    return [sorted(sample)[-(-len(sample) * percent // 100) - 1] for percent in PERCENTS]


RNG = np.random.default_rng(11)
SAMPLES = [
    *([7], [5, 5, 5], list(range(100, 0, -1)), [0, 1, 2**40 + 1, 2**40, 2**62]),
    RNG.integers(0, 2000, 999).tolist(),
    (2**40 + RNG.integers(0, 2**39, 999)).tolist(),
    RNG.lognormal(10, 1, 5000).astype(np.int64).tolist(),
]


def test_values_are_those_of_the_sorted_lengths() -> None:
    values, rounds = found(SAMPLES)
    assert values == [expected(sample) for sample in SAMPLES]
    assert rounds == 5


def test_many_functions_share_less_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "_MANY", 3)
    values, rounds = found(SAMPLES)
    assert values == [expected(sample) for sample in SAMPLES]
    assert rounds == 8


def test_short_lengths_are_counted_again_once_at_most() -> None:
    assert found([[1, 2, 31]]) == ([[2, 31, 31]], 0)
    assert found([[1 << 17]])[1] == 2
    assert found([[(1 << 17) - 1]])[1] == 1
