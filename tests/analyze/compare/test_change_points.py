"""Changes of a series: known steps are found where they are, noise alone has none."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from lanescope.analyze.compare.change_points import ChangePoint, _ranks, change_points
from lanescope.trace.table import Array

SEEDS = 20


def noise(seed: int, size: int) -> Array:
    return np.random.default_rng(seed).normal(100, 1, size)


def places(series: Array) -> tuple[int, ...]:
    return tuple(point.index for point in change_points(series))


def near(found: tuple[int, ...], true: tuple[int, ...]) -> bool:
    return len(found) == len(true) and all(
        abs(a - b) <= 3 for a, b in zip(found, true, strict=True)
    )


def share_found(make: object, true: tuple[int, ...]) -> float:
    return sum(near(places(make(seed)), true) for seed in range(SEEDS)) / SEEDS  # type: ignore[operator]


def test_a_clean_step_is_found_with_both_heights() -> None:
    series = [10.0, 10.5, 9.5, 10.0, 10.2, 9.8, 10.1, 12.0, 12.1, 11.9, 12.2, 11.8, 12.0, 12.05]
    assert change_points(series) == (ChangePoint(7, 10.0, 12.0),)
    assert change_points(series)[0].change == pytest.approx(0.2)


def test_a_step_is_found_where_it_is() -> None:
    assert share_found(lambda seed: noise(seed, 40) + 5 * (np.arange(40) >= 30), (30,)) >= 0.9


def test_a_step_is_seen_soon_after_it() -> None:
    assert share_found(lambda seed: noise(seed, 30) + 5 * (np.arange(30) >= 25), (25,)) >= 0.7


def test_a_bump_that_goes_back_is_two_changes() -> None:
    def bump(seed: int) -> Array:
        place = np.arange(60)
        return noise(seed, 60) + 4 * ((place >= 25) & (place < 35))

    assert share_found(bump, (25, 35)) >= 0.9


def test_two_steps_are_two_changes() -> None:
    def stairs(seed: int) -> Array:
        place = np.arange(90)
        return noise(seed, 90) + 4 * (place >= 30) + 4 * (place >= 60)

    assert share_found(stairs, (30, 60)) >= 0.9


def test_outliers_are_no_changes_and_hide_none() -> None:
    def wild(seed: int) -> Array:
        series = noise(seed, 60) + 4 * (np.arange(60) >= 40)
        series[np.random.default_rng(seed).integers(0, 60, 4)] *= 10
        return series

    assert share_found(wild, (40,)) >= 0.8


def test_a_long_series_is_placed_exactly() -> None:
    found = Counter(places(noise(seed, 1000) + 5 * (np.arange(1000) >= 701)) for seed in range(10))
    assert found.most_common(1)[0][0] == (701,)


@pytest.mark.parametrize("shape", ["normal", "standard_cauchy", "exponential"])
def test_noise_alone_rarely_has_a_change(shape: str) -> None:
    sizes, seeds = (12, 30, 60), range(50)
    alarms = sum(
        bool(places(getattr(np.random.default_rng(seed), shape)(size=size)))
        for size in sizes
        for seed in seeds
    )
    assert alarms <= 0.05 * len(sizes) * len(seeds)


def test_equal_or_few_values_have_no_change() -> None:
    assert change_points([]) == ()
    assert change_points([1.0, 1.0, 9.0, 9.0]) == ()
    assert change_points([5.0] * 100) == ()


def test_ranks_are_less_their_mean_and_equal_values_share_one() -> None:
    assert _ranks(np.array([5, 5, 1, 9])).tolist() == [0.0, 0.0, -1.5, 1.5]
    assert _ranks(np.array([7, 7, 7])).tolist() == [0.0, 0.0, 0.0]
