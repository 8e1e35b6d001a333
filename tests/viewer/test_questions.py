"""What a page asks about a graph that it does not hold: neighbours over some hops, paths."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.analyze.hand import make_trace, task

from lanescope.trace import Trace
from lanescope.viewer import paths, questions
from lanescope.viewer.bars import PageBars
from lanescope.viewer.book import Book
from lanescope.viewer.paths import path
from lanescope.viewer.questions import neighbours


def run(core: int, start: int, end: int, number: int, func: int = 0) -> dict[str, Any]:
    return task(core, None, None, start, end, None, task=number, func=func)


TASKS = [
    run(0, 0, 10, 1),
    run(0, 20, 50, 2, func=1),
    run(1, 20, 30, 3),
    run(1, 60, 160, 4, func=1),
    run(0, 70, 80, 2, func=1),
    {"kind": "dummy", "task": 9},
]
EDGES = [{"pred": 1, "succ": 9}, {"pred": 9, "succ": 2}, {"pred": 9, "succ": 3}]
EDGES += [{"pred": 3, "succ": 4}]


def hand_made() -> tuple[Trace, PageBars]:
    """Task 2 ran twice, node 9 did not; the bars stand lane by lane."""
    trace = make_trace(tasks=TASKS, edges=EDGES, cores=[{"core": 0}, {"core": 1}])
    rows = np.array([0, 1, 4, 2, 3])
    tasks = trace.tasks
    return trace, PageBars(
        lane=tasks["core"][rows],
        start_ns=tasks["start_ns"][rows],
        end_ns=tasks["end_ns"][rows],
        name=tasks["func"][rows],
        row=rows,
        details=lambda _: {},
    )


def bar(lane: int, start: int, length: int, name: int, row: int, task: str) -> dict[str, Any]:
    return {"lane": lane, "start": start, "length": length, "name": name, "row": row, "task": task}


FIRST = bar(0, 0, 10, 0, 0, "1")
TWICE = [bar(0, 20, 30, 1, 1, "2"), bar(0, 70, 10, 1, 4, "2")]
THIRD, LAST = bar(1, 20, 10, 0, 2, "3"), bar(1, 60, 100, 1, 3, "4")


def told(*bars: dict[str, Any]) -> dict[str, Any]:
    """All of them one hop away."""
    near = [{**one, "hop": 1, "via": -1} for one in bars]
    fan = len({one["task"] for one in bars})
    return {"count": len(bars), "fan": fan, "cut": False, "bars": near}


@pytest.mark.parametrize(
    ("row", "before", "after"),
    [
        (0, told(), told(*TWICE, THIRD)),
        (4, told(FIRST), told()),
        (2, told(FIRST), told(LAST)),
        (3, told(THIRD), told()),
    ],
)
def test_nodes_that_did_not_run_are_passed_through_and_no_others(
    row: int, before: dict[str, Any], after: dict[str, Any]
) -> None:
    assert neighbours(*hand_made(), row) == {"before": before, "after": after}


def test_of_many_neighbours_the_first_400_are_told() -> None:
    tasks = [run(0, 0, 1, 0), *(run(0, 10 * n, 10 * n + 1, n) for n in range(1, 402))]
    trace = make_trace(tasks=tasks, edges=[{"pred": 0, "succ": n} for n in range(1, 402)])
    start, rows = trace.tasks["start_ns"], np.arange(402)
    bars = PageBars(0 * rows, start, start + 1, 0 * rows, rows, lambda _: {})
    after = neighbours(trace, bars, 0)["after"]
    assert (after["count"], len(after["bars"]), after["bars"][-1]["row"]) == (401, 400, 400)


def test_over_several_hops_every_bar_says_what_led_there() -> None:
    trace, bars = hand_made()
    after = neighbours(trace, bars, 0, hops=3)["after"]
    assert [(one["row"], one["hop"], one["via"]) for one in after["bars"]] == [
        *((1, 1, -1), (4, 1, -1), (2, 1, -1)),
        (3, 2, 2),
    ]
    assert (after["fan"], after["count"]) == (2, 4)
    before = neighbours(trace, bars, 3, hops=2)["before"]
    assert [(one["row"], one["hop"], one["via"]) for one in before["bars"]] == [
        (2, 1, -1),
        (0, 2, 0),
    ]


def test_where_too_many_tasks_are_met_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(questions, "_THROUGH", 3)
    assert neighbours(*hand_made(), 0, hops=9)["after"]["cut"]


CHAIN_TASKS = [
    *(run(0, 0, 5, 0), run(0, 10, 15, 1), run(1, 10, 20, 2), run(0, 30, 35, 4), run(0, 40, 45, 5)),
    run(1, 90, 95, 6),
    {"kind": "dummy", "task": 3},
]
CHAIN_EDGES = [(0, 1), (0, 2), (1, 4), (2, 3), (3, 4), (4, 5), (0, 6)]


@pytest.mark.parametrize(
    ("ends", "rows"),
    [
        ((0, 4), [0, 2, 3, 4]),
        ((1, 4), [1, 3, 4]),
        ((2, 3), [2, 3]),
        ((3, 3), [3]),
        ((0, 5), [0, 5]),
        ((4, 0), []),
        ((1, 2), []),
        ((5, 4), []),
    ],
)
def test_a_path_goes_back_over_what_ended_last(ends: tuple[int, int], rows: list[int]) -> None:
    answer = path(*chain(), ends)
    assert [one["row"] for one in answer["bars"]] == rows
    assert answer["count"] == len(rows)


def chain() -> tuple[Trace, PageBars]:
    edges = [{"pred": pred, "succ": succ} for pred, succ in CHAIN_EDGES]
    trace = make_trace(tasks=CHAIN_TASKS, edges=edges, cores=[{"core": 0}, {"core": 1}])
    return trace, Book(trace).bars["tasks"]


def test_a_path_over_too_many_edges_is_not_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "_EDGES", 5)
    assert path(*chain(), (0, 4)) == {"count": None, "bars": []}


def test_edges_in_a_circle_end() -> None:
    tasks = [run(0, 10 * k, 10 * k + 5, k) for k in range(3)]
    edges = [{"pred": 0, "succ": 1}, {"pred": 1, "succ": 2}, {"pred": 2, "succ": 1}]
    trace = make_trace(tasks=tasks, edges=edges, cores=[{"core": 0}])
    answer = path(trace, Book(trace).bars["tasks"], (0, 2))
    assert [one["row"] for one in answer["bars"]] == [0, 1, 2]
