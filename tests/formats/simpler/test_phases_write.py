"""Phases as rows of a records file: times from 1 on, and only what is known of each."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest
from tests.analyze.hand import Row, make_trace, phase, task

from lanescope.formats.simpler import phases_write
from lanescope.formats.simpler.phases_write import cycles, orchestrator_lanes, scheduler_lanes
from lanescope.formats.simpler.shapes import WrittenRun
from lanescope.trace import MISSING, Trace
from lanescope.trace.task_ids import unsigned

CLOCKED = {"clock_hz": 10**9, "base_cycles": 0}


def lanes(lists: Iterable[Iterable[str]]) -> list[list[Any]]:
    return [json.loads(f"[{','.join(chunk for chunk in lane if chunk)}]") for lane in lists]


def clocked(kind: str, start: int, end: int, **more: Any) -> Row:
    return phase(kind, start, end, start_cycles=start, end_cycles=end, **more)


def depths(start: int | None, end: int | None) -> Row:
    sides = {"start": start, "end": end}
    return {
        f"queue{q}_{side}": depth + q
        for side, depth in sides.items()
        if depth is not None
        for q in range(3)
    }


def test_a_scheduler_has_a_list_by_its_number_also_without_phases() -> None:
    trace = make_trace(
        CLOCKED,
        phases=[
            clocked("loop", 5, 9, controller=2, loop=1, tasks=2, pop_hit=3, pop_miss=4, task=7),
            clocked("idle", 1, 2, controller=0),
            clocked("submit", 3, 4, controller=0, lane="orchestrator"),
            clocked("submit", 9, 9, controller=2, submit=6),
        ],
    )
    assert lanes(scheduler_lanes(trace)) == [
        [{"kind": "idle", "start_cycles": 1, "end_cycles": 2}],
        [],
        [
            {
                "kind": "loop",
                "start_cycles": 5,
                "end_cycles": 9,
                "loop_iter": 1,
                "tasks_processed": 2,
                "pop_hit": 3,
                "pop_miss": 4,
                "task_id": 7,
            },
            {"kind": "submit", "start_cycles": 9, "end_cycles": 9},
        ],
    ]


def test_depths_are_written_for_a_side_where_all_three_are_known() -> None:
    missing_one = {k: v for k, v in depths(4, 7).items() if k != "queue2_end"}
    trace = make_trace(
        CLOCKED,
        phases=[
            clocked("a", 1, 2, **depths(4, None)),
            clocked("b", 3, 4, **depths(None, 7)),
            clocked("c", 5, 6, **missing_one),
        ],
    )
    [rows] = lanes(scheduler_lanes(trace))
    assert [(row.get("shared_at_start"), row.get("shared_at_end")) for row in rows] == [
        ([4, 5, 6], None),
        (None, [7, 8, 9]),
        ([4, 5, 6], None),
    ]


def submits(number: int, *rows: Row, epoch: int = 5) -> WrittenRun:
    own = [{**row, "lane": "orchestrator", "controller": number} for row in rows]
    return WrittenRun(make_trace(CLOCKED, phases=own), epoch)


def test_an_orchestrator_has_a_list_over_all_runs_without_depths() -> None:
    first = submits(0, clocked("submit", 1, 2, submit=0, task=-1), clocked("wait", 3, 4, loop=9))
    second = submits(1, clocked("submit", 5, 6, **depths(1, 2)), epoch=8)
    plain = [
        [
            {"start_cycles": 1, "end_cycles": 2, "submit_idx": 0, "task_id": unsigned(-1)},
            {"kind": "wait", "start_cycles": 3, "end_cycles": 4},
        ],
        [{"start_cycles": 5, "end_cycles": 6}],
    ]
    runs = [first, second]
    assert lanes(orchestrator_lanes(runs, epochs=False)) == plain
    told = [[{**row, "run_epoch": 5} for row in plain[0]], [{**plain[1][0], "run_epoch": 8}]]
    assert lanes(orchestrator_lanes(runs, epochs=True)) == told
    assert lanes(orchestrator_lanes([WrittenRun(make_trace(), 0)], epochs=True)) == []


def test_rows_are_written_some_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [clocked(f"k{k}", 10 + k, 20 + k) for k in range(5)]
    monkeypatch.setattr(phases_write, "_CHUNK", 2)
    [lane] = scheduler_lanes(make_trace(CLOCKED, phases=rows))
    chunks = list(lane)
    assert [chunk.count("kind") for chunk in chunks] == [2, 2, 1]
    [found] = lanes([chunks])
    assert [(row["kind"], row["start_cycles"], row["end_cycles"]) for row in found] == [
        (f"k{k}", 10 + k, 20 + k) for k in range(5)
    ]


def test_a_time_that_is_not_known_is_0() -> None:
    trace = make_trace(CLOCKED, phases=[clocked("a", 1, MISSING)])
    [[row]] = lanes(scheduler_lanes(trace))
    assert (row["start_cycles"], row["end_cycles"]) == (1, 0)


def unclocked(first: int) -> Trace:
    return make_trace(
        tasks=[task(0, None, None, 10, 20, None), task(0, first, 8, 9, None, None)],
        phases=[phase("a", 30, 40)],
    )


@pytest.mark.parametrize(("first", "shift"), [(5, 1), (0, 1), (-4, 5)])
def test_without_a_clock_times_are_ns_plus_1_from_0_or_from_a_first_moment_before_0(
    first: int, shift: int
) -> None:
    trace = unclocked(first)
    assert cycles(trace, trace.tasks, "dispatch").tolist() == [MISSING, first + shift]
    assert cycles(trace, trace.tasks, "end").tolist() == [20 + shift, MISSING]
    assert cycles(trace, trace.phases, "start").tolist() == [30 + shift]


@pytest.mark.parametrize("column", ["dispatch_ns", "receive_ns", "start_ns"])
def test_the_first_moment_may_be_any_time_of_a_task_or_a_phase(column: str) -> None:
    trace = make_trace(tasks=[{"core": 0, column: -7}], phases=[phase("a", -3, 4)])
    assert cycles(trace, trace.phases, "start").tolist() == [-3 + 1 + 7]
    trace = make_trace(tasks=[{"core": 0, column: -7}], phases=[phase("a", -9, 4)])
    assert cycles(trace, trace.phases, "start").tolist() == [1]
