"""Sorting moments, and the checks in front of the C kernels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanescope.native import tiling
from lanescope.native.paths import (
    CORE,
    DATA,
    NO_CAUSE,
    NO_TIME,
    SUBMIT,
    longest,
    order_graph,
    readiness,
    walk_back,
    with_followers,
)
from lanescope.native.paths import Walk as Steps

WIDE = st.integers(-(2**63), 2**63 - 1)
NARROW = st.integers(-3, 3)


@given(st.lists(st.one_of(WIDE, NARROW), max_size=60))
def test_the_order_is_that_of_a_stable_sort(values: list[int]) -> None:
    keys = np.array(values, np.int64)
    assert tiling.sort_order(keys).tolist() == np.argsort(keys, kind="stable").tolist()


def test_many_keys_are_sorted_in_several_passes() -> None:
    keys = np.random.default_rng(3).integers(0, 2**40, 50_000)
    assert (tiling.sort_order(keys) == np.argsort(keys, kind="stable")).all()


@given(st.lists(st.one_of(WIDE, NARROW), max_size=60))
def test_values_are_sorted(values: list[int]) -> None:
    assert tiling.sorted_values(np.array(values, np.int64)).tolist() == sorted(values)


def moment(where: int, what: int, *, by: int = 0, time: int = 0) -> tiling.Moments:
    return tiling.Moments(np.array([time]), np.array([where]), what, 1, by)


@pytest.mark.parametrize(
    "part",
    [
        moment(2, tiling.RUNNING),
        moment(-1, tiling.RUNNING),
        moment(1, tiling.READY),
        moment(65535, tiling.STARTED),
        moment(0, tiling.BEHIND, by=2),
    ],
)
def test_moments_outside_are_refused(part: tiling.Moments) -> None:
    for tile in (tiling.tile, tiling.tile_runs):
        with pytest.raises(IndexError):
            tile([part], np.zeros(2, np.int32), 1, (0, 10))
    if part.what < tiling.READY:
        with pytest.raises(IndexError):
            tiling.overhead([part], np.ones(1, np.int64))


def test_columns_of_different_length_are_refused() -> None:
    part = tiling.Moments(np.zeros(2, np.int64), np.zeros(1, np.int64), tiling.RUNNING, 1)
    with pytest.raises(ValueError, match="differ in length"):
        tiling.tile([part], np.zeros(1, np.int32), 1, (0, 10))


def test_runs_that_start_must_be_one_part() -> None:
    part = moment(0, tiling.STARTED)
    with pytest.raises(ValueError, match="must be one part"):
        tiling.tile_runs([part, part], np.zeros(1, np.int32), 1, (0, 10))


@pytest.mark.parametrize("far", [0, 2**62])
def test_moments_far_apart_are_sorted_too(far: int) -> None:
    """Times that do not fit into one word with their place."""
    parts = [moment(0, tiling.RUNNING, time=5), moment(0, tiling.RUNNING, time=-far)]
    areas = tiling.tile(parts, np.zeros(1, np.int32), 1, (0, 10))
    assert areas[0, tiling.RUNNING] == 10


def test_graphs_that_point_outside_are_refused_and_cycles_have_no_order() -> None:
    one = np.zeros(1, np.int64)
    with pytest.raises(IndexError):
        order_graph(1, one, one + 1)
    assert order_graph(2, np.array([0, 1]), np.array([1, 0])) is None
    graph = order_graph(2, one, one + 1)
    assert graph is not None
    with pytest.raises(ValueError, match="expected 2 values, found 1"):
        longest(graph, one)
    with pytest.raises(IndexError):
        with_followers(graph, np.array([0, 2]), np.zeros(2))
    steps = Steps(
        start=one, end=one + 1, node=one, before=one - 1, gate=one - 1, last=one + 1, submit=one
    )
    with pytest.raises(IndexError, match="last names something"):
        walk_back(steps, 0)


def test_a_kind_without_waiting_tasks_does_not_end_the_overhead() -> None:
    """Kind 0 has one core, kind 1 two. A task waits for kind 1 until 30, kind 0 is busy until 20.

    From 10 to 20 a task waits for the busy core of kind 0.
    """
    running, waiting = tiling.RUNNING, tiling.READY

    def parts(what: int, changes: list[tuple[int, int, int]]) -> list[tiling.Moments]:
        return [
            tiling.Moments(np.array([time]), np.array([kind]), what, change)
            for time, kind, change in changes
        ]

    moments = parts(running, [(0, 0, 1), (20, 0, -1)])
    moments += parts(waiting, [(0, 1, 1), (30, 1, -1), (10, 0, 1), (20, 0, -1)])
    found = tiling.overhead(moments, np.array([1, 2]))
    assert found.tolist() == [0, 30, 0, 10 + 10]


def test_a_walk_does_not_go_to_a_run_that_started_at_the_same_time() -> None:
    """Run 0 takes no time. Run 1 starts with it on the same core; run 2 starts after both."""
    walk = Steps(
        start=np.array([5, 5, 9]),
        end=np.array([5, 9, 12]),
        node=np.array([0, 1, 2]),
        before=np.array([-1, 0, 1]),
        gate=np.array([-1, -1, -1]),
        last=np.array([0, 1, 2]),
        submit=np.full(3, NO_TIME),
    )
    path, cause = walk_back(walk, 2)
    assert (path.tolist(), cause.tolist()) == ([2, 1], [CORE, NO_CAUSE])


def walked(submit: int, data_end: int) -> tuple[list[int], list[int]]:
    """The walk from run 2 at 9, after run 0 on its core until 7 and run 1, its data, elsewhere."""
    walk = Steps(
        start=np.array([0, 0, 9]),
        end=np.array([7, data_end, 12]),
        node=np.array([0, 1, 2]),
        before=np.array([-1, -1, 0]),
        gate=np.array([-1, -1, 1]),
        last=np.array([0, 1, 2]),
        submit=np.array([NO_TIME, NO_TIME, submit]),
    )
    path, cause = walk_back(walk, 2)
    return path.tolist(), cause.tolist()


@pytest.mark.parametrize(
    ("submit", "data_end", "path", "cause"),
    [
        (NO_TIME, 6, [2, 0], CORE),
        (NO_TIME, 7, [2, 1], DATA),  # data and core at the same time
        (NO_TIME, 9, [2, 1], DATA),  # and it starts at once
        (NO_TIME, 10, [2, 0], CORE),  # the data came after the start
        (7, 6, [2, 0], CORE),  # submit and core at the same time
        (8, 6, [2], SUBMIT),
        (9, 6, [2], SUBMIT),
        (10, 6, [2, 0], CORE),
        (8, 8, [2, 1], DATA),
        (8, 7, [2], SUBMIT),
    ],
)
def test_a_walk_goes_to_what_ended_last_before_the_start(
    submit: int, data_end: int, path: list[int], cause: int
) -> None:
    assert walked(submit, data_end) == (path, [cause] + [NO_CAUSE] * (len(path) - 1))


def test_of_equal_ways_and_gates_the_first_in_the_order_stays() -> None:
    """Nodes 0 and 1 lead to 2; 3 stands alone."""
    graph = order_graph(4, np.array([0, 1]), np.array([2, 2]))
    assert graph is not None
    assert graph.order.tolist() == [0, 1, 3, 2]
    ready, gate = readiness(graph, np.array([5, 5, NO_TIME, NO_TIME]))
    assert (ready.tolist(), gate.tolist()) == ([NO_TIME, NO_TIME, 5, NO_TIME], [-1, -1, 0, -1])
    head, tail, via = longest(graph, np.array([0, 0, 4, 1]))
    assert (head.tolist(), tail.tolist()) == ([0, 0, 0, 0], [4, 4, 0, 0])
    assert via.tolist() == [-1, -1, 0, -1]
    head, _, via = longest(graph, np.array([2, 3, 4, 1]))
    assert (head.tolist(), via.tolist()) == ([0, 0, 3, 0], [-1, -1, 1, -1])


@pytest.mark.parametrize("count", [1, 2, 2047, 2048, 2049])
@pytest.mark.parametrize("width", [0, 1, 11, 12, 52, 53, 63])
def test_keys_of_every_width_are_sorted(count: int, width: int) -> None:
    """As many as a pass has digits, and as wide as fits into a word beside a key's place."""
    keys = np.arange(count, 0, -1) % 7 * ((1 << width) // 7)
    keys[0] = 1 << width if width < 63 else 2**63 - 1
    keys[-1] = -1
    assert tiling.sort_order(keys).tolist() == np.argsort(keys, kind="stable").tolist()
    assert tiling.sorted_values(keys).tolist() == sorted(keys.tolist())
