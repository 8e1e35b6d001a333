"""Submits that were not recorded, guessed from tasks that nothing else held up."""

from __future__ import annotations

from tests.analyze.hand import Row, make_trace, task

from lanescope.analyze.graph.nodes import nodes
from lanescope.native.replay import Costs
from lanescope.replay.readings.unseen_submits import unseen_submits
from lanescope.trace import Trace

COSTS = Costs(pop=4_000, dispatch=6_000)
"""A dispatch comes 10 ns after its cause, and is late from 30 ns on."""


def run(core: int, number: int, dispatch: int, finish: int = 0) -> Row:
    end = (finish or dispatch + 12) - 2
    return task(core, dispatch, dispatch, dispatch, end, end + 2, task=number)


def guessed(trace: Trace, pre_dispatch: int = 0) -> tuple[list[int], int]:
    at_ns, begin_ns = unseen_submits(trace, nodes(trace), COSTS, pre_dispatch=pre_dispatch)
    return at_ns.tolist(), begin_ns


def test_submits_between_tasks_that_waited_for_theirs_are_even() -> None:
    """Tasks 1 and 5 are alone on their cores. Tasks 2, 3 and 4 were dispatched soon after task 1
    had finished, and could have been submitted any time before."""
    trace = make_trace(
        {"level": 2},
        tasks=[
            run(0, 1, 110, finish=440),
            *(run(core, core + 1, 450) for core in (1, 2, 3)),
            run(4, 5, 510),
        ],
        edges=[{"pred": 1, "succ": number} for number in (2, 3, 4)],
    )
    assert guessed(trace) == ([100, 200, 300, 400, 500], 100)


def test_no_task_is_submitted_after_its_dispatch_or_that_of_a_later_one() -> None:
    """Tasks 1, 4 and 5 waited for their submits, at 100, 440 and 500. In between they would be 113
    ns apart, but task 3 is dispatched at 260."""
    trace = make_trace(
        {"level": 2},
        tasks=[
            run(0, 1, 110, finish=250),
            *(run(1, 2, 265), run(2, 3, 260), run(3, 4, 450, finish=460), run(4, 5, 510)),
        ],
        edges=[{"pred": 1, "succ": 2}, {"pred": 1, "succ": 3}],
    )
    assert guessed(trace) == ([100, 213, 250, 440, 500], 100)


def test_tasks_before_the_first_and_after_the_last_keep_the_pace() -> None:
    """Task 1 runs in two blocks and task 4 waits for task 3, so that only 2 and 3 tell: 100 ns
    apart."""
    trace = make_trace(
        {"level": 2},
        tasks=[
            *(run(0, 1, 150), run(5, 1, 150), run(1, 2, 210), run(2, 3, 310, finish=500)),
            run(3, 4, 505),
        ],
        edges=[{"pred": 3, "succ": 4}],
    )
    assert guessed(trace) == ([100, 200, 300, 400], 100)


def test_a_core_without_room_holds_its_tasks_up() -> None:
    """Tasks follow each other on one core; with room for one more, the third one is late."""
    rows = [run(0, 1, 110, finish=150), run(0, 2, 160, finish=200), run(0, 3, 210, finish=260)]
    trace = make_trace({"level": 2}, tasks=rows)
    assert guessed(trace) == ([100, 100, 100], 100)
    assert guessed(trace, pre_dispatch=1) == ([100, 150, 200], 100)


def test_without_two_such_tasks_the_orchestrator_is_far_ahead() -> None:
    trace = make_trace(
        {"level": 2},
        tasks=[run(0, 1, 110), run(1, 2, 130)],
        edges=[{"pred": 1, "succ": 2}],
    )
    assert guessed(trace) == ([100, 100], 100)
