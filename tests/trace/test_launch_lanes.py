"""Launches that are drawn: their names, and the phases that stand for them."""

from __future__ import annotations

from tests.analyze.hand import Row, make_trace

from lanescope.trace import MISSING, Trace
from lanescope.trace.launch_lanes import launch_names, with_launch_phases


def launched() -> Trace:
    times = {"start_ns": 10, "end_ns": 20}
    host: Row = {"lane": "host", "controller": 0, "kind": "step", "start_ns": 0, "end_ns": 30}
    return make_trace(
        functions=[{"func": 4, "name": "tile"}],
        launches=[
            {"launch": 1, "name": "forward", "func": 4, **times},
            {"launch": 2, "func": 4, "start_ns": 20, "end_ns": 25},
            {"launch": 3, "func": 9, **times},
        ],
        phases=[host],
        controllers=[{"lane": "host", "controller": 0, "name": "MainThread"}],
    )


def test_a_launch_is_called_by_its_name_or_its_function() -> None:
    assert launch_names(launched()) == ["forward", "tile", "launch"]


def test_launches_are_phases_of_a_lane_of_their_own() -> None:
    trace = launched()
    shown = with_launch_phases(trace)
    assert shown.text("phases", "lane") == ["host", "launch", "launch", "launch"]
    assert shown.text("phases", "kind") == ["step", "forward", "tile", "launch"]
    assert shown.phases["launch"].tolist() == [MISSING, 1, 2, 3]
    assert shown.phases["start_ns"].tolist() == [0, 10, 20, 10]
    assert shown.phases["end_ns"].tolist() == [30, 20, 25, 20]
    assert shown.text("controllers", "name") == ["MainThread", "launches"]
    assert shown.words[: len(trace.words)] == trace.words
    assert len(trace.phases) == 1


def test_a_trace_without_launches_stays_as_it_is() -> None:
    trace = make_trace(phases=[{"lane": "host", "kind": "step"}])
    assert with_launch_phases(trace) is trace
