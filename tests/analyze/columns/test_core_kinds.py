"""Cores and their kinds, from the cores table and from task rows."""

from __future__ import annotations

from tests.analyze.hand import make_trace, task

from lanescope.analyze.columns.core_kinds import UNKNOWN, core_kinds, on_core, used_cores

TRACE = make_trace(
    cores=[{"core": 5, "kind": "aiv"}, {"core": 2, "kind": "aic"}, {"core": 3}],
    tasks=[
        task(9, None, None, 0, 4, None),
        task(5, None, None, 4, 8, None),
        task(2, 1, None, None, None, None),
        {"kind": "alloc"},
        {"kind": "run", "start_ns": 0, "end_ns": 1},
    ],
)


def test_cores_of_the_table_come_first_and_those_of_tasks_behind() -> None:
    assert list(core_kinds(TRACE).items()) == [(5, "aiv"), (2, "aic"), (3, UNKNOWN), (9, UNKNOWN)]


def test_used_cores_are_those_with_a_run_that_has_times() -> None:
    assert used_cores(TRACE) == [5, 9]


def test_a_row_with_a_core_or_of_kind_run_is_on_a_core() -> None:
    assert on_core(TRACE).tolist() == [True, True, True, False, True]


def test_an_empty_trace_has_no_cores() -> None:
    empty = make_trace()
    assert (core_kinds(empty), used_cores(empty), on_core(empty).tolist()) == ({}, [], [])
