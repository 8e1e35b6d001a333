"""Ready-queue depth over time."""

from __future__ import annotations

from tests.analyze.hand import make_trace, phase

from lanescope.analyze.controllers.queues import QueueDepth, queues

META = {"queues": ("aic", "aiv")}


def test_a_depth_holds_until_the_next_sample() -> None:
    trace = make_trace(
        META,
        phases=[
            phase("dispatch", 10, 20, queue0_start=6, queue0_end=1),
            phase("complete", 0, 4, queue0_start=2, queue0_end=3),
        ],
    )
    area = 2 * 4 + 3 * 6 + 6 * 10
    assert queues(trace) == (QueueDepth("aic", 4, 6, area / 20), QueueDepth("aiv", 0, None, None))


def test_samples_of_one_moment_count_in_recorded_order() -> None:
    trace = make_trace(
        META,
        phases=[
            phase("dispatch", 0, 10, queue0_start=1, queue0_end=5),
            phase("complete", 10, 20, queue0_start=3, queue0_end=0),
        ],
    )
    assert queues(trace)[0] == QueueDepth("aic", 4, 5, (1 * 10 + 3 * 10) / 20)


def test_samples_without_width_have_no_mean() -> None:
    trace = make_trace(META, phases=[phase("dispatch", 5, 5, queue0_start=2, queue0_end=4)])
    assert queues(trace)[0] == QueueDepth("aic", 2, 4, None)


def test_phases_without_times_give_no_samples() -> None:
    trace = make_trace(META, phases=[{"kind": "dispatch", "queue0_start": 2}])
    assert queues(trace)[0] == QueueDepth("aic", 0, None, None)


def test_huge_depths_and_times_do_not_wrap() -> None:
    far, deep = 1 << 61, (1 << 31) - 1
    trace = make_trace(META, phases=[phase("dispatch", 0, far, queue0_start=deep, queue0_end=0)])
    assert queues(trace)[0].mean_depth == float(deep)


def test_a_trace_without_queues_has_none() -> None:
    assert queues(make_trace(phases=[phase("dispatch", 0, 1)])) == ()
