"""Series of the page: which are shown, and how they are thinned."""

from __future__ import annotations

import numpy as np
import pytest
from tests.analyze.hand import make_trace, phase
from tests.viewer.traces import small

from lanescope.trace import Trace
from lanescope.viewer import series as module
from lanescope.viewer.series import series_of

Plain = tuple[str, list[int], list[int], float, int]


def shown(trace: Trace) -> list[Plain]:
    return [
        (one.name, one.time_ns.tolist(), one.value.tolist(), one.scale, one.bin_ns)
        for one in series_of(trace).shown
    ]


def test_a_queue_is_a_series_without_repeated_values() -> None:
    phases = [
        phase("complete", 0, 10, queue0_start=2, queue0_end=2),
        phase("dispatch", 10, 20, queue0_end=5),
    ]
    trace = make_trace(meta={"queues": ("aic",)}, phases=phases)
    assert shown(trace) == [("ready aic", [0, 20], [2, 5], 1.0, 0)]


def test_a_queue_that_was_always_empty_is_not_shown() -> None:
    phases = [phase("complete", 0, 10, queue0_start=0, queue0_end=0)]
    assert shown(make_trace(meta={"queues": ("aic",)}, phases=phases)) == []


def test_many_samples_of_a_queue_are_binned(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each point is the largest sample of its bin; the sorted way says the same at its points."""
    trace = small()
    (exact,) = series_of(trace).shown
    monkeypatch.setattr(module, "_MOST_SORTED", 10)
    (binned,) = series_of(trace).shown
    assert (binned.name, binned.bin_ns, binned.scale) == (exact.name, 1, 1.0)
    at = dict(zip(binned.time_ns.tolist(), binned.value.tolist(), strict=True))
    samples = trace.phases["queue0_start"]
    for time in np.unique(trace.phases["start_ns"]).tolist():
        assert at[time] == samples[trace.phases["start_ns"] == time].max()


def test_a_counter_is_a_series_per_core_in_steps_of_its_scale() -> None:
    samples = [
        {"name": "watts", "value": 0.5, "time_ns": 9},
        {"name": "watts", "value": 2.0, "time_ns": 4},
        {"name": "watts", "value": 3.0, "time_ns": 5, "core": 1},
    ]
    assert shown(make_trace(counters=samples)) == [
        ("watts", [4, 9], [1_000_000, 250_000], 2e-06, 0),
        ("watts core 1", [5], [3], 1.0, 0),
    ]


def test_too_many_points_become_the_largest_value_of_each_bin(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_MOST_POINTS", 2)
    values = [1.0, 4.0, 2.0, 3.0]
    samples = [{"name": "w", "value": value, "time_ns": 10 * k} for k, value in enumerate(values)]
    assert shown(make_trace(counters=samples)) == [("w", [0, 16], [4, 3], 1.0, 16)]


def test_series_beyond_those_shown_are_counted() -> None:
    samples = [{"name": f"c{k}", "value": 1.0, "time_ns": k} for k in range(70)]
    series = series_of(make_trace(counters=samples))
    assert (len(series.shown), series.left_out) == (64, 6)
