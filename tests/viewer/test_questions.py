"""What a page asks about the neighbours of a task in a trace that it does not hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.analyze.hand import make_trace, task

from lanescope.trace import Trace
from lanescope.viewer.bars import PageBars
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
    return {"count": len(bars), "bars": list(bars)}


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
