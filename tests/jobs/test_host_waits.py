"""A thread waits for a task, then launches: what it launches next waits for that task."""

from __future__ import annotations

from tests.analyze.hand import Row, make_trace

from lanescope.jobs.host_waits import host_edges
from lanescope.jobs.rank_tasks import rank_tasks
from lanescope.trace import Trace


def run(task: int, core: int, launch: int, start: int, **more: object) -> Row:
    return {
        "task": task,
        "core": core,
        "launch": launch,
        "start_ns": start,
        "end_ns": start + 5,
        "kind": "run",
        **more,
    }


def call(launch: int, start: int, thread: int = 1) -> Row:
    return {
        "lane": "host",
        "controller": thread,
        "launch": launch,
        "start_ns": start,
        "end_ns": start + 1,
    }


def wait(on_task: int, end: int, thread: int = 1, kind: str = "host waits stream") -> Row:
    return {"kind": kind, "controller": thread, "on_task": on_task, "start_ns": 0, "end_ns": end}


def edges(trace: Trace) -> list[tuple[int, int]]:
    before, after = host_edges(trace)
    return list(zip(before.tolist(), after.tolist(), strict=True))


TASKS = [run(10, 0, 1, 0), run(11, 0, 2, 100), run(12, 0, 3, 200), run(13, 1, 4, 150)]
CALLS = [call(1, 0), call(2, 50), call(3, 160), call(4, 60)]


def test_the_first_launch_on_each_lane_after_the_wait_counts() -> None:
    trace = make_trace(tasks=TASKS, phases=CALLS, waits=[wait(10, 55)])
    assert edges(trace) == [(10, 12), (10, 13)]
    trace = make_trace(tasks=TASKS, phases=CALLS, waits=[wait(10, 50)])
    assert edges(trace) == [(10, 11), (10, 13)]


def test_another_thread_launches_without_waiting() -> None:
    trace = make_trace(tasks=TASKS, phases=CALLS, waits=[wait(10, 40, thread=2)])
    assert edges(trace) == []


def test_waits_of_streams_and_waits_for_nothing_known_are_no_edges() -> None:
    waits = [wait(10, 40, kind="stream waits event"), {"kind": "host waits stream", "end_ns": 40}]
    assert edges(make_trace(tasks=TASKS, phases=CALLS, waits=waits)) == []
    assert edges(make_trace()) == []


def test_of_two_rows_of_a_launch_the_inner_one_counts() -> None:
    calls = [call(1, 0), call(2, 50), call(2, 70), call(3, 160), call(4, 10)]
    trace = make_trace(tasks=TASKS, phases=calls, waits=[wait(10, 60)])
    assert edges(trace) == [(10, 11)]


def test_a_task_that_nobody_launched_has_no_edge() -> None:
    trace = make_trace(tasks=[run(9, 0, 99, 0), *TASKS[:1]], phases=CALLS, waits=[wait(10, -5)])
    assert edges(trace) == [(10, 10)]


def test_rows_are_by_lane_and_start_and_inner_tasks_are_part_of_the_outer_one() -> None:
    tasks = [
        run(5, 1, 1, 30, func=7),
        run(6, 0, 2, 20, func=8, depth=0),
        run(7, 0, 3, 22, func=8, depth=1),
        run(8, 0, 4, 10, func=99),
    ]
    functions = [{"func": 7, "name": "a", "work": "compute"}, {"func": 8, "name": "b"}]
    edges = [{"pred": 8, "succ": 5, "kind": "data"}, {"pred": 7, "succ": 5}]
    found = rank_tasks(make_trace(tasks=tasks, functions=functions, edges=edges))
    assert found.task.tolist() == [8, 6, 5]
    assert found.lane.tolist() == [0, 0, 1]
    assert [found.functions[k] for k in found.function] == [("", ""), ("b", ""), ("a", "compute")]
    assert (found.before.tolist(), found.after.tolist()) == ([0], [2])


def test_all_rows_of_a_task_wait_for_the_last_row_of_another() -> None:
    tasks = [run(1, 0, 1, 0), run(1, 1, 1, 7), run(2, 0, 2, 20), run(2, 1, 2, 21)]
    found = rank_tasks(make_trace(tasks=tasks, edges=[{"pred": 1, "succ": 2, "kind": "event"}]))
    assert found.task.tolist() == [1, 2, 1, 2]
    assert (found.before.tolist(), found.after.tolist()) == ([2, 2], [1, 3])


def test_edges_of_events_alone_do_not_tell_all() -> None:
    def ordered(*kinds: str) -> bool:
        edges = [{"pred": 10, "succ": 11, "kind": kind} for kind in kinds]
        return rank_tasks(make_trace(tasks=TASKS, edges=edges)).ordered

    assert not ordered("event")
    assert ordered("event", "data")
    assert not ordered()


def test_what_the_host_waited_for_is_waited_for_beside_the_edges() -> None:
    """Tasks are at the places 0, 1, 2 of lane 0 and 3 of lane 1; the edge is from 13 to 11."""
    graph = [{"pred": 13, "succ": 11, "kind": "data"}]
    found = rank_tasks(make_trace(tasks=TASKS, phases=CALLS, waits=[wait(10, 55)], edges=graph))
    assert (found.before.tolist(), found.after.tolist()) == ([3, 0, 0], [1, 2, 3])
