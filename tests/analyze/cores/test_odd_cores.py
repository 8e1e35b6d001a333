"""Slow and late cores by hand; `test_verdict.py` has simulated ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.analyze.hand import make_trace, task

from lanescope.analyze.cores.odd_cores import (
    LateCore,
    SlowCore,
    late_cores,
    pick_ups,
    slow_cores,
)
from lanescope.analyze.cores.suspects import suspects
from lanescope.analyze.cores.verdict import verdict
from lanescope.analyze.cores.verdict_section import verdict_section
from lanescope.trace import Trace


def run(core: int, start: int, length: int, func: int = 0) -> dict[str, Any]:
    return task(core, None, None, start, start + length, None, func=func)


def slow(tasks: list[dict[str, Any]], window_ns: int = 1000) -> tuple[SlowCore, ...]:
    trace = make_trace(cores=[{"core": 3, "name": "third"}], tasks=tasks)
    return slow_cores(trace, np.arange(len(tasks)), window_ns)


def four_cores(runs: int, *, last_ns: int) -> list[dict[str, Any]]:
    """Runs of 100 ns on three cores, and of `last_ns` on the fourth."""
    return [
        run(core, 1000 * n, last_ns if core == 3 else 100) for core in range(4) for n in range(runs)
    ]


def test_a_core_that_takes_twice_as_long_is_slow() -> None:
    assert slow(four_cores(4, last_ns=200)) == (SlowCore(3, "third", 4, 2.0, 400, 0.4),)


@pytest.mark.parametrize(("runs", "last_ns"), [(3, 200), (4, 119)])
def test_few_runs_or_a_small_ratio_make_no_slow_core(runs: int, last_ns: int) -> None:
    assert slow(four_cores(runs, last_ns=last_ns)) == ()


def test_a_core_that_costs_nothing_is_not_named_however_slow_it_is() -> None:
    """Four runs that take 36 times as long cost 14,000 ns."""
    tasks = four_cores(4, last_ns=3600)
    assert [core.share for core in slow(tasks, 1_400_000)] == [0.01]
    assert slow(tasks, 1_400_001) == ()


def test_the_core_that_costs_most_comes_first() -> None:
    """Core 7 has the larger ratio, core 8 the longer function."""
    tasks = [run(core, 9_000 * n, 100) for core in range(7) for n in range(4)]
    tasks += [run(core, 9_000 * n, 4000, 1) for core in range(7) for n in range(4)]
    tasks += [run(7, 9_000 * n, 300) for n in range(4)]
    tasks += [run(8, 9_000 * n, 8000, 1) for n in range(4)]
    assert [(core.core, core.extra_ns) for core in slow(tasks)] == [(8, 16_000), (7, 800)]


def test_cores_that_all_differ_have_no_outlier() -> None:
    lengths = (60, 80, 100, 120, 140)
    assert (
        slow([run(core, 1000 * n, ns) for core, ns in enumerate(lengths) for n in range(4)]) == ()
    )


def test_cores_that_run_different_functions_are_not_compared() -> None:
    places = [(core, n) for core in range(4) for n in range(4)]
    assert slow([run(core, 1000 * n, 100 * (core + 1), func=core) for core, n in places]) == ()


# ---- late cores ----------------------------------------------------------------------------------


def picked(core: int, dispatch: int, pick_up: int, **more: Any) -> dict[str, Any]:
    """A run of 100 ns that starts 5 ns after the core received it."""
    receive = dispatch + pick_up
    return task(core, dispatch, receive, receive + 5, receive + 105, None, **more)


def machine(tasks: list[dict[str, Any]]) -> Trace:
    kinds = ["aiv"] * 4 + ["aic"]
    cores = [
        {"core": core, "kind": kind, "name": f"{kind}{core}"} for core, kind in enumerate(kinds)
    ]
    return make_trace(cores=cores, tasks=tasks)


def late(tasks: list[dict[str, Any]], window_ns: int = 1000) -> tuple[LateCore, ...]:
    return late_cores(machine(tasks), np.arange(len(tasks)), window_ns)


def four_pick_ups(*pick_up: int) -> list[dict[str, Any]]:
    """Pick-ups of 10 ns on three cores, and these on the fourth."""
    tasks = [picked(core, 9000 * n, 10) for core in range(3) for n in range(len(pick_up))]
    return tasks + [picked(3, 9000 * n, ns) for n, ns in enumerate(pick_up)]


def test_a_core_that_picks_up_later_than_its_like_is_late() -> None:
    found = late(four_pick_ups(30, 50, 40, 40))
    assert found == (LateCore(3, "aiv3", 4, 40.0, 4.0, 120, 0.12),)


def test_one_very_late_pick_up_makes_a_late_core() -> None:
    (found,) = late(four_pick_ups(10, 8010, 10, 10), window_ns=16_000)
    assert (found.pick_up_ns, found.extra_ns, found.share) == (2010, 8000, 0.5)


@pytest.mark.parametrize("pick_up", [(19, 19, 19, 19), (90, 90, 90)], ids=["ratio", "runs"])
def test_a_small_ratio_or_few_runs_make_no_late_core(pick_up: tuple[int, ...]) -> None:
    assert late(four_pick_ups(*pick_up)) == ()


def test_a_late_core_that_costs_nothing_is_not_named() -> None:
    tasks = four_pick_ups(40, 40, 40, 40)
    assert len(late(tasks, 12_000)) == 1 and late(tasks, 12_001) == ()


def test_a_core_of_another_kind_is_no_like() -> None:
    """The fifth core is the only aic; that it takes longer says nothing."""
    tasks = [picked(core, 9000 * n, 10 if core < 4 else 90) for core in range(5) for n in range(4)]
    assert late(tasks) == ()


def test_a_task_that_waits_for_the_run_before_it_is_not_picked_up_late() -> None:
    """The tasks of the fourth core are dispatched when it begins with the first of them."""
    tasks = [picked(core, 9000 * n, 10) for core in range(3) for n in range(4)]
    tasks += [task(3, 0, 10 + 110 * n, 15 + 110 * n, 110 * (n + 1), None) for n in range(4)]
    assert late(tasks) == ()


def test_without_receive_the_start_is_taken_and_without_dispatch_nothing() -> None:
    tasks = [
        task(core, 9000 * n, None, 9000 * n + (90 if core == 3 else 10), 9000 * n + 200, None)
        for core in range(4)
        for n in range(4)
    ]
    assert [core.pick_up_ns for core in late(tasks)] == [90]
    assert late([run(0, 0, 5)]) == ()


def test_the_verdict_says_what_each_of_them_costs() -> None:
    """The fourth core picks up 90 ns later than the others and runs twice as long."""
    tasks = [
        task(core, at, at + odd * 90 + 10, at + odd * 90 + 10, at + odd * 190 + 110, None, func=0)
        for core in range(4)
        for at in range(0, 4000, 1000)
        for odd in [core == 3]
    ]
    trace = machine(tasks)
    lines = " ".join(verdict_section(verdict(trace), suspects(trace), "").lines)
    assert (
        "aiv3 is slow: its runs take 2.00 times as long as those of the same functions on other "
        "cores, 400 ns more in all (12.2% of the window). aiv3 picks up late: after 100.0 ns on "
        "average, 10.0 times as long as its like, 360 ns more in all (10.9% of the window)."
    ) in lines


@pytest.mark.parametrize("cores", [[], [{"core": 3}]], ids=["no row", "no name"])
def test_a_core_without_a_name_has_its_number(cores: list[dict[str, Any]]) -> None:
    tasks = four_cores(4, last_ns=200)
    (found,) = slow_cores(make_trace(cores=cores, tasks=tasks), np.arange(len(tasks)), 1000)
    assert found.name == "core 3"
    tasks = four_pick_ups(40, 40, 40, 40)
    (other,) = late_cores(make_trace(cores=cores, tasks=tasks), np.arange(len(tasks)), 1000)
    assert other.name == "core 3"


def test_a_core_at_the_limits_is_slow_and_late() -> None:
    """1.2 times as long in 4 runs; a pick-up of 20 ns where the others take 10."""
    assert slow(four_cores(4, last_ns=120)) == (SlowCore(3, "third", 4, 1.2, 80, 0.08),)
    assert late(four_pick_ups(20, 20, 20, 20)) == (LateCore(3, "aiv3", 4, 20.0, 2.0, 40, 0.04),)


def test_an_outlier_is_more_than_three_and_a_half_deviations_off() -> None:
    """Lengths of 90, 100, 100, 110 and 120: the middle is 100, and cores are 10 off it."""
    others = [run(core, 1000 * n, ns) for core, ns in enumerate((90, 90, 100, 110, 110))
              for n in range(4)]  # fmt: skip
    found = {
        ns: [core.core for core in slow([*others, *(run(9, 1000 * n, ns) for n in range(4))])]
        for ns in (150, 190)
    }
    assert found == {150: [], 190: [9]}


def test_runs_of_no_length_are_as_long_as_their_like() -> None:
    tasks = [run(core, 1000 * n, 0) for core in range(4) for n in range(4)]
    assert slow(tasks) == ()
    assert slow([*tasks, run(3, 9000, 50)]) == ()


def test_the_late_core_that_costs_most_comes_first() -> None:
    tasks = four_pick_ups(30, 30, 30, 30)
    tasks += [picked(core, 9000 * n, 10) for core in (5, 6, 7, 8) for n in range(4)]
    tasks += [picked(9, 9000 * n, 50) for n in range(4)]
    cores = [{"core": core, "kind": "aiv"} for core in range(10)]
    found = late_cores(make_trace(cores=cores, tasks=tasks), np.arange(len(tasks)), 1000)
    assert [(one.core, one.extra_ns, one.ratio) for one in found] == [(9, 160, 5.0), (3, 80, 3.0)]


def test_a_pick_up_begins_when_the_run_before_ends_and_is_never_negative() -> None:
    tasks = [
        task(0, 0, 4, 6, 10, None),
        task(0, 5, None, 13, 20, None),
        task(0, 30, 25, 31, 32, None),
        task(1, 2, 9, 11, 12, None),
    ]
    assert pick_ups(machine(tasks), np.arange(4)).tolist() == [4, 3, 0, 7]
    assert pick_ups(machine([]), np.arange(0)).tolist() == []


def test_pick_ups_of_no_time_are_held_against_one_nanosecond() -> None:
    """Three cores pick up at once."""
    tasks = [picked(core, 9000 * n, 0) for core in range(3) for n in range(4)]
    tasks += [picked(3, 9000 * n, 6) for n in range(4)]
    assert late(tasks) == (LateCore(3, "aiv3", 4, 6.0, 6.0, 24, 0.024),)
