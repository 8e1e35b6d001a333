"""Openings of lanes made by hand: in which one a task ran, and how long each was."""

from __future__ import annotations

import numpy as np

from lanescope.capture.openings import Openings, around, units
from lanescope.trace.join import TaskKey
from lanescope.trace.schema import MISSING32


def openings(slots: list[int], firsts: list[int], times: list[tuple[int, int]]) -> Openings:
    start, end = np.array(times, np.int64).reshape(-1, 2).T
    none = np.zeros(len(slots), np.int64)
    slot, first = np.array(slots, np.int64), np.array(firsts, np.int64)
    return Openings(slot, none, none, none, start, end, first)


def test_a_task_ran_in_the_last_opening_of_its_lane_that_begins_with_it_or_before_it() -> None:
    """Four pipes: token 4 n + p is slice n of pipe p. Core 0 was opened twice, core 1 on pipe 1."""
    own = openings([0, 0, 5], [1, 3, 2], [(0, 9), (10, 19), (0, 9)])
    where = {
        (0, 0): -1,  # before the first opening
        (0, 4): 0,
        (0, 11): -1,  # pipe 3 was never opened
        (0, 8): 0,
        (0, 12): 1,
        (0, 4 << 50): 1,
        (1, 5): -1,
        (1, 9): 2,
        (1, 13): 2,
        (2, 0): -1,
    }
    core, token = np.array(list(where), np.int64).T
    assert own.of_tasks(TaskKey(core, token), 4).tolist() == list(where.values())
    alone = openings([0], [3], [(0, 9)])
    key = TaskKey(np.array([0, 0]), np.array([8, 12]))
    assert alone.of_tasks(key, 4).tolist() == [-1, 0]


def test_an_opening_is_as_long_as_the_slices_that_stick_out_of_it() -> None:
    """The first has two slices, the second none, the third one that lies inside of it."""
    own = openings([0, 0, 0], [0, 2, 2], [(12, 50), (60, 70), (80, 90)])
    start, end = np.array([10, 30, 81]), np.array([20, 55, 89])
    found = around(own, np.array([0, 2, 2]), start, end)
    assert list(zip(found.start.tolist(), found.end.tolist(), strict=True)) == [
        (10, 55),
        (60, 70),
        (80, 90),
    ]
    assert own.start.tolist() == [12, 60, 80]
    nothing = np.empty(0, np.int64)
    assert around(own, np.zeros(3, np.int64), nothing, nothing) is own


def test_lanes_stand_in_the_order_of_their_slots_and_those_without_openings_first() -> None:
    parts = [
        openings([7], [0], [(1, 2)]),
        openings([], [], []),
        openings([0, 0], [0, 4], [(3, 4)] * 2),
    ]
    assert Openings.below_each_other(parts).slot.tolist() == [0, 0, 7]


def test_a_unit_that_no_gpu_has_is_not_known() -> None:
    clocks = np.zeros(4, [("unit", np.int64)])
    clocks["unit"] = [-1, 0, 2**31 - 1, 2**31]
    assert units(clocks).tolist() == [MISSING32, 0, 2**31 - 1, MISSING32]
