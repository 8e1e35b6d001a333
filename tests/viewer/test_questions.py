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
from lanescope.viewer.questions import neighbours, outliers


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


def row_of(count: int, edges: list[tuple[int, int]]) -> tuple[Trace, PageBars]:
    """Tasks 0, 1, … after each other on one lane."""
    tasks = [run(0, 10 * n, 10 * n + 5, n) for n in range(count)]
    pairs = [{"pred": pred, "succ": succ} for pred, succ in edges]
    trace = make_trace(tasks=tasks, edges=pairs)
    start, rows = trace.tasks["start_ns"], np.arange(count)
    return trace, PageBars(0 * rows, start, start + 5, 0 * rows, rows, lambda _: {})


@pytest.mark.parametrize(("hops", "met"), [(-1, 1), (0, 1), (1, 1), (20, 20), (21, 20), (99, 20)])
def test_neighbours_are_one_to_twenty_hops_away(hops: int, met: int) -> None:
    chain = row_of(25, [(n, n + 1) for n in range(24)])
    after = neighbours(*chain, 0, hops=hops)["after"]
    assert (after["count"], [one["hop"] for one in after["bars"]]) == (
        met,
        list(range(1, met + 1)),
    )


@pytest.mark.parametrize(("count", "cut"), [(9_999, False), (10_000, True)])
def test_behind_10_000_tasks_none_is_followed(count: int, cut: bool) -> None:
    """All but the last two follow the first task, and the last one follows the second."""
    star = [(0, n) for n in range(1, count)] + [(1, count)]
    after = neighbours(*row_of(count + 1, star), 0, hops=2)["after"]
    assert (after["fan"], after["count"], after["cut"]) == (count - 1, count - cut, True)


def test_of_a_function_the_three_longest_and_shortest_are_told() -> None:
    """Lengths 9, 5, 5, 5, 2, 7 of function 1; of equal ones the earliest, then the first lane."""
    spans = [(0, 0, 9), (1, 30, 35), (0, 30, 35), (0, 20, 25), (1, 50, 52), (1, 60, 67)]
    tasks = [run(core, *span, number, func=1) for number, (core, *span) in enumerate(spans)]
    tasks.append(run(0, 80, 180, 6))
    function = [{"func": 0, "name": "a"}, {"func": 1, "name": "b"}]
    named = make_trace(tasks=tasks, cores=[{"core": 0}, {"core": 1}], functions=function)
    told = outliers(named, Book(named).bars["tasks"], 1)
    rows = {word: [one["row"] for one in found] for word, found in told.items()}
    assert rows == {"longest": [0, 5, 3], "shortest": [4, 3, 2]}
    lone = outliers(named, Book(named).bars["tasks"], 0)
    assert {word: [one["row"] for one in found] for word, found in lone.items()} == {
        "longest": [6],
        "shortest": [6],
    }


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
    """Six edges lie between the two: all but that to the task that ran later."""
    monkeypatch.setattr(paths, "_EDGES", 5)
    assert path(*chain(), (0, 4)) == {"count": None, "bars": []}
    monkeypatch.setattr(paths, "_EDGES", 6)
    assert path(*chain(), (0, 4))["count"] == 4


def test_of_a_long_path_the_first_400_tasks_are_listed() -> None:
    answer = path(*row_of(402, [(n, n + 1) for n in range(401)]), (0, 401))
    rows = [one["row"] for one in answer["bars"]]
    assert (answer["count"], rows) == (402, list(range(400)))


def test_a_run_without_a_lane_is_no_part_of_an_answer() -> None:
    """Task 1 ran again without one, later than all others."""
    tasks = [run(0, 0, 5, 0), run(0, 10, 15, 1), run(0, 30, 35, 2), run(0, 90, 99, 1)]
    edges = [{"pred": 0, "succ": 1}, {"pred": 1, "succ": 2}]
    trace = make_trace(tasks=tasks, edges=edges, cores=[{"core": 0}])
    start, rows = trace.tasks["start_ns"], np.arange(4)
    lane = np.array([0, 0, 0, -1])
    bars = PageBars(lane, start, start + 5, 0 * rows, rows, lambda _: {})
    assert [one["row"] for one in path(trace, bars, (0, 2))["bars"]] == [0, 1, 2]
    assert [one["row"] for one in neighbours(trace, bars, 0)["after"]["bars"]] == [1]
    assert [one["row"] for one in outliers(trace, bars, 0)["longest"]] == [0, 1, 2]


def test_edges_in_a_circle_end() -> None:
    tasks = [run(0, 10 * k, 10 * k + 5, k) for k in range(3)]
    edges = [{"pred": 0, "succ": 1}, {"pred": 1, "succ": 2}, {"pred": 2, "succ": 1}]
    trace = make_trace(tasks=tasks, edges=edges, cores=[{"core": 0}])
    answer = path(trace, Book(trace).bars["tasks"], (0, 2))
    assert [one["row"] for one in answer["bars"]] == [0, 1, 2]
