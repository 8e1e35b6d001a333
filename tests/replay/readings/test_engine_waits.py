"""How long engines went on with tasks, by hand and as a simulated run has it."""

from __future__ import annotations

import numpy as np
import pytest
from tests.analyze.hand import Row, make_trace, phase, task
from tests.replay.runs import replica

from lanescope.analyze.graph.nodes import nodes
from lanescope.native.replay import Costs
from lanescope.replay.readings.engine_waits import EngineWaits, _controllers, awaiting, engine_waits
from lanescope.replay.readings.phases import scheduler_phases
from lanescope.replay.readings.served import served_runs
from lanescope.trace import Trace
from lanescope.trace.schema import TaskFlag

AWAITS = int(TaskFlag.AWAITS_ENGINE)
COSTS = Costs(
    loop=20_000, poll_core=10_000, task_record=5_000, pop=2_000, dispatch=3_000, resolve_edge=1_000
)


def run(number: int, finish: int, func: int = 0, **more: int) -> Row:
    """On a core of its own."""
    times = (finish - 60, finish - 55, finish - 50, finish - 2, finish)
    return task(number, *times, task=number, func=func, flags=AWAITS, **more)


def waits(trace: Trace) -> EngineWaits:
    return engine_waits(
        trace, nodes(trace), scheduler_phases(trace), runs=served_runs(trace), costs=COSTS
    )


def test_only_tasks_that_ran_can_await_an_engine() -> None:
    trace = make_trace(
        tasks=[run(1, 100), task(0, 0, 1, 2, 3, 4, task=2), {"task": 3, "flags": AWAITS}]
    )
    assert awaiting(trace, nodes(trace)).tolist() == [True, False, False]


def test_without_such_tasks_nothing_waits() -> None:
    answer = waits(make_trace(tasks=[task(0, 0, 1, 2, 3, 4, task=2)]))
    assert (answer.wait_ps.tolist(), answer.poll_ps) == ([0], COSTS.poll_core)


def test_without_polls_a_wait_ends_before_the_first_successor() -> None:
    """Task 1 is done at 100; its successors are dispatched at 180 and 170, 6 ns after they could
    be. Task 4 has none."""
    after = [
        task(9, at, at, at, at + 1, at + 2, task=number) for number, at in ((2, 180), (3, 170))
    ]
    trace = make_trace(
        tasks=[run(1, 100), *after, run(4, 300)],
        edges=[{"pred": 1, "succ": 2}, {"pred": 1, "succ": 3}],
    )
    assert waits(trace).wait_ps.tolist() == [64_000, 0, 0, 0]


def test_a_wait_lies_between_two_looks_of_the_controller() -> None:
    """Left to its engine at 125: 5 ns after its finish, for the record. The poll at 300 sees the
    end; one round before, at 270, the controller had looked in vain. The poll takes 20 ns."""
    trace = make_trace(
        tasks=[run(1, 120)],
        phases=[
            phase("complete", 100, 130, tasks=1),
            phase("dispatch", 250, 260),
            phase("async_poll", 300, 320, tasks=1),
        ],
    )
    answer = waits(trace)
    assert answer.wait_ps.tolist() == [(270 + 300) // 2 * 1000 - 125_000]
    assert answer.poll_ps == 20_000


def test_a_phase_just_before_is_a_look_too() -> None:
    trace = make_trace(
        tasks=[run(1, 120)],
        phases=[
            phase("complete", 100, 130, tasks=1),
            phase("dispatch", 290, 295),
            phase("async_poll", 300, 320, tasks=1),
            phase("resolve", 308, 319, tasks=1),
        ],
    )
    answer = waits(trace)
    assert answer.wait_ps.tolist() == [295_000 - 125_000]
    # Successors are told from 308 on: the poll itself took 8 ns.
    assert answer.poll_ps == 8_000


def test_tasks_of_one_function_agree_where_they_can() -> None:
    """Between 145 and 175 ns, and between 165 and 195 ns: 165 to 175 is what both allow. The task
    of another function is for itself. Who ended first is done first."""
    trace = make_trace(
        tasks=[run(1, 120), run(2, 1120), run(3, 2120, func=1)],
        phases=[
            *(phase("complete", 100, 130, tasks=1), phase("async_poll", 300, 320, tasks=1)),
            *(phase("complete", 1100, 1130, tasks=1), phase("async_poll", 1320, 1330, tasks=1)),
            *(phase("complete", 2100, 2130, tasks=1), phase("async_poll", 2300, 2310, tasks=1)),
        ],
    )
    answer = waits(trace)
    assert answer.wait_ps.tolist() == [170_000, 170_000, 160_000]
    assert answer.poll_ps == round((20 + 10 + 10) / 3 * 1000)


def test_tasks_seen_in_one_phase_are_left_to_their_engines_together() -> None:
    """Both are left at 155, after the last finish of the phase; two tasks are asked for at once."""
    trace = make_trace(
        tasks=[run(1, 120), run(2, 150, func=1)],
        phases=[
            phase("complete", 100, 160, tasks=2),
            phase("async_poll", 300, 320, tasks=2),
        ],
    )
    answer = waits(trace)
    assert answer.wait_ps.tolist() == [285_000 - 155_000] * 2
    assert answer.poll_ps == 10_000


@pytest.mark.parametrize("chip", ["a2a3", "a5"])
def test_the_waits_of_a_simulated_run_are_near_the_workloads(chip: str) -> None:
    wait_ps = replica("mixed", chip).waits.wait_ps
    known = wait_ps[wait_ps > 0]
    assert len(known) and np.abs(known / 8_000_000 - 1).max() < 0.05


def test_a_core_that_nobody_is_said_to_serve_is_served_by_the_first() -> None:
    trace = make_trace(cores=[{"core": 0, "controller": 2}, {"core": 1}])
    assert _controllers(trace, np.array([0, 1, 7])).tolist() == [2, 0, 0]
