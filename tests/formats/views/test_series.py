"""Series of an export: depths of ready queues, and counters that have times."""

from __future__ import annotations

from tests.analyze.hand import make_trace, phase

from lanescope.formats.views import series_of
from lanescope.trace import Trace


def shown(trace: Trace) -> list[tuple[str, list[int], list[float]]]:
    return [(one.name, one.time_ns.tolist(), one.value.tolist()) for one in series_of(trace)]


def test_the_depth_of_a_queue_is_sampled_at_both_ends_of_phases() -> None:
    phases = [
        phase("complete", 0, 10, queue0_start=2, queue0_end=2),
        phase("dispatch", 10, 20, queue0_end=5),
    ]
    trace = make_trace(meta={"queues": ("aic",)}, phases=phases)
    assert shown(trace) == [("ready aic", [0, 20], [2.0, 5.0])]


def test_a_counter_with_times_is_a_series_per_core() -> None:
    samples = [
        {"name": "watts", "value": 3.5, "time_ns": 9},
        {"name": "watts", "value": 2.5, "time_ns": 4},
        {"name": "watts", "value": 1.0, "time_ns": 5, "core": 1},
        {"name": "watts", "value": 8.0, "time_ns": 6, "core": 2},
        {"name": "cycles", "value": 7.0, "task": 3, "core": 1},
    ]
    trace = make_trace(counters=samples, cores=[{"core": 1, "name": "aic 1"}])
    assert shown(trace) == [
        ("watts", [4, 9], [2.5, 3.5]),
        ("watts aic 1", [5], [1.0]),
        ("watts core 2", [6], [8.0]),
    ]


def test_times_before_the_base_shift_a_series() -> None:
    samples = [{"name": "watts", "value": 1.0, "time_ns": time} for time in (-5, 5)]
    assert shown(make_trace(counters=samples)) == [("watts", [0, 10], [1.0, 1.0])]
