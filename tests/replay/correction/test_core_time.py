"""Busy share and idle time of cores in a corrected makespan, and the interval of a figure."""

from __future__ import annotations

from tests.analyze.hand import make_trace, task

from lanescope.replay.correction.corrected import _core_time, _from_replays, _Replays
from lanescope.replay.correction.figure import Figure


def whole(corrected: float, low: float, high: float) -> Figure:
    return Figure("makespan", "", 100.0, corrected, low, high)


TRACE = make_trace(
    tasks=[task(0, 0, 0, 10, 50, 60, task=1), task(1, 0, 0, 20, 70, 100, task=2)],
    cores=[*({"core": k, "kind": "aic"} for k in (0, 1)), {"core": 2, "kind": "aiv"}],
)
"""Two aic cores are busy for 40 and 50 ns of 100, the aiv core is not used."""


def test_runs_are_as_long_as_recorded_and_the_makespan_is_not() -> None:
    busy, idle = _core_time(TRACE, whole(75.0, 60.0, 90.0), 1.0)
    assert busy == Figure("utilisation", "aic", 0.45, 0.6, 88 / 180, 92 / 120, is_share=True)
    assert idle == Figure("idle core time", "aic", 110.0, 60.0, 28.0, 92.0)


def test_idle_time_is_never_below_nothing() -> None:
    _, idle = _core_time(TRACE, whole(40.0, 30.0, 44.0), 0.5)
    assert (idle.corrected, idle.low, idle.high) == (0.0, 0.0, 0.0)


def replays(base: float, *without: float) -> _Replays:
    return _Replays({"makespan": base}, [{"makespan": one} for one in without])


def test_a_figure_scales_as_its_replays_do_and_holds_them_all() -> None:
    """The unchanged replay is 10 % too long, the others are between 80 and 99 of 110."""
    found = _from_replays("makespan", 100.0, [replays(110.0, 88.0, 80.0, 99.0)], tick_ns=1.0)
    assert (found.of, found.recorded, found.corrected) == ("", 100.0, 80.0)
    low, high = 100 * 80 / 110 * 0.9, 100 * 99 / 110 * 1.1
    assert abs(found.low - (low * 0.999 - 1)) < 1e-9
    assert abs(found.high - (high * 1.001 + 1)) < 1e-9


def test_a_figure_of_nothing_stays() -> None:
    found = _from_replays("makespan", 50.0, [replays(0.0, 10.0)], tick_ns=1.0)
    assert (found.recorded, found.corrected) == (50.0, 50.0)
    assert (found.low, found.high) == (50 * 0.999 - 1, 50 * 1.001 + 1)
