"""What ticks cut off comes back where all stamps allow it, and nowhere else."""

from __future__ import annotations

import numpy as np

from lanescope.replay.readings.steady import even_times, same_lengths


def test_one_length_seen_through_ticks_is_its_mean() -> None:
    start = np.arange(1000) * 1237
    length = (start + 4007) // 20 * 20 - start // 20 * 20
    assert set(length.tolist()) == {4000, 4020}
    found = same_lengths(length, np.zeros(1000, np.int64), 20.0)
    assert len(set(found.tolist())) == 1 and abs(int(found[0]) - 4_007_000) < 500


def test_lengths_that_differ_by_more_stay_as_they_are() -> None:
    length, group = np.array([100, 140, 500, 520, 100]), np.array([1, 1, 2, 2, 3])
    found = same_lengths(length, group, 20.0)
    assert found.tolist() == [100_000, 140_000, 510_000, 510_000, 100_000]
    assert len(same_lengths(length[:0], group[:0], 20.0)) == 0


def test_even_times_are_found_behind_their_ticks() -> None:
    edges = np.arange(600) % 3
    true = np.cumsum(736.2 + 40 * edges)
    found = even_times(np.floor(true / 20).astype(np.int64) * 20, (edges,), 20.0) / 1000
    off = found - true
    assert off.std() < 1 and abs(off.mean() + 10) < 1


def test_a_late_one_is_left_where_it_is() -> None:
    times = np.arange(300) * 800
    times[100:] += 5000
    found = even_times(times, (), 20.0)
    assert found[:256].tolist() == (times[:256] * 1000).tolist()
    assert np.abs(found[256:] / 1000 - times[256:]).max() <= 20
