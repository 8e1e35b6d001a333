"""Statistics of samples, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from lanescope.analyze.columns.groups import group_by
from lanescope.analyze.tasks.spread import (
    Mean,
    Spread,
    mean_of_parts,
    means_of,
    spread_of,
    spread_of_parts,
    spreads_of,
)

FIVE = Spread(count=5, total_ns=150, min_ns=10, p50_ns=30, p99_ns=50, max_ns=50)


def test_a_sample_has_a_sum_percentiles_and_ends() -> None:
    assert spread_of(np.array([30, 50, 10, 20, 40])) == FIVE
    assert spread_of(np.array([7])) == Spread(1, 7, 7, 7, 7, 7)


def test_a_mean_divides_the_sum() -> None:
    assert (Mean(4, 10).mean_ns, FIVE.mean_ns) == (2.5, 30.0)
    assert Mean(4, 10).to_dict() == {"count": 4, "total_ns": 10, "mean_ns": 2.5}


@pytest.mark.parametrize(
    ("count", "p50", "p99"), [(1, 1, 1), (2, 1, 2), (99, 50, 99), (100, 50, 99), (101, 51, 100)]
)
def test_percentiles_are_of_the_nearest_rank(count: int, p50: int, p99: int) -> None:
    spread = spread_of(np.arange(count, 0, -1))
    assert (spread.p50_ns, spread.p99_ns) == (p50, p99)


def test_groups_have_spreads_of_their_values_in_the_mask() -> None:
    groups = group_by(np.array([4, 4, 9, 4, 9, 11]))
    values = np.array([5, 0, 8, 1, 2, 0])
    known = np.array([True, False, True, True, True, False])
    assert spreads_of(groups, values, known) == [
        Spread(2, 6, 1, 1, 5, 5),
        Spread(2, 10, 2, 2, 8, 8),
        None,
    ]
    assert means_of(groups, values, known) == [Mean(2, 6), Mean(2, 10), None]


def test_all_values_take_part_without_a_mask() -> None:
    groups = group_by(np.array([1, 0, 1]))
    assert spreads_of(groups, np.array([6, 5, 0]), None) == [
        Spread(1, 5, 5, 5, 5, 5),
        Spread(2, 6, 0, 0, 6, 6),
    ]


def test_an_empty_mask_knows_nothing() -> None:
    groups, none = group_by(np.array([0, 1])), np.zeros(2, bool)
    assert spreads_of(groups, np.zeros(2, np.int64), none) == [None, None]
    assert means_of(groups, np.zeros(2, np.int64), none) == [None, None]


def test_parts_make_the_spread_of_the_whole() -> None:
    parts = [spread_of(np.array([30, 50])), None, spread_of(np.array([10, 20, 40]))]
    assert spread_of_parts(np.array([30, 50, 10, 20, 40]), parts) == FIVE
    assert mean_of_parts(parts) == Mean(5, 150)


def test_no_parts_make_nothing() -> None:
    assert spread_of_parts(np.zeros(0, np.int64), [None]) is None
    assert mean_of_parts([]) is None
