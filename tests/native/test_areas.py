"""Bars in a range of time, counted by the C library, against counts in plain Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lanescope.native.areas import BINS, SEARCH, LaneBars, count_bars, narrow
from lanescope.trace.table import Array


def lane(count: int, names: int, *, t0: int, t1: int, seed: int = 5) -> tuple[LaneBars, Any]:
    """Bars of up to 300 ns that overlap each other, and the same as rows."""
    rng = np.random.default_rng(seed)
    start = np.sort(rng.integers(0, 10 * count, count))
    end = start + rng.integers(0, 300, count) * rng.integers(0, 2, count)
    name = rng.integers(-2, names + 2, count).astype(np.int32)
    rows = [
        (s, e, n if 0 <= n < names else -1)
        for s, e, n in zip(start.tolist(), end.tolist(), name.tolist(), strict=True)
        if s < t1 and (e > t0 or s >= t0)
    ]
    return LaneBars(start, end, name, t0=t0, t1=t1), rows


def counted(rows: list[tuple[int, int, int]], name: int, t0: int, t1: int) -> list[int]:
    """Count, over, whole and outside of one name."""
    mine = [(s, e) for s, e, n in rows if n == name]
    outside = [max(t0 - s, 0) + max(e - t1, 0) for s, e in mine]
    return [len(mine), sum(o > 0 for o in outside), sum(e - s for s, e in mine), sum(outside)]


@pytest.mark.parametrize("area", [(0, 10**9), (4_000, 6_000), (5_000, 5_001), (-50, 0)])
def test_bars_are_counted_by_name(area: tuple[int, int]) -> None:
    bars, rows = lane(1_000, 40, t0=area[0], t1=area[1])
    found = count_bars(bars, 40)
    assert found.names == sorted({name for _, _, name in rows})
    for name, sums, bins in zip(found.names, found.sums[:, 0], found.bins, strict=True):
        count, over, low, high, outside_low, outside_high = sums.tolist()
        sums_of_name = [count, over, low + (high << 31), outside_low + (outside_high << 31)]
        assert sums_of_name == counted(rows, name, *area)
        assert int(bins.sum()) == count


def test_a_run_that_there_is_not_counts_as_the_last() -> None:
    times = np.arange(5) * 10
    bars = LaneBars(times, times + 3, np.zeros(5, np.int32), t0=0, t1=100)
    found = count_bars(bars, 1, np.array([0, 1, 2, 7, -1]), 3)
    assert found.sums["count"].tolist() == [[1, 1, 3]]
    with pytest.raises(ValueError, match="a run per bar"):
        count_bars(bars, 1, np.zeros(4), 1)


def test_sums_do_not_overflow() -> None:
    end = np.full(4, np.iinfo(np.int64).max)
    bars = LaneBars(np.zeros(4, np.int64), end, np.zeros(4, np.int32), t0=0, t1=1)
    (sums,) = count_bars(bars, 1).sums[0]
    assert int(sums["low"]) + (int(sums["high"]) << 31) == 4 * (2**63 - 1)
    assert int(sums["outside_low"]) + (int(sums["outside_high"]) << 31) == 4 * (2**63 - 2)
    with pytest.raises(OverflowError):
        LaneBars(end, end, end, t0=0, t1=1 << 70)


def test_every_length_has_a_bin_and_bins_rise() -> None:
    lengths = sorted({(1 << k) + d for k in range(63) for d in (-1, 0, 1)} - {-1})
    found = []
    for length in lengths:
        bars = LaneBars(np.array([0]), np.array([length]), np.array([0]), t0=0, t1=1)
        found.append(int(np.flatnonzero(count_bars(bars, 1).bins[0])[0]))
    assert found == sorted(found) and found[-1] < BINS
    assert found[: lengths.index(32)] == lengths[: lengths.index(32)]


def test_searched_lengths_are_counted_in_finer_bins() -> None:
    bars, rows = lane(2_000, 3, t0=0, t1=10**9)
    searches = np.zeros((2, 3), SEARCH)
    searches[0, 0] = (64, 64, 0, 3)
    searches[1, 2] = (100, 16, 8, 0)
    slot_of = np.array([-1, 0, -1, 1])

    def expected(name: int, low: int, width: int, shift: int) -> Array:
        inside = [e - s - low for s, e, n in rows if n == name and low <= e - s < low + width]
        return np.bincount(np.array(inside, np.int64) >> shift, minlength=width >> shift)

    counts = narrow(bars, slot_of, searches, 24)
    assert counts.tolist() == [*expected(0, 64, 64, 3), *expected(2, 100, 16, 0)]
    with pytest.raises(IndexError, match="does not fit"):
        narrow(bars, slot_of, searches, 23)
    with pytest.raises(ValueError, match="3 searches per name"):
        narrow(bars, slot_of, searches[:, :2], 24)
