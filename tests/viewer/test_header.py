"""The whole header of a small trace: what the page knows before any bar."""

from __future__ import annotations

from typing import Any

import pytest
from tests.analyze.hand import entry, make_trace, phase, task

from lanescope.trace import Trace
from lanescope.viewer.book import Book


def header(trace: Trace) -> dict[str, Any]:
    return Book(trace).whole_header()


def test_a_small_trace_has_all_of_it() -> None:
    """Function 0 runs twice, 1 never, and one run has a function that nobody names."""
    trace = make_trace(
        {
            "chip": "a5",
            "notes": ("cut short",),
            "queues": ("aic",),
            "ledger": (entry("core 0", 9, 3, dropped=2, unmatched=4),),
        },
        tasks=[
            task(0, 5, 8, 10, 30, 35, func=0, task=1),
            task(0, 35, None, 40, 80, 90, func=0, task=2),
            task(0, None, None, 85, 95, None, func=7, task=3),
        ],
        phases=[phase("complete", 90, 98, queue0_start=2, queue0_end=1)],
        stalls=[{"lane": "core", "core": 0, "start_ns": 30, "end_ns": 36}],
        cores=[{"core": 0, "name": "aic 0", "kind": "aic"}],
        functions=[{"func": 0, "name": "QK"}, {"func": 1}],
    )
    found = header(trace)
    busy = found.pop("busy")
    assert [(one["kind"], one["cores"], len(one["share"])) for one in busy] == [("aic", 1, 1024)]
    assert sum(busy[0]["share"]) == pytest.approx(1024 * 70 / 93, abs=1)
    assert busy[0]["share"][54:57] == [0.0, 0.946, 1.0]
    # Bin 275 is the time from 29.975 to 30.066 ns: the run ends at 30.
    assert busy[0]["share"][274:277] == [1.0, 0.269, 0.0]
    told = (*("name", "chip", "start_ns", "end_ns", "makespan_ns", "utilisation", "task_ids"),)
    assert {name: found[name] for name in told} == {
        "name": "hand",
        "chip": "a5",
        "start_ns": 5,
        "end_ns": 98,
        "makespan_ns": 90,
        "utilisation": [["aic", pytest.approx(70 / 90)]],
        "task_ids": "",
    }
    spread = {"min_ns": 20, "p50_ns": 20, "p99_ns": 40, "max_ns": 40}
    cost = [
        {name: value for name, value in one.items() if name != "histogram"}
        for one in found["functions"]
    ]
    assert cost == [
        {"name": "QK", "count": 2, "total_ns": 60, **spread},
        {"name": "func_1", "count": 0, "total_ns": 0},
        {"name": "(unknown)", "count": 1, "total_ns": 10, **dict.fromkeys(spread, 10)},
    ]
    assert found["counts"] == {"tasks": 3, "phases": 1, "marks": 0, "stalls": 1, "lost": 1}
    assert found["losses"] == {"lost": 6, "broken": 0, "unknown": 0, "stall_ns": 6}
    assert (found["levels"], found["notes"], found["runs"]) == (
        [{"name": "ready aic", "scale": 1.0, "bin_ns": 0}],
        ["cut short"],
        [],
    )


@pytest.mark.parametrize(("lane", "name"), [("stream", "k<int>()"), ("core", "void a::k<int>()")])
def test_names_of_kernels_are_short_where_the_lanes_are_streams(lane: str, name: str) -> None:
    trace = make_trace(
        tasks=[task(0, None, None, 0, 1, None, func=0)],
        cores=[{"core": 0, "kind": "sm", "lane": lane}],
        functions=[{"func": 0, "name": "void a::k<int>()"}],
    )
    assert header(trace)["functions"][0]["name"] == name


def test_several_runs_are_told_one_is_not() -> None:
    runs = [{"run": 0, "slack_ns": 70, "completeness": "complete"}, {"run": 1}]
    assert header(make_trace(runs=runs[:1]))["runs"] == []
    told = header(make_trace(runs=runs))["runs"]
    assert [(run["completeness"], run["slack_ns"]) for run in told] == [
        ("complete", 70),
        ("", None),
    ]


@pytest.mark.parametrize(
    ("tasks", "span"),
    [
        ([], (0, 1)),
        ([task(0, None, None, 50, 50, None)], (50, 51)),
        ([task(0, 40, None, 50, 60, None)], (40, 60)),
        ([task(0, None, None, 50, 60, 75)], (50, 75)),
    ],
)
def test_the_span_is_of_everything_and_never_empty(
    tasks: list[dict[str, Any]], span: tuple[int, int]
) -> None:
    found = header(make_trace(tasks=tasks, cores=[{"core": 0}]))
    assert (found["start_ns"], found["end_ns"]) == span


def test_series_and_lost_dispatches_reach_beyond_the_bars() -> None:
    trace = make_trace(
        tasks=[task(0, None, None, 50, 60, None)],
        counters=[{"name": "w", "value": float(k), "time_ns": 40 + 30 * k} for k in range(2)],
        cores=[{"core": 0}],
    )
    found = header(trace)
    assert (found["start_ns"], found["end_ns"]) == (40, 70)


def test_functions_of_streams_say_what_they_do() -> None:
    trace = make_trace(
        tasks=[task(0, None, None, 0, 1, None, func=0)],
        cores=[{"core": 0, "kind": "sm", "lane": "stream"}],
        functions=[{"func": 0, "name": "memcpy", "work": "copy"}, {"func": 1, "name": "k"}],
    )
    told = [(one["name"], one.get("work")) for one in header(trace)["functions"]]
    assert told == [("memcpy", "copy"), ("k", None), ("(unknown)", None)]
