"""Ideal lengths: of the whole job, and of the same task on ranks with the same role."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from lanescope.jobs.ideal_lengths import lengths_of_job, lengths_of_peers, medians, same


def test_rows_are_the_same_where_all_columns_are() -> None:
    columns = np.array([5, 5, 7, 7, 5]), np.array([1, 2, 1, 1, 1])
    assert same(*columns).tolist() == [0, 1, 2, 2, 0]
    assert same(np.array([], np.int64)).tolist() == []


def test_a_median_of_two_is_their_mean_rounded_down() -> None:
    key, values = np.array([1, 1, 9, 9, 9, 1]), np.array([30, 11, 5, 100, 6, 12])
    assert medians(key, values).tolist() == [12, 12, 6, 6, 6, 12]
    assert medians(np.array([3, 3]), np.array([4, 7])).tolist() == [5, 5]
    nothing = np.zeros(0, np.int64)
    assert medians(nothing, nothing).tolist() == []


def tasks(**columns: list[Any]) -> Any:
    return SimpleNamespace(**{name: np.array(values) for name, values in columns.items()})


def test_work_takes_its_mean_and_communication_its_median() -> None:
    found = lengths_of_job(
        tasks(function=[0, 0, 0, 1, 1, 1], communicates=[False, True]),
        np.array([10, 20, 60, 10, 20, 60]),
    )
    assert found.tolist() == [30, 30, 30, 20, 20, 20]


def test_the_nth_task_of_a_function_in_a_step_is_held_against_its_peers() -> None:
    """Rank 0 and 1 play one role, rank 2 another; each runs the function twice in step 4."""
    found = lengths_of_peers(
        tasks(
            function=[3] * 6, rank=[0, 0, 1, 1, 2, 2], step=[4] * 6, start=[50, 10, 5, 60, 0, 90]
        ),
        np.array([100, 10, 30, 300, 7, 9]),
        np.array([0, 0, 1]),
    )
    assert found.tolist() == [200, 20, 20, 200, 7, 9]
