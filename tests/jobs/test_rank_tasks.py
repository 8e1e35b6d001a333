"""What a replay takes of a rank: its outer tasks that ran, their functions and edges."""

from __future__ import annotations

from tests.analyze.hand import Row, make_trace, task

from lanescope.jobs.rank_tasks import rank_tasks


def ran(number: int, core: int, start: int, end: int, **more: object) -> Row:
    return task(core, None, None, start, end, None, task=number, **more)


def test_tasks_that_did_not_run_and_those_inside_others_are_left_out() -> None:
    rows = [
        ran(1, 0, 0, 9, depth=0),
        ran(2, 0, 10, 20),
        ran(3, 0, 12, 15, depth=1),
        ran(4, 0, 16, 18, depth=2),
        {"core": 0, "kind": "run", "task": 5},
        task(0, 0, None, 30, None, None, task=6, depth=0),
    ]
    found = rank_tasks(make_trace(tasks=rows))
    assert found.task.tolist() == [1, 2]
    assert (found.start.tolist(), found.end.tolist()) == ([0, 10], [9, 20])


def test_rows_are_by_lane_then_start_then_end() -> None:
    rows = [ran(1, 1, 0, 9), ran(2, 0, 5, 9), ran(3, 0, 5, 7), ran(4, 0, 1, 8)]
    found = rank_tasks(make_trace(tasks=rows))
    assert found.task.tolist() == [4, 3, 2, 1]
    assert found.lane.tolist() == [0, 0, 0, 1]
    assert (found.start.tolist(), found.end.tolist()) == ([1, 5, 5, 0], [8, 7, 9, 9])


def test_a_function_that_is_not_in_the_table_has_an_empty_name() -> None:
    functions = [{"func": 4, "name": "sum", "work": "communication"}]
    rows = [ran(1, 0, 0, 1, func=4), ran(2, 0, 2, 3, func=9), ran(3, 0, 4, 5)]
    found = rank_tasks(make_trace(tasks=rows, functions=functions))
    assert found.functions == (("sum", "communication"), ("", ""))
    assert found.function.tolist() == [0, 1, 1]
    assert rank_tasks(make_trace(tasks=rows)).function.tolist() == [0, 0, 0]


def test_edges_of_tasks_that_are_not_here_are_left_out() -> None:
    rows = [ran(1, 0, 0, 1), ran(2, 0, 2, 3)]
    edges = [
        {"pred": 1, "succ": 2, "kind": "data"},
        {"pred": 9, "succ": 2, "kind": "data"},
        {"pred": 1, "succ": 9, "kind": "data"},
    ]
    found = rank_tasks(make_trace(tasks=rows, edges=edges))
    assert (found.before.tolist(), found.after.tolist(), found.ordered) == ([0], [1], True)
    none = rank_tasks(make_trace(tasks=rows))
    assert (none.before.tolist(), none.after.tolist(), none.ordered) == ([], [], False)
