"""Which rows are a scheduler's phases, and which of those take time from its round."""

from __future__ import annotations

from tests.analyze.hand import make_trace, phase

from lanescope.replay.readings.phases import are_outer, scheduler_phases


def test_only_whole_phases_of_schedulers_count() -> None:
    trace = make_trace(
        phases=[
            phase("submit", 0, 1, lane="orchestrator"),
            phase("dispatch", 1, 2),
            {"lane": "scheduler", "controller": 0, "kind": "dispatch", "start_ns": 3},
            {"lane": "scheduler", "controller": 0, "kind": "dispatch", "end_ns": 4},
            phase("complete", 5, 6, controller=1),
        ]
    )
    phases = scheduler_phases(trace)
    assert phases["start_ns"].tolist() == [1, 5]
    assert phases["controller"].tolist() == [0, 1]


def test_inner_phases_and_unknown_kinds_are_not_outer() -> None:
    kinds = ("complete", "resolve", "async_poll", "drain_publish", "release", "tea")
    trace = make_trace(phases=[phase(kind, 0, 1) for kind in kinds])
    assert are_outer(trace, trace.phases["kind"]).tolist() == [
        True,
        False,
        True,
        False,
        True,
        False,
    ]
