"""Mixtures of recorded and ideal lengths, on a graph whose steps last as long as all tasks."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from lanescope.jobs.replays import MOST_PARTS, Explained, Replays
from lanescope.trace.table import Array


def replays(
    length: list[int], ideal: list[int], *, rank: list[int], numbers: tuple[int, ...]
) -> Replays:
    """One step, which takes the sum of all lengths."""

    def step_times(own: Array) -> Array:
        return np.array([own.sum()])

    graph = SimpleNamespace(length=np.array(length), step_times=step_times)
    tasks = SimpleNamespace(rank=np.array(rank))
    return Replays(numbers, cast(Any, tasks), cast(Any, graph), np.array(ideal))


def test_some_ranks_are_replayed_alone_and_left_out() -> None:
    """100 ns ideally, 150 recorded; rank 5 loses 40 of the 50 ns."""
    job = replays([30, 90, 30], [30, 50, 20], rank=[0, 1, 2], numbers=(4, 5, 6))
    assert (job.replayed.tolist(), job.best.tolist()) == ([150], [100])
    assert job.explained([1]) == Explained((5,), 110.0, 140.0, 0.8, 0.8)
    assert job.explained([2, 0]) == Explained((6, 4), 140.0, 110.0, 0.2, 0.2)
    even = replays([10, 20], [20, 10], rank=[0, 1], numbers=(0, 1))
    assert even.explained([0]) == Explained((0,), 40.0, 20.0, None, None)


def test_parts_that_have_tasks_have_a_slowdown() -> None:
    job = replays([30, 90, 30], [30, 50, 20], rank=[0, 1, 2], numbers=(4, 5, 6))
    found = job.slowdowns(np.array([0, 3, 3]), 5)
    assert found == {0: 1.0, 3: 1.5}


@pytest.mark.parametrize("many", [MOST_PARTS, MOST_PARTS + 2])
def test_of_many_parts_those_that_lost_most_are_replayed(many: int) -> None:
    """Part k loses k ns, and the last one gains 9."""
    lost = [*range(many - 1), -9]
    job = replays([100 + one for one in lost], [100] * many, rank=[0] * many, numbers=(0,))
    found = job.slowdowns(np.arange(many), many)
    assert len(found) == MOST_PARTS == 32
    assert list(found) == list(range(32)) if many == 32 else list(found) == list(range(1, 33))


def test_functions_that_meet_are_one_part() -> None:
    """c and b take part in collective 5, d and e in none."""
    tasks = SimpleNamespace(
        functions=("a", "c", "b", "d", "e"),
        function=np.array([4, 0, 1, 2, 3, 1]),
        parts=SimpleNamespace(collective=np.array([-1, 0, 5, 5, -1, -1])),
    )
    job = Replays((0,), cast(Any, tasks), cast(Any, None), np.zeros(6))
    part, names = job.function_parts()
    assert [names[one] for one in part] == ["e", "a", "b + c", "b + c", "d", "b + c"]
    assert names == ["a", "b + c", "d", "e"]
