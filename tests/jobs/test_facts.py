"""What is kept of one rank: its collectives in order, its work up to them, its functions."""

from __future__ import annotations

from typing import Any

import pytest
from tests.analyze.hand import Row, make_trace

from lanescope.jobs.facts import RankFacts, rank_facts
from lanescope.trace.schema import MISSING, MISSING32

CORES = [{"core": 0, "lane": "stream", "queue": 7, "device": 0},
         {"core": 1, "lane": "stream", "queue": 9, "device": 0}]  # fmt: skip
FUNCTIONS = [
    {"func": 0, "name": "gemm", "work": "compute"},
    {"func": 1, "name": "gemm", "work": "compute"},
    {"func": 2, "name": "reduce", "work": "communication"},
    {"func": 3, "work": "compute"},
]


def run(task: int, core: int, func: int, start: int, end: int) -> Row:
    return {
        "task": task,
        "core": core,
        "func": func,
        "kind": "run",
        "start_ns": start,
        "end_ns": end,
    }


def meet(task: int, start: int, end: int, **more: Any) -> Row:
    known = {"group": "world", "kind": "all_reduce", "sequence": task, "core": 1}
    return {**known, "task": task, "start_ns": start, "end_ns": end, **more}


def facts(**tables: Any) -> RankFacts:
    return rank_facts(make_trace(cores=CORES, functions=FUNCTIONS, **tables))


TASKS = [
    run(1, 0, 0, 0, 100), run(2, 0, 1, 200, 260), run(3, 0, 3, 300, 330),
    run(8, 1, 2, 400, 500), run(9, 1, 2, 150, 250),
]  # fmt: skip


def test_work_and_anything_that_ran_are_counted_up_to_each_moment() -> None:
    found = facts(
        tasks=TASKS,
        collectives=[meet(8, 400, 500), meet(9, 150, 250)],
        steps=[{"step": 4, "start_ns": 50, "end_ns": 320}],
    )
    assert found.arrivals.task.tolist() == [9, 8]
    assert found.work.arrival_start.tolist() == [100, 190]
    assert found.work.arrival_end.tolist() == [150, 190]
    assert found.busy.arrival_start.tolist() == [100, 240]
    assert found.busy.arrival_end.tolist() == [200, 340]
    assert (found.work.step_start.tolist(), found.work.step_end.tolist()) == ([50], [180])
    assert (found.work_ns, found.first_ns, found.last_ns) == (190, 0, 500)


def test_functions_of_one_name_are_one_and_communication_is_left_out() -> None:
    found = facts(tasks=TASKS, collectives=[])
    assert found.functions == {"gemm": (2, 160), "function 3": (1, 30)}


def test_a_task_that_is_part_of_a_collective_is_no_work() -> None:
    found = facts(tasks=TASKS, collectives=[meet(2, 200, 260)])
    assert found.functions["gemm"] == (1, 100)
    assert found.work_ns == 130


def test_collectives_without_times_or_with_damaged_ones_are_left_out() -> None:
    far = 1 << 58
    found = facts(
        tasks=TASKS,
        collectives=[
            meet(1, 10, MISSING), meet(2, MISSING, 10), meet(3, 20, 19), meet(4, far, far),
            meet(5, -far, 0), meet(6, 30, 30), meet(7, far - 1, far - 1),
        ],
    )  # fmt: skip
    assert found.arrivals.task.tolist() == [6, 7]


def test_words_are_those_that_the_collectives_use() -> None:
    found = facts(
        tasks=TASKS,
        collectives=[
            meet(8, 400, 500, matched="source", size=4, bytes=64, source=1, target=0),
            meet(9, 150, 250, group="tp", peers="0,1", core=5),
        ],
    ).arrivals
    told = [found.words[code] if code >= 0 else None for code in found.group]
    assert told == ["tp", "world"]
    assert [found.words[k] if k >= 0 else None for k in found.matched] == [None, "source"]
    assert [found.words[k] if k >= 0 else None for k in found.peers] == ["0,1", None]
    assert sorted(found.words) == sorted({"tp", "world", "0,1", "source", "all_reduce"})
    assert found.queue.tolist() == [MISSING, 9]
    assert (found.size.tolist(), found.bytes.tolist()) == ([MISSING32, 4], [MISSING, 64])
    assert (found.source.tolist(), found.target.tolist()) == ([MISSING32, 1], [MISSING32, 0])


def test_of_two_steps_with_one_number_the_first_counts() -> None:
    steps = [
        {"step": 2, "start_ns": 50, "end_ns": 60}, {"step": 1, "start_ns": 90, "end_ns": 95},
        {"step": 2, "start_ns": 10, "end_ns": 20}, {"step": 3, "start_ns": 70},
        {"start_ns": 0, "end_ns": 1},
    ]  # fmt: skip
    found = facts(tasks=TASKS, steps=steps).steps
    assert (found.step.tolist(), found.start.tolist(), found.end.tolist()) == (
        [2, 1],
        [10, 90],
        [20, 95],
    )


@pytest.mark.parametrize(
    ("times", "resolution"), [((0, 7), 1), ((10, 30), 10), ((0, 400), 100), ((0, 0), 1_000_000)]
)
def test_the_resolution_is_a_power_of_ten_of_all_times(
    times: tuple[int, int], resolution: int
) -> None:
    assert facts(tasks=[run(1, 0, 0, *times)]).resolution_ns == resolution


def test_an_empty_rank_has_facts_too() -> None:
    found = facts()
    assert (found.first_ns, found.last_ns, found.work_ns, found.functions) == (0, 0, 0, {})
