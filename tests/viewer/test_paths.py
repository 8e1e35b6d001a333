"""Which edges a path between two tasks may take."""

from __future__ import annotations

import numpy as np
from tests.analyze.hand import make_trace, task

from lanescope.viewer.book import Book
from lanescope.viewer.paths import _between, path


def test_both_ends_of_an_edge_ran_near_or_not_at_all() -> None:
    """Tasks 1 to 3 ran between the two, 8 and 9 at another time; 5 and 6 are nodes."""
    pairs = [(1, 2), (1, 8), (8, 1), (8, 9), (1, 5), (5, 3), (5, 6), (6, 9)]
    trace = make_trace(edges=[{"pred": pred, "succ": succ} for pred, succ in pairs])
    kept = _between(trace, near=np.array([1, 2, 3]), ran=np.array([1, 2, 3, 8, 9]))
    found = [pair for pair, one in zip(pairs, kept.tolist(), strict=True) if one]
    assert found == [(1, 2), (1, 5), (5, 3), (5, 6)]


def test_an_edge_of_which_one_end_ran_elsewhere_is_not_taken() -> None:
    """Task 2 begins as the last one ends, task 3 a moment later, task 4 ended as it began."""
    spans = [(10, 20), (60, 70), (70, 80), (71, 80), (0, 10), (0, 9)]
    tasks = [task(0, None, None, *span, None, task=k) for k, span in enumerate(spans)]
    for middle, rows in ((2, [0, 2, 1]), (3, []), (4, [0, 4, 1]), (5, [])):
        edges = [{"pred": 0, "succ": middle}, {"pred": middle, "succ": 1}]
        trace = make_trace(tasks=tasks, edges=edges, cores=[{"core": 0}])
        answer = path(trace, Book(trace).bars["tasks"], (0, 1))
        assert [one["row"] for one in answer["bars"]] == rows


def test_of_predecessors_that_end_together_the_first_bar_is_on_the_path() -> None:
    spans = [(0, 5), (10, 20), (12, 20), (30, 40)]
    tasks = [task(k % 2, None, None, *span, None, task=k) for k, span in enumerate(spans)]
    edges = [{"pred": 0, "succ": k} for k in (1, 2)] + [{"pred": k, "succ": 3} for k in (1, 2)]
    trace = make_trace(tasks=tasks, edges=edges, cores=[{"core": 0}, {"core": 1}])
    bars = Book(trace).bars["tasks"]
    answer = path(trace, bars, (0, 3))
    first = min((1, 2), key=lambda row: bars.row.tolist().index(row))
    assert [one["row"] for one in answer["bars"]] == [0, first, 3]


def test_a_task_that_ran_twice_is_on_the_path_where_it_ended_last() -> None:
    """Row 1 ended at 20, row 2, the same task, at 15."""
    spans = [(0, 0, 5), (1, 10, 20), (1, 10, 15), (2, 30, 40)]
    tasks = [
        task(core, None, None, start, end, None, task=number)
        for core, (number, start, end) in enumerate(spans)
    ]
    edges = [{"pred": 0, "succ": 1}, {"pred": 1, "succ": 2}]
    trace = make_trace(tasks=tasks, edges=edges, cores=[{"core": core} for core in range(4)])
    answer = path(trace, Book(trace).bars["tasks"], (0, 3))
    assert [one["row"] for one in answer["bars"]] == [0, 1, 3]


def test_of_a_task_that_ran_twice_the_bar_that_ended_last_is_on_the_path() -> None:
    """Task 1 ran on both cores, on the first one longer."""
    runs = [(0, 0, 5, 0), (0, 10, 40, 1), (1, 10, 20, 1), (0, 50, 60, 2)]
    tasks = [task(core, None, None, start, end, None, task=k) for core, start, end, k in runs]
    edges = [{"pred": 0, "succ": 1}, {"pred": 1, "succ": 2}]
    trace = make_trace(tasks=tasks, edges=edges, cores=[{"core": 0}, {"core": 1}])
    answer = path(trace, Book(trace).bars["tasks"], (0, 3))
    assert [one["row"] for one in answer["bars"]] == [0, 1, 3]


def test_a_path_takes_no_task_twice_and_ends_where_there_is_no_other() -> None:
    """Tasks 1 and 2 wait for each other; only task 3 may follow the first one."""
    for first, rows in ((1, [0, 1, 2, 3]), (3, [0, 3]), (4, [])):
        tasks = [task(0, None, None, 10 * k, 10 * k + 5, None, task=k) for k in range(5)]
        pairs = [(0, first), (1, 2), (2, 1), (2, 3)]
        edges = [{"pred": pred, "succ": succ} for pred, succ in pairs]
        trace = make_trace(tasks=tasks, edges=edges, cores=[{"core": 0}])
        answer = path(trace, Book(trace).bars["tasks"], (0, 3))
        assert (answer["count"], [one["row"] for one in answer["bars"]]) == (len(rows), rows)


def test_the_path_of_a_task_to_itself_is_that_task() -> None:
    trace = make_trace(tasks=[task(0, None, None, 0, 5, None, task=7)], cores=[{"core": 0}])
    answer = path(trace, Book(trace).bars["tasks"], (0, 0))
    assert (answer["count"], [one["row"] for one in answer["bars"]]) == (1, [0])
