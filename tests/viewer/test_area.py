"""Figures of an area as the server tells them, against a count bar by bar and the report's own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.analyze.hand import make_trace, phase, task
from tests.viewer.areas import plain_tasks, plain_waits
from tests.viewer.traces import HOSTILE, large, small

from lanescope.analyze.tasks.functions import functions
from lanescope.trace import Trace
from lanescope.viewer.area import area_figures
from lanescope.viewer.book import Book


def asked(trace: Trace, t0: int, t1: int, lanes: list[int]) -> dict[str, Any]:
    question = {"t0": t0, "t1": t1, "lanes": {"0": lanes}}
    return area_figures([Book(trace)], [""], question)


def of_tasks(figures: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {
        one["name"]: {key: value for key, value in one.items() if key not in ("bars", "name")}
        for one in figures["functions"]
        if one["bars"] == "tasks"
    }


def test_an_area_has_what_touches_it() -> None:
    trace = large(20_000, cores=6)
    end = int(trace.tasks["end_ns"].max())
    rng = np.random.default_rng(3)
    for _ in range(6):
        t0, t1 = sorted(rng.integers(0, end, 2).tolist())
        cores = set(rng.permutation(6)[: rng.integers(1, 7)].tolist())
        figures = asked(trace, t0, t1, sorted(cores))
        assert of_tasks(figures) == plain_tasks(trace, (t0, t1), cores)
        by_lane = {row["lane"]: row["count"] for row in figures["lanes"]}
        assert set(by_lane) == cores
        assert sum(by_lane.values()) == sum(one["count"] for one in figures["functions"])


def test_an_area_of_the_whole_run_has_the_reports_figures() -> None:
    trace = small()
    figures = asked(trace, -1000, 100_000, list(range(20)))
    told = {one["name"]: one for one in figures["functions"] if one["bars"] == "tasks"}
    for row in functions(trace).rows:
        one, cost = told[row.name], row.exec
        assert (one["count"], one["inside_ns"], one["over"]) == (cost.count, cost.total_ns, 0)
        assert (one["p50_ns"], one["p99_ns"], one["max_ns"]) == (
            cost.p50_ns,
            cost.p99_ns,
            cost.max_ns,
        )
    kinds = {(one["bars"], one["name"]) for one in figures["functions"]}
    assert kinds == {
        ("tasks", HOSTILE),
        ("tasks", "GEMM & co"),
        ("tasks", "softmax"),
        ("phases", "complete"),
        ("phases", "resolve"),
        ("marks", "matmul"),
        ("stalls", "blocked: no free buffer"),
        ("lost", "records of this time were lost"),
    }


def test_bars_over_the_border_count_with_their_time_inside() -> None:
    times = [(0, 100), (100, 300), (300, 300), (350, 500)]
    tasks = [task(0, None, None, *one, None, task=k, func=0) for k, one in enumerate(times)]
    figures = asked(make_trace(tasks=tasks), 50, 350, [0])
    (one,) = figures["functions"]
    assert (one["count"], one["over"], one["inside_ns"], one["whole_ns"]) == (3, 1, 250, 300)
    lane = {"trace": 0, "lane": 0, "bars": "tasks", "count": 3, "inside_ns": 250}
    assert figures["lanes"] == [lane]
    cell = {"bars": "tasks", "name": one["name"], "kind": "core", "part": ""}
    assert figures["cells"] == [{**cell, "count": 3, "inside_ns": 250, "whole_ns": 300}]
    (one,) = asked(make_trace(tasks=tasks), 300, 301, [0])["functions"]
    assert (one["count"], one["inside_ns"], one["max_ns"]) == (1, 0, 0)
    assert asked(make_trace(tasks=tasks), 500, 600, [0])["functions"] == []


def test_waits_lie_before_their_tasks() -> None:
    trace = small()
    for area in ((-1000, 100_000), (1_050, 4_200), (700, 800)):
        figures = asked(trace, *area, [1, 3, 5, 7])
        assert figures["waits"] == pytest.approx(plain_waits(trace, area, {0, 1, 2, 3}))
    some = asked(trace, 1_050, 4_200, [3])
    assert some["waits"] == pytest.approx(plain_waits(trace, (1_050, 4_200), {1}))
    assert asked(large(100, cores=2), 0, 10**9, [0])["waits"] is not None


def test_cells_tell_kinds_and_ranks_apart() -> None:
    tasks = [task(core, None, None, 0, 10 + core, None, task=core, func=0) for core in range(4)]
    cores = [
        {"core": k, "kind": ("aic", "aiv")[k % 2], "rank": k // 2, "name": f"c{k}"}
        for k in range(4)
    ]
    figures = asked(make_trace(tasks=tasks, cores=cores), 0, 100, [0, 1, 2, 3])
    cells = {(one["kind"], one["part"]): one["whole_ns"] for one in figures["cells"]}
    assert cells == {
        ("aic", "Rank 0"): 10,
        ("aiv", "Rank 0"): 11,
        ("aic", "Rank 1"): 12,
        ("aiv", "Rank 1"): 13,
    }


def test_cells_tell_runs_apart() -> None:
    tasks = [task(0, None, None, 100 * k, 100 * k + 10, None, task=k, run=k) for k in (0, 1)]
    tasks.append(task(0, None, None, 300, 330, None, task=2))
    phases = [phase("complete", 0, 20, run=1)]
    runs = [{"run": 0}, {"run": 1}]
    trace = make_trace(tasks=tasks, phases=phases, runs=runs)
    cells = asked(trace, 0, 1000, [0, 1])["cells"]
    assert {(one["bars"], one["part"]): one["whole_ns"] for one in cells} == {
        ("tasks", "run 0"): 10,
        ("tasks", "run 1"): 10,
        ("tasks", "no run"): 30,
        ("phases", "run 1"): 20,
    }


def test_areas_of_several_traces_are_one() -> None:
    books = [Book(small("one")), Book(small("two", length=500))]
    question = {"t0": 0, "t1": 10_000, "lanes": {"0": [1], "1": [1, 3]}}
    figures = area_figures(books, ["trace A", "trace B"], question)
    gemm = next(one for one in figures["functions"] if one["name"] == "GEMM & co")
    assert (gemm["count"], gemm["whole_ns"], gemm["max_ns"]) == (9, 3 * 400 + 3 * 1010, 510)
    assert {one["part"] for one in figures["cells"]} == {"trace A", "trace B"}


def test_runs_of_ranks_and_of_several_traces_are_not_told_apart() -> None:
    tasks = [task(k, None, None, 0, 10, None, task=k, run=k) for k in (0, 1)]
    runs = [{"run": 0}, {"run": 1}]
    ranks = [{"core": k, "rank": k} for k in (0, 1)]
    of_ranks = asked(make_trace(tasks=tasks, runs=runs, cores=ranks), 0, 100, [0, 1])
    assert [one["part"] for one in of_ranks["cells"]] == ["Rank 0", "Rank 1"]
    books = [Book(make_trace(tasks=tasks, runs=runs)) for _ in range(2)]
    question = {"t0": 0, "t1": 100, "lanes": {"0": [0], "1": [1]}}
    figures = area_figures(books, ["trace A", "trace B"], question)
    assert [one["part"] for one in figures["cells"]] == ["trace A", "trace B"]


def test_bars_without_a_word_are_called_after_their_kind() -> None:
    trace = make_trace(
        tasks=[task(0, None, None, 0, 10, None), task(0, None, None, 20, 25, None, func=3)],
        functions=[{"func": 3, "name": "QK"}],
        phases=[
            {"lane": "scheduler", "controller": 0, "start_ns": 0, "end_ns": 4},
            phase("scheduler", 6, 12),
        ],
        marks=[{"core": 0, "pipe": "cube", "start_ns": 0, "end_ns": 3}],
        stalls=[{"lane": "core", "core": 0, "start_ns": 30, "end_ns": 32}],
    )
    figures = asked(trace, 0, 100, [0, 1, 2])
    assert [(one["bars"], one["name"], one["whole_ns"]) for one in figures["functions"]] == [
        ("tasks", "QK", 5),
        ("tasks", "(unknown)", 10),
        ("phases", "phase", 4),
        ("phases", "scheduler", 6),
        ("marks", "mark", 3),
        ("stalls", "blocked: recording", 2),
    ]


def test_of_a_wait_over_the_border_every_reason_has_its_part() -> None:
    """Core 0 waits 60 ns for data and 40 ns more before its second task: half of it inside."""
    trace = make_trace(
        tasks=[
            task(0, None, None, 0, 100, None, task=1),
            task(0, 160, None, 200, 300, None, task=2),
        ],
    )
    book = Book(trace)
    whole = area_figures([book], [""], {"t0": 0, "t1": 300, "lanes": {"0": [0]}})["waits"]
    half = area_figures([book], [""], {"t0": 150, "t1": 300, "lanes": {"0": [0]}})["waits"]
    assert sum(whole.values()) == 100
    assert half == {what: ns / 2 for what, ns in whole.items()}
    assert area_figures([book], [""], {"t0": 200, "t1": 300, "lanes": {"0": [0]}})["waits"] == {}


def test_lengths_and_sums_beyond_31_bits_are_exact() -> None:
    second = 10**9
    spans = [(0, 5 * second), (5 * second, 12 * second + 7)]
    tasks = [task(0, None, None, *span, None, task=k) for k, span in enumerate(spans)]
    (one,) = asked(make_trace(tasks=tasks), second, 8 * second, [0])["functions"]
    assert (one["inside_ns"], one["whole_ns"]) == (7 * second, 12 * second + 7)
    assert (one["p50_ns"], one["max_ns"]) == (5 * second, 7 * second + 7)
