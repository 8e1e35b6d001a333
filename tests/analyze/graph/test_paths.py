"""Both critical paths as columns, by hand; `test_critical.py` has brute force."""

from __future__ import annotations

from typing import Any

import numpy as np
from tests.analyze.hand import make_trace, phase, task

from lanescope.analyze.cores.makespan import Span
from lanescope.analyze.graph.nodes import nodes
from lanescope.analyze.graph.paths import (
    SEGMENTS,
    ObservedPath,
    least_lengths,
    observed_path,
    runs_before,
    static_path,
)
from lanescope.trace import Trace


def diamond() -> Trace:
    """1 → 2 → 4 and 1 → 3 → 4, where 3 takes longer than 2."""
    return make_trace(
        {"level": 4},
        tasks=[
            task(0, 5, 6, 7, 17, 18, task=1),
            task(0, 18, 19, 20, 25, 26, task=2),
            task(1, 18, 20, 21, 41, 42, task=3),
            task(0, 43, 44, 45, 46, 50, task=4),
        ],
        edges=[{"pred": a, "succ": b} for a, b in ((1, 2), (1, 3), (2, 4), (3, 4))],
        phases=[phase("submit", 0, 3, lane="orchestrator", task=1)],
    )


def segments(path: ObservedPath) -> list[tuple[str, int, int, int]]:
    """Name, start, end and step of each."""
    names = [SEGMENTS[kind] for kind in path.kind.tolist()]
    columns = path.start_ns.tolist(), path.end_ns.tolist(), path.step.tolist()
    return list(zip(names, *columns, strict=True))


def test_the_longest_chain_and_the_slack_beside_it() -> None:
    trace = diamond()
    path = static_path(trace, nodes(trace))
    assert path.to_dict() == {
        "length_ns": 31,
        "path": [0, 2, 3],
        "least_ns": [10, 20, 1],
        "slack": [0, 15, 0, 0],
    }
    assert repr(path) == "<StaticPath: 3 tasks, 31 ns>"


def least(*tasks: dict[str, Any]) -> list[int]:
    """The least time of each task, on two aiv cores and one aic core."""
    cores = [{"core": core, "kind": "aic" if core == 2 else "aiv"} for core in range(3)]
    trace = make_trace(cores=cores, tasks=tasks)
    return least_lengths(trace, nodes(trace)).tolist()


def block(core: int, start: int, end: int, number: int = 1) -> dict[str, Any]:
    return task(core, None, None, start, end, None, task=number)


def test_blocks_that_start_late_do_not_make_a_task_longer() -> None:
    assert least(block(0, 0, 5), block(1, 900, 907)) == [7]


def test_blocks_come_one_after_the_other_where_cores_of_their_kind_lack() -> None:
    """Three blocks of 10 ns on two cores take 15 ns at least."""
    assert least(block(0, 0, 10), block(1, 0, 10), block(0, 50, 60)) == [15]


def test_a_block_needs_a_core_of_its_kind() -> None:
    """The cube core runs two blocks of 10 ns, while the others have 5 ns in all."""
    assert least(block(2, 0, 10), block(2, 10, 20), block(0, 0, 5)) == [20]


def test_blocks_at_the_same_time_on_one_core_need_no_more_than_they_took() -> None:
    assert least(block(2, 0, 10), block(2, 1, 11), block(2, 2, 12)) == [12]


def test_each_task_has_its_own_blocks() -> None:
    assert least(block(0, 0, 9), block(1, 20, 24), block(1, 0, 3, 2), block(0, 10, 14, 2)) == [9, 4]


def test_an_edge_that_the_run_did_not_keep_makes_no_chain() -> None:
    tasks = [block(0, 0, 10, 1), block(1, 4, 9, 2)]
    trace = make_trace(tasks=tasks, edges=[{"pred": 1, "succ": 2}])
    assert static_path(trace, nodes(trace)).length_ns == 10


def test_the_observed_path_goes_through_what_came_last() -> None:
    trace = diamond()
    path = observed_path(trace, nodes(trace), Span(0, 50))
    assert path is not None
    assert path.rows.tolist() == [0, 2, 3]
    assert segments(path) == [
        ("orchestrator", 0, 3, 0),
        ("scheduler", 3, 5, 0),
        ("switch", 5, 7, 0),
        ("run", 7, 17, 0),
        ("scheduler", 17, 18, 1),
        ("switch", 18, 21, 1),
        ("run", 21, 41, 1),
        ("scheduler", 41, 43, 2),
        ("switch", 43, 45, 2),
        ("run", 45, 46, 2),
        ("finish", 46, 50, 2),
    ]
    assert repr(path) == "<ObservedPath: 3 runs, 50 ns>"


def test_without_dispatch_and_submit_there_is_launch_and_idle() -> None:
    trace = make_trace(tasks=[task(0, None, None, n, n + 2, None, task=n) for n in (4, 9)])
    path = observed_path(trace, nodes(trace), Span(1, 11))
    assert path is not None
    assert segments(path) == [
        ("launch", 1, 4, 0),
        ("run", 4, 6, 0),
        ("idle", 6, 9, 1),
        ("run", 9, 11, 1),
    ]


def test_a_trace_without_runs_has_no_path() -> None:
    for trace in (make_trace(), make_trace(tasks=[task(0, 0, None, None, None, 9, task=1)])):
        graph = nodes(trace)
        assert observed_path(trace, graph, Span(0, 9)) is None
        static = static_path(trace, graph)
        assert (static.length_ns, static.path.tolist()) == (0, [])


def test_the_run_before_is_the_one_before_it_on_its_core() -> None:
    core, start = np.array([0, 1, 0, 0]), np.array([20, 0, 0, 10])
    assert runs_before(core, start, start + 5).tolist() == [3, -1, -1, 2]


def test_an_overlapping_run_is_not_before() -> None:
    core, start, end = np.array([0, 0]), np.array([0, 4]), np.array([5, 9])
    assert runs_before(core, start, end).tolist() == [-1, -1]
