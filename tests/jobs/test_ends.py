"""Clocks from the ends of collectives, by hand: medians, weighted squares, outliers, chance."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest

from lanescope.jobs.ends import Ends, _chance, _Solver, fit, islands, with_error
from lanescope.trace.table import Array

SECOND = 1e9


def pairs(
    differences: list[float], *, step: float = SECOND, ranks: tuple[int, int] = (0, 1)
) -> Ends:
    """Two ranks meet every `step` ns; the second one's ends are later by so much."""
    count = len(differences)
    moment = np.repeat(step * np.arange(count), 2)
    later = np.stack([np.zeros(count), differences], axis=1).ravel()
    return Ends(
        np.repeat(np.arange(count), 2),
        np.tile(ranks, count),
        moment + later,
        np.ones(2 * count),
        max(ranks) + 1,
    )


def solver(ends: Ends, time: list[float] | None = None) -> _Solver:
    moments = np.zeros(len(ends.end)) if time is None else np.array(time)[ends.collective]
    return _Solver(ends, moments, islands(ends))


def test_the_moment_of_a_collective_is_the_median_of_its_ends() -> None:
    """Three, two and four ends; rank 1 is ahead by 2."""
    collective = np.array([0, 1, 2, 2, 0, 2, 1, 2, 0])
    rank = np.array([0, 0, 0, 1, 1, 2, 1, 3, 2])
    end = np.array([5.0, 4.0, 20.0, 4.0, 3.0, 1.0, 10.0, 10.0, 9.0])
    ends = Ends(collective, rank, end, np.ones(9), 4)
    one = solver(ends)
    x = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
    assert one.moments(end, x).tolist() == [5.0, 6.0, 6.0]
    assert one.residual(end, x).tolist() == [0.0, -2.0, 14.0, -4.0, -4.0, -5.0, 2.0, 4.0, 4.0]


def test_ends_are_weighed_and_offsets_of_an_island_are_0_in_the_mean() -> None:
    """Ends are 0 and 8 µs apart, and the second collective counts three times."""
    ends = pairs([0.0, 8_000.0])
    found = solver(ends).plain(ends.end, np.array([1.0, 1.0, 3.0, 3.0]))
    np.testing.assert_allclose(found, [[-3_000.0, 0.0], [3_000.0, 0.0]], atol=1e-6)


def test_islands_have_means_of_their_own() -> None:
    near, far = pairs([2_000.0] * 2), pairs([80_000.0] * 2, ranks=(3, 2))
    ends = Ends(
        np.concatenate([near.collective, far.collective + 2]),
        np.concatenate([near.rank, far.rank]),
        np.concatenate([near.end, far.end]),
        np.ones(8),
        5,
    )
    found = fit(ends, drift=False)
    assert found.offset.tolist() == pytest.approx([-1_000.0, 1_000.0, 40_000.0, -40_000.0, 0.0])
    assert (found.drift.tolist(), found.error.tolist()) == ([0.0] * 5, [0.0] * 5)


def test_a_clock_that_runs_faster_has_a_drift() -> None:
    """Rank 1 is ahead by 1 ms in the middle of 8 s, and gains 20 µs a second."""
    ends = pairs([1e6 + 20_000.0 * (k - 4) for k in range(9)])
    found = fit(ends, drift=True)
    assert found.drift.tolist() == pytest.approx([-10e-6, 10e-6], rel=1e-4)
    assert found.offset.tolist() == pytest.approx([-5e5, 5e5], rel=1e-4)
    assert found.middle == pytest.approx(4 * SECOND + 5e5, abs=100)
    np.testing.assert_allclose(found.residual, 0.0, atol=1.0)
    moment = SECOND * np.arange(9) + 5e5 + 10_000.0 * (np.arange(9) - 4)
    np.testing.assert_allclose(found.moment, moment, atol=100)


def test_without_drift_only_the_offset_is_looked_for() -> None:
    found = fit(pairs([1e6 + 20_000.0 * (k - 4) for k in range(9)]), drift=False)
    assert found.drift.tolist() == [0.0, 0.0]
    assert found.offset.tolist() == pytest.approx([-5e5, 5e5], abs=1.0)


def test_a_few_ends_that_are_far_off_do_not_count() -> None:
    found = fit(pairs([1_000.0] * 7 + [9e5, 5e5]), drift=False)
    assert found.offset.tolist() == pytest.approx([-500.0, 500.0], abs=5)


