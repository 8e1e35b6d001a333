"""Runs with all their times, and the figures that are read from them."""

from __future__ import annotations

import numpy as np
import pytest
from tests.analyze.hand import make_trace, task

from lanescope.replay.readings.served import (
    cores_holding,
    in_ps,
    served_runs,
    tick_ns,
    trimmed_mean,
)
from lanescope.results import plain
from lanescope.trace.schema import TaskFlag

CORES = [{"core": 0, "controller": 1}, {"core": 1}]


def test_runs_come_by_core_and_start_with_the_controller_that_serves_them() -> None:
    awaits = TaskFlag.AWAITS_ENGINE | TaskFlag.MIX
    trace = make_trace(
        {"clock_hz": 50_000_000},
        tasks=[
            task(1, 0, None, 6, 10, 12, flags=0),
            task(0, 8, 11, 12, 20, 22, flags=int(awaits)),
            task(0, 0, 5, 6, 10, 12),
            task(0, 30, 31, 32, 40, None),
            task(0, None, 51, 52, 60, 62),
            {"task": 7, "kind": "dummy"},
        ],
        cores=CORES,
    )
    assert plain(served_runs(trace)) == {
        "rows": [2, 1, 0],
        "core": [0, 0, 1],
        "controller": [1, 1, 0],
        "dispatch_ns": [0, 8, 0],
        "receive_ns": [5, 11, 6],
        "start_ns": [6, 12, 6],
        "end_ns": [10, 20, 10],
        "finish_ns": [12, 22, 12],
        "awaits_engine": [False, True, False],
        "stalled": [False, False, False],
        "tick_ns": 20.0,
    }


def test_a_wait_for_a_buffer_stalls_the_run_behind_it() -> None:
    wait = {"lane": "core", "core": 0, "start_ns": 10, "end_ns": 11}
    trace = make_trace(
        tasks=[task(0, n, n + 5, n + 6, n + 10, n + 12) for n in (0, 8, 30)],
        stalls=[wait, {"lane": "scheduler", "controller": 0, "start_ns": 25, "end_ns": 26}],
    )
    assert served_runs(trace).stalled.tolist() == [False, True, False]


@pytest.mark.parametrize(
    ("clock_hz", "expected"), [(50_000_000, 20.0), (10**9, 1.0), (4 * 10**9, 1.0), (None, 1.0)]
)
def test_a_tick_is_the_step_of_the_clock_and_at_least_1_ns(
    clock_hz: int | None, expected: float
) -> None:
    assert tick_ns(make_trace({"clock_hz": clock_hz})) == expected


def test_a_trimmed_mean_drops_the_ends() -> None:
    values = np.array([0, *[10] * 18, 1000])
    assert trimmed_mean(values, 1.0) == 10.0
    assert trimmed_mean(values, 10.0) == pytest.approx(180 / 19)
    assert trimmed_mean(values[:0], 1.0) == 0.0


def test_a_trimmed_mean_keeps_what_is_within_a_tick_of_the_rest() -> None:
    """A length of 11 ns seen through ticks of 20 ns: one in twenty is longer."""
    assert trimmed_mean(np.array([*[10] * 19, 30]), 20.0) == 11.0


def test_times_are_whole_picoseconds_and_never_negative() -> None:
    assert [in_ps(ns) for ns in (1.2346, 0.0, -3.0)] == [1235, 0, 0]


def test_a_core_holds_tasks_from_dispatch_to_finish() -> None:
    """On core 0 the second task is dispatched while the first one runs: the core holds a task all
    the time. Core 2 belongs to another controller."""
    trace = make_trace(
        tasks=[
            task(0, 0, 1, 2, 10, 12),
            task(0, 8, 11, 12, 20, 22),
            task(1, 5, 6, 7, 14, 15),
            task(2, 0, 1, 2, 90, 99),
        ],
        cores=[{"core": n, "controller": n // 2} for n in range(3)],
    )
    runs = served_runs(trace)
    moments = np.array([-1, 0, 4, 5, 13, 15, 21, 22])
    assert cores_holding(runs, 0, moments).tolist() == [0, 1, 1, 2, 2, 1, 1, 0]
    assert cores_holding(runs, 1, moments).tolist() == [0, 1, 1, 1, 1, 1, 1, 1]
