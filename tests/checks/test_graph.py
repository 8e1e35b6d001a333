"""The task graph held against the tasks that ran, for traces made by hand."""

from __future__ import annotations

from typing import Any

import pytest
from tests.analyze.hand import Row, make_trace

from lanescope.checks.finding import CheckFinding
from lanescope.checks.graph import graph_findings, submit_findings
from lanescope.trace.task_ids import TaskIds


def ran(number: int, core: int = 0, **more: Any) -> Row:
    return {"core": core, "task": number, "kind": "run", **more}


def found(
    tasks: list[Row], *edges: tuple[int, int], level: int = 2, has_graph: bool = True
) -> list[CheckFinding]:
    rows = [{"pred": pred, "succ": succ} for pred, succ in edges]
    trace = make_trace({"level": level}, tasks=tasks, edges=rows)
    return list(graph_findings(trace, has_graph=has_graph))


NO_EDGE = CheckFinding(
    producer="graph",
    kind="harmless",
    count=0,
    sentence="The dependency file states no edge; 2 tasks ran.",
    cause="The tasks are independent, or the graph was recorded without its edges.",
)
THROUGH = CheckFinding(
    producer="graph",
    kind="harmless",
    count=0,
    sentence="Of 3 edges none is between two tasks that ran on a core.",
    cause="2 of them lead from or to such a task: they go through tasks that need no core.",
)
ANOTHER = CheckFinding(
    producer="graph",
    kind="contradiction",
    count=2,
    sentence="2 edges found, 0 drawn: no edge names any of the 2 tasks that ran. The graph speaks "
    "of 7, 8, 9, the records of 1, 2.",
    cause="The dependency file is another run's or another program's.",
)


@pytest.mark.parametrize(
    ("edges", "findings"),
    [
        ([], [NO_EDGE]),
        ([(1, 7), (7, 2), (8, 9)], [THROUGH]),
        ([(7, 8), (9, 8)], [ANOTHER]),
        ([(7, 8), (1, 2)], []),
        ([(2, 2)], []),
    ],
)
def test_edges_lie_between_tasks_that_ran(
    edges: list[tuple[int, int]], findings: list[CheckFinding]
) -> None:
    """Task 5 ran on no core, and one row of a core names no task."""
    tasks = [ran(1), ran(2), ran(2), {"task": 5, "kind": "alloc"}, {"core": 0}]
    assert found(tasks, *edges) == findings
    assert found(tasks, *edges, has_graph=False) == []
    assert found(tasks[:1], *edges) == []
    assert found(tasks[3:], *edges) == []


def test_tasks_that_ran_or_that_an_edge_names_are_declared() -> None:
    declared = [ran(1, blocks=1), ran(2, blocks=1)]
    stray = [ran(4), ran(3), ran(3), {"task": 9, "kind": "outside"}]
    cause = "Records of the graph are lost or damaged, or it is another run's."
    assert found([*declared, *stray], (1, 2)) == [
        CheckFinding(
            producer="graph",
            kind="contradiction",
            count=2,
            sentence="2 tasks ran and the graph does not declare them: 3, 4.",
            cause=cause,
        ),
        CheckFinding(
            producer="graph",
            kind="contradiction",
            count=1,
            sentence="1 task stands in an edge and the graph does not declare it: 9.",
            cause=cause,
        ),
    ]
    assert found(declared, (1, 2)) == []
    assert found([*stray, ran(1), ran(2)], (1, 2)) == []
    elsewhere = [{"task": 1, "kind": "node", "blocks": 1}, {"core": 0, "blocks": 1}]
    assert found([*elsewhere, *stray, ran(1), ran(2)], (1, 2)) == []


def test_declared_tasks_that_never_ran_are_told_at_level_3() -> None:
    tasks = [ran(1), ran(2), *({"task": number, "kind": "node"} for number in (5, 6))]
    assert found(tasks, (1, 2), level=3) == [
        CheckFinding(
            producer="cores",
            kind="missing",
            count=2,
            sentence="The graph declares 2 tasks with a function that no record names: 5, 6.",
            cause="Tasks that need no core are told apart at this level, so these should have run: "
            "their records are lost, or the run ended before them.",
        )
    ]
    assert found(tasks, (1, 2), level=2) == []
    assert found(tasks[:2], (1, 2), level=3) == []


def test_tasks_with_fewer_rows_than_blocks_are_told() -> None:
    """Task 1 has two rows of five, task 2 all three, tasks 3 to 7 one of two each."""
    tasks = [ran(1, core, blocks=5) for core in range(2)]
    tasks += [ran(2, core, blocks=3) for core in range(3)]
    assert found(tasks, (1, 2)) == [
        CheckFinding(
            producer="cores",
            kind="missing",
            count=3,
            sentence="1 task has fewer rows than the graph declares blocks: task 1 has 2 of 5.",
            cause="Neither core nor scheduler has these rows: both were lost, or the blocks never "
            "ran.",
        )
    ]
    assert found([*tasks, *tasks[:1] * 4], (1, 2)) == []
    tasks += [ran(number, 0, blocks=2) for number in range(3, 7)]
    tasks += [{"task": 9, "kind": "node", "blocks": 7}]
    [several] = found(tasks, (1, 2))
    assert (several.count, several.sentence) == (
        7,
        "5 tasks have fewer rows than the graph declares blocks: task 1 has 2 of 5, task 3 has 1 "
        "of 2, task 4 has 1 of 2, task 5 has 1 of 2 and 1 more.",
    )


def submits(
    tasks: list[Row], *submitted: int | None, level: int = 4, **meta: Any
) -> list[CheckFinding]:
    """Submits of these tasks, and a scheduler's phase with task 3."""
    phases: list[Row] = [{"lane": "scheduler", "kind": "dispatch", "task": 3}]
    for number in submitted:
        named = {} if number is None else {"task": number}
        phases.append({"lane": "orchestrator", "kind": "submit", **named})
    trace = make_trace({"level": level, **meta}, tasks=tasks, phases=phases)
    return list(submit_findings(trace))


def test_every_task_that_ran_was_submitted() -> None:
    tasks = [ran(1), ran(1), ran(2), ran(3), {"task": 4, "kind": "node"}, {"core": 0}]
    assert submits(tasks, 1, None, 9) == [
        CheckFinding(
            producer="orchestrator",
            kind="missing",
            count=2,
            sentence="2 tasks ran and no submit names them, of 3: 2, 3.",
            cause="A task runs only when it was submitted, so the orchestrator's record of it is "
            "lost.",
        )
    ]
    assert submits(tasks, 1, 2, 3) == []
    assert submits(tasks, None) == []
    assert submits(tasks, 1, level=3) == []
    assert submits(tasks, 1, task_ids=TaskIds.SPACE) == []