def test_the_offset_at_a_moment_has_the_drift_in_it() -> None:
    """The span is 2 s around the middle: from -1 to 1 in its units."""
    ends = pairs([0.0, 0.0, 0.0])
    one = solver(ends, [-SECOND, 0.0, SECOND])
    x = np.array([[100.0, 1e-6], [5.0, 0.0]])
    assert one.span == (-1.0, 1.0)
    assert one.at(x, 0.5).tolist() == pytest.approx([600.0, 5.0])


class Noted:
    """A solver that keeps what it was asked, and says that clocks are wrong by 5 a unit of time."""

    span = (-2.0, 1.0)

    def __init__(self) -> None:
        self.noise: list[Array] = []
        self.weight: list[Array] = []

    def plain(self, noise: Array, weight: Array) -> Array:
        self.noise.append(noise)
        self.weight.append(weight)
        return np.array([1.0, 3.0])

    def at(self, wrong: Array, time: float) -> Array:
        return 5.0 * wrong * time


def test_the_error_is_four_times_what_noise_in_another_order_does() -> None:
    """At the worse end of the span that is 10 and 30. Ends that are far off are cut."""
    noted, residual = Noted(), np.array([2.0, -4.0, 3.0, 100.0, -3.0])
    assert _chance(cast(Any, noted), residual).tolist() == [40.0, 120.0]
    for noise in noted.noise:
        assert sorted(np.abs(noise).tolist()) == [2.0, 3.0, 3.0, 4.0, 30.0]
    for weight in noted.weight:
        assert weight.tolist() == pytest.approx([1 / 3, 1 / 4, 1 / 3, 1 / 100, 1 / 3])
    assert len({tuple(noise.tolist()) for noise in noted.noise}) > 1


def test_noise_of_less_than_a_nanosecond_is_taken_for_one() -> None:
    noted = Noted()
    _chance(cast(Any, noted), np.array([0.5, 0.25, 0.0, 40.0]))
    assert noted.weight[0].tolist() == [1.0, 1.0, 1.0, 1 / 40]
    assert sorted(np.abs(noted.noise[0]).tolist()) == [0.0, 0.25, 0.5, 10.0]


def test_ends_that_agree_are_as_wrong_as_the_step_of_the_clock() -> None:
    ends = pairs([1_000.0] * 3)
    found = with_error(ends, fit(ends, drift=False), np.array([10.0, 400.0]), drift=False)
    assert found.error.tolist() == pytest.approx([5.0, 200.0], abs=0.1)


def test_where_clocks_may_drift_the_ends_of_the_span_are_known_worst() -> None:
    ends = pairs([3_000.0 * (k % 3) for k in range(30)])
    flat, sloped = fit(ends, drift=False), fit(ends, drift=True)
    still = with_error(ends, flat, np.zeros(2), drift=False).error
    moving = with_error(ends, sloped, np.zeros(2), drift=True).error
    assert (moving > 1.3 * still).all()


def test_the_error_does_not_depend_on_when_the_job_began() -> None:
    differences = [3_000.0 * (k % 3) for k in range(30)]
    early, late = pairs(differences), pairs([one + 7e12 for one in differences])
    late.end[::2] += 7e12
    errors = [
        with_error(ends, fit(ends, drift=True), np.zeros(2), drift=True).error
        for ends in (early, late)
    ]
    np.testing.assert_allclose(errors[0], errors[1], rtol=1e-3)


@pytest.mark.parametrize("drift", [False, True])
def test_a_chain_of_ranks_is_solved_as_least_squares_says(drift: bool) -> None:
    """Ranks k and k + 1 of eight meet five times, and weights are from 1 to 1000."""
    random = np.random.default_rng(11)
    count = 35
    collective = np.repeat(np.arange(count), 2)
    rank = np.repeat(np.arange(7), 10) + np.tile([0, 1], count)
    end = random.uniform(-1e6, 1e6, 2 * count)
    weight = np.repeat(10.0 ** random.uniform(0, 3, count), 2)
    ends = Ends(collective, rank, end, np.ones(2 * count), 8)
    time = np.tile(np.linspace(-SECOND, SECOND, 5), 7) * drift
    found = solver(ends, time.tolist()).plain(end, weight)

    rows = np.zeros((2 * count, 8 + 8 + count))
    every = np.arange(2 * count)
    rows[every, rank] = 1.0
    rows[every, 8 + rank] = time[collective] / SECOND
    rows[every, 16 + collective] = 1.0
    root = np.sqrt(weight)
    exact = np.linalg.lstsq(rows * root[:, None], end * root, rcond=None)[0]
    offset, slope = exact[:8] - exact[:8].mean(), exact[8:16] - exact[8:16].mean()
    np.testing.assert_allclose(found[:, 0], offset, atol=20)
    np.testing.assert_allclose(found[:, 1] * SECOND, slope, atol=20)
