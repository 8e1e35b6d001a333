"""Rounds that find nothing: what one takes, and how soon an end can be seen."""

from __future__ import annotations

import pytest
from tests.analyze.hand import Row, make_trace, phase, task

from lanescope.native.replay import Costs
from lanescope.replay.calibration.round_costs import RoundCosts, round_costs
from lanescope.replay.readings.phases import scheduler_phases
from lanescope.replay.readings.served import RangePs, served_runs

COSTS = Costs(scheduler_phase=3_000, poll_core=2_000)


def answer(phases: list[Row], tasks: list[Row]) -> RoundCosts:
    trace = make_trace(phases=phases, tasks=tasks, cores=[{"core": 0, "controller": 0}])
    return round_costs(trace, scheduler_phases(trace), served_runs(trace), costs=COSTS)


def test_the_time_between_two_phases_is_shared_by_the_rounds_between_them() -> None:
    """From 100 to 193 there are 10 rounds and one record of 3 ns. The core holds no task, so a
    round takes 9 ns. There is no end that tells how soon it is seen."""
    phases = [phase("dispatch", 90, 100, loop=5), phase("dispatch", 193, 200, loop=15)]
    assert answer(phases, []) == RoundCosts(9_000, RangePs(0, 0))


def test_looks_at_cores_are_no_part_of_a_round() -> None:
    """As before with a task on the core: 2 ns per round are for the look at it. Its end at 180 is
    seen at 193, after 13 ns; a round of 7 ns and the look are the most that this can be late."""
    phases = [phase("dispatch", 90, 100, loop=5), phase("complete", 193, 200, loop=15, tasks=1)]
    tasks = [task(0, 95, 99, 99, 180, 197)]
    assert answer(phases, tasks) == RoundCosts(7_000, RangePs(4_000, 13_000))


def test_an_end_that_came_while_the_scheduler_was_busy_tells_nothing() -> None:
    phases = [phase("dispatch", 90, 185, loop=5), phase("complete", 193, 200, loop=6, tasks=1)]
    tasks = [task(0, 95, 99, 99, 180, 197)]
    assert answer(phases, tasks).seen_ps == RangePs(0, 0)


def test_most_spans_may_be_too_short() -> None:
    """A scheduler that has news for others begins its round anew: the upper quartile counts."""
    ends = [0]
    phases = [phase("dispatch", 0, 0, loop=0)]
    for number, each in enumerate([5, 5, 9, 9], 1):
        start = ends[-1] + 10 * each + 3
        phases.append(phase("dispatch", start, start, loop=10 * number))
        ends.append(start)
    assert answer(phases, []).loop_ps == pytest.approx(9_000)


def test_two_phases_of_following_rounds_tell_nothing() -> None:
    phases = [phase("dispatch", 90, 100, loop=5), phase("dispatch", 193, 200, loop=6)]
    assert answer(phases, []).loop_ps == 1_000
