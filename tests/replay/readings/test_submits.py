"""When nodes are submitted: as recorded, without what held the orchestrator up, or guessed."""

from __future__ import annotations

from tests.analyze.hand import Row, make_trace, phase, task

from lanescope.analyze.graph.nodes import nodes
from lanescope.native.replay import Costs
from lanescope.replay.readings.submits import Submits, submits_of
from lanescope.results import plain
from lanescope.trace import Trace


def submit(number: int, start: int, end: int) -> Row:
    return phase("submit", start, end, lane="orchestrator", task=number)


def run(number: int, dispatch: int) -> Row:
    return task(0, dispatch, dispatch, dispatch, dispatch + 5, dispatch + 6, task=number)


def submits(trace: Trace, costs: Costs | None = None) -> Submits:
    return submits_of(trace, nodes(trace), costs or Costs(), pre_dispatch=0)


def test_recorded_submits_are_as_far_apart_as_their_ends() -> None:
    """Task 1 is submitted last. A scope ends before that, so there is one record more. Stamps are
    half a tick early, which is 0.5 ns."""
    trace = make_trace(
        tasks=[run(1, 100), run(2, 110), run(3, 120)],
        phases=[
            *(submit(2, 10, 20), submit(3, 30, 40), submit(1, 60, 70)),
            phase("scope_end", 45, 50, lane="orchestrator"),
        ],
    )
    assert plain(submits(trace)) == {
        "order": [1, 2, 0],
        "cost_ps": [10_500, 20_000, 30_000],
        "records": [1, 2, 1],
        "begin_ns": 10,
        "waited_ps": [0, 0, 0],
    }


def test_waits_for_buffers_are_no_part_of_a_submit() -> None:
    wait = {"lane": "orchestrator", "controller": 0, "start_ns": 50, "end_ns": 58}
    trace = make_trace(
        tasks=[run(1, 100), run(2, 110)],
        phases=[submit(1, 10, 20), submit(2, 30, 60)],
        stalls=[wait],
    )
    assert submits(trace).cost_ps.tolist() == [10_500, 32_000]


def test_even_submits_are_known_better_than_to_a_tick() -> None:
    """736.2 ns apart, read from a counter of 50 MHz."""
    true_ns = [736.2 * number for number in range(1, 61)]
    ends = [int(time // 20) * 20 for time in true_ns]
    trace = make_trace(
        {"clock_hz": 50_000_000},
        tasks=[run(number, 10**6) for number in range(60)],
        phases=[submit(number, end - 20, end) for number, end in enumerate(ends)],
    )
    apart = submits(trace).cost_ps[1:]
    assert {ends[n + 1] - ends[n] for n in range(59)} == {720, 740}
    assert abs(apart - 736_200).max() < 400


def test_a_submit_that_took_far_longer_was_held_up() -> None:
    """Twenty submits of 10 ns, one of 200 and one of 19: the long one counts by what is above 10,
    the other one is less than twice as long as usual."""
    ends = [10 * number for number in range(1, 21)]
    ends += [ends[-1] + 200, ends[-1] + 219]
    trace = make_trace(
        tasks=[run(number, 1000) for number in range(22)],
        phases=[submit(number, end - 5, end) for number, end in enumerate(ends)],
    )
    assert submits(trace).held_up_ps == 190_000


def test_a_node_with_many_inputs_takes_longer_and_was_not_held_up() -> None:
    """Nodes 1 to 9 take 10 ns; the others wait for nine of them and take 55 ns each."""
    ends = [10 * number for number in range(1, 10)]
    ends += [ends[-1] + 55 * number for number in range(1, 9)]
    trace = make_trace(
        tasks=[run(number, 1000) for number in range(17)],
        phases=[submit(number, end - 5, end) for number, end in enumerate(ends)],
        edges=[{"pred": pred, "succ": succ} for pred in range(9) for succ in range(9, 17)],
    )
    assert submits(trace).held_up_ps == 0


def test_a_root_without_a_submit_comes_just_before_its_dispatch() -> None:
    """Task 3 has no submit and nothing leads to it; task 4 has none and waits for 1. A look into
    the queue and a dispatch take 7 ns."""
    trace = make_trace(
        tasks=[run(1, 100), run(3, 57), run(4, 130)],
        phases=[submit(1, 30, 40)],
        edges=[{"pred": 1, "succ": 4}],
    )
    assert plain(submits(trace, Costs(pop=2_000, dispatch=5_000))) == {
        "order": [2, 0, 1],
        "cost_ps": [0, 10_000, 10_000],
        "records": [0, 0, 0],
        "begin_ns": 30,
        "waited_ps": [0, 0, 0],
    }


def test_without_any_submit_all_are_guessed() -> None:
    """The core was free for 24 ns before the second dispatch: the task waited for its submit."""
    trace = make_trace({"level": 2}, tasks=[run(1, 100), run(2, 130)])
    assert plain(submits(trace, Costs(dispatch=5_000))) == {
        "order": [0, 1],
        "cost_ps": [0, 30_000],
        "records": [0, 0],
        "begin_ns": 95,
        "waited_ps": [0, 0],
    }


def test_the_first_submits_may_be_held_up_more_than_the_later_ones() -> None:
    """Sixteen of 30 ns, then 40 of 10: the usual one takes 10, and each of the first 20 more."""
    ends = [30 * number for number in range(1, 17)]
    ends += [ends[-1] + 10 * number for number in range(1, 41)]
    trace = make_trace(
        tasks=[run(number, 10_000) for number in range(56)],
        phases=[submit(number, end - 5, end) for number, end in enumerate(ends)],
    )
    waited = submits(trace).waited_ps
    assert waited[1:16].tolist() == [20_000] * 15
    assert waited[16:].tolist() == [0] * 40
