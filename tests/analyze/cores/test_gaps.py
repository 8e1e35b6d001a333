"""Times in which records may be lost, and times in which recording stopped a core."""

from __future__ import annotations

import pytest
from tests.analyze.hand import entry, make_trace, task

from lanescope.analyze.cores.gaps import Intervals, lost_intervals, stalled_intervals
from lanescope.analyze.cores.makespan import Span
from lanescope.trace import LedgerEntry
from lanescope.trace.schema import TaskFlag

WINDOW = Span(0, 100)
CORES = [{"core": 0, "controller": 0}, {"core": 1, "controller": 0}, {"core": 2, "controller": 1}]


def rows(intervals: Intervals) -> list[tuple[int, int, int]]:
    """Core, start and end of each."""
    columns = (intervals.core, intervals.start, intervals.end)
    return sorted(zip(*(column.tolist() for column in columns), strict=True))


def test_a_row_without_the_cores_record_is_lost_from_dispatch_to_finish() -> None:
    lost = int(TaskFlag.NO_CORE_RECORD)
    trace = make_trace(
        tasks=[
            task(0, 5, None, None, None, 9, flags=lost),
            task(1, 20, None, None, None, None, flags=lost),
            task(2, None, None, None, None, 30, flags=lost),
            task(2, 40, None, None, None, 50, flags=0),
        ]
    )
    assert rows(lost_intervals(trace, WINDOW)) == [(0, 5, 9), (1, 20, 100), (2, 0, 30)]


def runs_with_tokens(*tokens: int, core: int = 1) -> list[dict[str, object]]:
    """Runs of 4 ns on one core, every 10 ns."""
    starts = range(10, 10 * len(tokens) + 10, 10)
    return [
        task(core, None, None, start, start + 4, None, token=token)
        for start, token in zip(starts, tokens, strict=True)
    ]


@pytest.mark.parametrize("core", [0, 1])
def test_a_jump_of_the_token_leaves_a_gap(core: int) -> None:
    trace = make_trace(cores=CORES, tasks=runs_with_tokens(7, 8, 10, 11, 14, core=core))
    assert rows(lost_intervals(trace, WINDOW)) == [(core, 24, 30), (core, 44, 50)]


def test_tokens_of_different_cores_are_not_compared() -> None:
    other = [task(2, None, None, n, n + 1, None, token=70 + n) for n in range(3)]
    trace = make_trace(cores=CORES, tasks=[*runs_with_tokens(7, 8), *other])
    assert rows(lost_intervals(trace, WINDOW)) == []


def test_a_token_that_starts_again_is_no_jump() -> None:
    trace = make_trace(cores=CORES, tasks=runs_with_tokens(9, 2, 3))
    assert rows(lost_intervals(trace, WINDOW)) == []


def test_a_jump_to_another_run_of_the_program_is_none() -> None:
    tasks = runs_with_tokens(7, 8, 12, 20)
    for one, number in zip(tasks, (0, 0, 1, 1), strict=True):
        one["run"] = number
    assert rows(lost_intervals(make_trace(cores=CORES, tasks=tasks), WINDOW)) == [(1, 34, 40)]


def test_a_jump_says_nothing_where_all_slices_arrived() -> None:
    whole = LedgerEntry(lane="core 1", kind="slice", total=3, delivered=3)
    trace = make_trace({"ledger": (whole,)}, cores=CORES, tasks=runs_with_tokens(7, 8, 10))
    assert rows(lost_intervals(trace, WINDOW)) == []


def test_a_core_that_lost_records_may_have_run_before_and_after() -> None:
    ledger = (entry("core 1", 3, 2, dropped=1), entry("core 2", 3, 2, dropped=1))
    trace = make_trace({"ledger": ledger}, cores=CORES, tasks=runs_with_tokens(7, 8))
    assert rows(lost_intervals(trace, WINDOW)) == [
        (1, 0, 10),
        (1, 24, 100),
        (2, 0, 100),
        (2, 0, 100),
    ]


def test_a_lane_that_names_no_known_core_is_left_out() -> None:
    ledger = (entry("core 9", 3, 2, dropped=1), entry("scheduler 0", 3, 2, dropped=1))
    assert rows(lost_intervals(make_trace({"ledger": ledger}, cores=CORES), WINDOW)) == []


def test_a_stalled_scheduler_stops_all_its_cores() -> None:
    trace = make_trace(
        cores=CORES,
        stalls=[
            {"lane": "core", "core": 2, "start_ns": 1, "end_ns": 3},
            {"lane": "scheduler", "controller": 0, "start_ns": 5, "end_ns": 8},
            {"lane": "scheduler", "controller": 0, "start_ns": 10},
            {"lane": "orchestrator", "controller": 0, "start_ns": 11, "end_ns": 12},
        ],
    )
    assert rows(stalled_intervals(trace)) == [(0, 5, 8), (1, 5, 8), (2, 1, 3)]


def test_an_empty_trace_has_neither() -> None:
    assert rows(lost_intervals(make_trace(), WINDOW)) == []
    assert rows(stalled_intervals(make_trace())) == []
