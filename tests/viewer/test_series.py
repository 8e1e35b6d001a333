"""Series of the page: which are shown, and how they are thinned."""

from __future__ import annotations

import numpy as np
import pytest
from tests.analyze.hand import Row, make_trace, phase
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


def queue(phases: list[Row]) -> Trace:
    return make_trace(meta={"queues": ("aic",)}, phases=phases)


def test_binned_samples_are_those_with_a_time_and_a_depth(monkeypatch: pytest.MonkeyPatch) -> None:
    """From 10 to 49 ns in four bins of 10 ns; depths 3 and 7 meet in the third."""
    for name, value in (("_MOST_SORTED", 0), ("_MOST_POINTS", 4), ("_CHUNK", 2)):
        monkeypatch.setattr(module, name, value)
    rows = [
        phase("complete", 10, 30, queue0_start=2, queue0_end=3),
        phase("complete", 12, 39, queue0_start=5, queue0_end=7),
        {"lane": "scheduler", "controller": 0, "kind": "complete", "queue0_start": 9},
        phase("dispatch", 20, 49),
    ]
    assert shown(queue(rows)) == [("ready aic", [10, 30], [5, 7], 1.0, 10)]
    assert shown(queue([phase("complete", 0, 8, queue0_start=0, queue0_end=0)])) == []
    assert shown(queue([phase("complete", 5, 5, queue0_start=0, queue0_end=4)])) == [
        ("ready aic", [5], [4], 1.0, 1)
    ]


def test_samples_are_binned_where_they_are_too_many_to_sort(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = [phase("complete", 0, 10, queue0_start=1, queue0_end=2)] * 2
    monkeypatch.setattr(module, "_MOST_SORTED", 4)
    assert shown(queue(rows)) == [("ready aic", [0, 10], [1, 2], 1.0, 0)]
    monkeypatch.setattr(module, "_MOST_SORTED", 3)
    assert shown(queue(rows)) == [("ready aic", [0, 10], [1, 2], 1.0, 1)]


@pytest.mark.parametrize(("samples", "points", "bin_ns"), [(8192, 8192, 0), (8193, 4097, 2)])
def test_up_to_8192_points_are_shown_as_they_are(samples: int, points: int, bin_ns: int) -> None:
    rows = [{"name": "w", "value": float(k % 2), "time_ns": k} for k in range(samples)]
    ((_, time, _, _, found),) = shown(make_trace(counters=rows))
    assert (len(time), found) == (points, bin_ns)


@pytest.mark.parametrize(
    ("value", "told", "scale"),
    [
        (2.0**53 - 1, 2**53 - 1, 1.0),
        (2.0**53, 1_000_000, 2.0**53 / 1_000_000),
        (-(2.0**53), -1_000_000, 2.0**53 / 1_000_000),
        (-3.0, -3, 1.0),
        (-0.5, -1_000_000, 5e-07),
    ],
)
def test_values_that_are_whole_and_exact_keep_their_number(
    value: float, told: int, scale: float
) -> None:
    rows = [{"name": "w", "value": value, "time_ns": 5}]
    assert shown(make_trace(counters=rows)) == [("w", [5], [told], scale, 0)]


def test_samples_without_a_time_or_a_number_are_none() -> None:
    rows = [
        {"name": "w", "value": 1.0},
        {"name": "w", "value": float("inf"), "time_ns": 3},
        {"value": 2.0, "time_ns": 4, "core": 0},
        {"value": 2.0, "time_ns": 9, "core": 0},
    ]
    assert shown(make_trace(counters=rows)) == [("counter core 0", [4], [2], 1.0, 0)]


def test_the_first_three_queues_are_shown() -> None:
    depth = {f"queue{k}_start": k + 1 for k in range(3)} | {f"queue{k}_end": 0 for k in range(3)}
    trace = make_trace(meta={"queues": ("a", "b", "c", "d")}, phases=[phase("poll", 0, 9, **depth)])
    assert shown(trace) == [
        (f"ready {name}", [0, 9], [depth, 0], 1.0, 0)
        for name, depth in (("a", 1), ("b", 2), ("c", 3))
    ]


def test_samples_of_phases_that_never_end_are_a_nanosecond_apart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_MOST_SORTED", 0)
    open_ = {"lane": "scheduler", "controller": 0, "kind": "complete"}
    rows = [{**open_, "start_ns": ns, "queue0_start": depth} for ns, depth in ((5, 3), (7, 4))]
    assert shown(queue(rows)) == [("ready aic", [5, 7], [3, 4], 1.0, 1)]
