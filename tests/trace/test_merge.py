"""Traces put into one: every number, word and time of a part in the merged trace."""

from __future__ import annotations

from typing import Any

import pytest
from tests.analyze.hand import entry, make_trace, phase, task
from tests.formats.simpler.runs import rows

from lanescope.trace import HostClock, Trace
from lanescope.trace.merge import Part, merge, with_run
from lanescope.trace.run_parts import recorded_span

CYCLES = {"start_cycles": 1, "end_cycles": 2}


def part(**more: Any) -> Trace:
    """One core with a task and a node behind it, a scheduler, a wait, a step, a counter."""
    meta = {"base_cycles": 700, "level": 2, "flags": 3, "sources": ("s",), "extra": {"k": 1}}
    return make_trace(
        meta | more.pop("meta", {}),
        tasks=[
            task(0, 5, 6, 10, 20, 25, task=40, func=1, token=3, launch=2, op=1),
            {"task": 41, "kind": "node"},
        ],
        phases=[phase("dispatch", 4, 6, task=40, controller=1, launch=4, flow=5, **CYCLES)],
        edges=[{"pred": 40, "succ": 41, "kind": "creator"}],
        marks=[{"core": 0, "task": 40, "start_ns": 11, "end_ns": 12, "name": "load"}],
        counters=[{"name": "busy", "value": 1.0, "task": 40}],
        cores=[{"core": 0, "name": "aic 0", "controller": 1}],
        controllers=[{"lane": "scheduler", "controller": 0, "name": "Boss"}],
        functions=[{"func": 1, "name": more.pop("function", "QK")}],
        stalls=[{"lane": "core", "core": 0, "start_ns": 30, "end_ns": 31}],
        steps=[{"start_ns": 0, "end_ns": 30}],
        **more,
    )


@pytest.fixture
def ranks() -> Trace:
    parts = [Part(trace=part(), rank=4), Part(trace=part(function="PV"), rank=7, shift_ns=1000)]
    return merge("job", parts)


def test_ranks_have_numbers_of_their_own(ranks: Trace) -> None:
    """Of each rank there are two task ids, one core, two controllers and six launches."""
    assert rows(ranks, "tasks", "core", "task", "id", "run", "func", "token") == [
        (0, 0, 40, 0, 1, 3),
        (1, 2, 40, 1, 2, 3),
        (None, 1, 41, 0, None, None),
        (None, 3, 41, 1, None, None),
    ]
    assert rows(ranks, "tasks", "launch", "op")[:2] == [(2, 1), (8, 7)]
    assert rows(ranks, "phases", "controller", "task", "launch", "flow", "run") == [
        *((1, 0, 4, 5, 0), (3, 2, 10, 11, 1))
    ]
    assert rows(ranks, "edges", "pred", "succ", "kind") == [(0, 1, "creator"), (2, 3, "creator")]
    assert rows(ranks, "counters", "task", "run", "name") == [(0, 0, "busy"), (2, 1, "busy")]
    assert rows(ranks, "marks", "core", "task", "name") == [(0, 0, "load"), (1, 2, "load")]
    assert rows(ranks, "functions", "func", "name") == [(1, "QK"), (2, "PV")]
    assert rows(ranks, "stalls", "core") == [(0,), (1,)]


def test_numbers_of_ranks_lie_as_close_as_they_can() -> None:
    """One core, one controller and no launch each: the second rank has number 1 of each."""
    small = make_trace(
        tasks=[task(0, None, None, 1, 2, None, task=7, launch=0)],
        phases=[phase("poll", 1, 2, launch=0)],
        cores=[{"core": 0, "controller": 0}],
    )
    both = merge("job", [Part(trace=small, rank=0), Part(trace=small, rank=1)])
    assert rows(both, "cores", "core", "controller") == [(0, 0), (1, 1)]
    assert rows(both, "phases", "controller", "launch") == [(0, 0), (1, 1)]
    assert rows(both, "tasks", "core", "task", "launch") == [(0, 0, 0), (1, 1, 1)]


def test_times_of_a_part_move_by_its_shift_and_missing_ones_stay(ranks: Trace) -> None:
    assert rows(ranks, "tasks", "dispatch_ns", "end_ns") == [
        *((5, 20), (1005, 1020), (None, None), (None, None))
    ]
    assert rows(ranks, "phases", "start_ns", "start_cycles") == [(4, 1), (1004, 1)]
    assert rows(ranks, "steps", "start_ns", "end_ns", "rank") == [(0, 30, 4), (1000, 1030, 7)]


def test_names_of_cores_and_controllers_begin_with_their_rank(ranks: Trace) -> None:
    """Scheduler 1 is in no table, but it has phases."""
    assert rows(ranks, "cores", "core", "name", "controller", "rank") == [
        (0, "rank 4 aic 0", 1, 4),
        (1, "rank 7 aic 0", 3, 7),
    ]
    assert rows(ranks, "controllers", "lane", "controller", "name", "rank") == [
        ("scheduler", 0, "rank 4 Boss", 4),
        ("scheduler", 1, "rank 4 scheduler 1", 4),
        ("scheduler", 2, "rank 7 Boss", 7),
        ("scheduler", 3, "rank 7 scheduler 1", 7),
    ]


RUN = ("run", "rank", "start_ns", "end_ns", "base_cycles", "base_ns", "clock", "slack_ns")


def test_a_row_of_runs_says_where_a_part_lies_and_how_sure_that_is() -> None:
    parts = [
        Part(trace=part(meta={"base_shift_ns": 50}), rank=0, shift_ns=300, clock="log"),
        Part(trace=make_trace(), rank=1, slack_ns=None),
    ]
    assert rows(merge("job", parts), "runs", *RUN) == [
        (0, 0, 304, 325, 700, 250, "log", 0),
        (1, 1, None, None, None, 0, "device", None),
    ]


def test_runs_of_one_chip_share_its_cores_and_controllers() -> None:
    both = merge("two", [Part(trace=part()), Part(trace=part())])
    assert rows(both, "cores", "core", "name", "rank") == [(0, "aic 0", None)]
    assert rows(both, "controllers", "name", "rank") == [("Boss", None)]
    assert rows(both, "functions", "func", "name") == [(1, "QK")]
    assert rows(both, "tasks", "core", "run", "task") == [
        *((0, 0, 0), (0, 1, 2), (None, 0, 1), (None, 1, 3))
    ]
    assert (both.meta.base_cycles, both.meta.name) == (700, "two")
    assert both.meta.extra == {"k": 1, "runs": [{"k": 1}, {"k": 1}]}
    assert rows(both, "runs", "rank") == [(None,), (None,)]


def test_what_parts_say_about_themselves_is_put_together() -> None:
    clock = HostClock(host_ns=1, drift_ppb=0, error_ns=0, status="calibrated")
    notes: dict[str, Any] = {"notes": ("Both.", "One."), "host_clock": clock, "base_shift_ns": 9}
    one = part(meta=notes)
    two = part(meta={"notes": ("Both.",), "level": 4, "flags": 4, "sources": ("s", "t")})
    meta = merge("job", [Part(trace=one, rank=0), Part(trace=two, rank=1)]).meta
    assert meta.notes == (
        *("Both.", "Rank 0: One."),
        "The runs were recorded at different levels: 2, 4.",
    )
    assert (meta.level, meta.flags, meta.sources) == (4, 7, ("s", "t"))
    assert (meta.base_cycles, meta.base_shift_ns, meta.host_clock) == (None, 0, None)


def test_ledgers_are_added_up_by_lane_and_those_of_ranks_are_told_apart() -> None:
    def counted(reason: str = "") -> Trace:
        lanes = [entry(lane, 9, 8, dropped=1, reason=reason) for lane in ("core 0", "host")]
        return part(meta={"ledger": tuple(lanes)})

    def ledger(*parts: Part) -> list[tuple[Any, ...]]:
        found = merge("job", parts).meta.ledger
        return [(e.lane, e.total, e.delivered, e.dropped, e.reason) for e in found]

    runs = [Part(trace=counted()), Part(trace=counted("why")), Part(trace=counted("also"))]
    both = "why; also"
    assert ledger(*runs) == [("core 0", 27, 24, 3, both), ("host", 27, 24, 3, both)]
    apart = [Part(trace=counted(), rank=rank) for rank in (2, 5)]
    assert [row[:2] for row in ledger(*apart)] == [
        *(("core 0", 9), ("rank 2 host", 9), ("core 1", 9), ("rank 5 host", 9))
    ]


def test_what_one_run_does_not_know_all_together_do_not_know() -> None:
    known, unknown = (
        part(meta={"ledger": (entry("core 0", 9, 9, unknown=unknown),)})
        for unknown in (False, True)
    )
    for order in ((known, unknown), (unknown, known)):
        [one] = merge("job", [Part(trace=trace) for trace in order]).meta.ledger
        assert (one.total, one.unknown) == (18, True)


def test_a_function_keeps_its_number_unless_another_part_uses_it_for_another() -> None:
    def named(*names: tuple[int, str]) -> Trace:
        return make_trace(functions=[{"func": func, "name": name} for func, name in names])

    parts = [named((0, "a"), (1, "b")), named((0, "c"), (1, "b")), named((0, "c"), (7, "d"))]
    both = merge("job", [Part(trace=one) for one in parts])
    assert rows(both, "functions", "func", "name") == [(0, "a"), (1, "b"), (8, "c"), (7, "d")]


def test_a_single_run_says_which_it_is() -> None:
    trace = part(meta={"base_shift_ns": 5})
    alone = with_run(trace, epoch=12, completeness="published", clock="device")
    assert rows(alone, "runs", "epoch", "completeness", *RUN[2:]) == [
        (12, "published", 4, 25, 700, -5, "device", 0)
    ]
    bare = with_run(make_trace(), epoch=None, completeness="", clock="device")
    assert rows(bare, "runs", "epoch", "completeness", "start_ns", "base_cycles") == [
        (None, None, None, None)
    ]
    both = merge("two", [Part(trace=alone), Part(trace=trace)])
    assert rows(both, "runs", "epoch", "completeness") == [(12, "published"), (None, None)]


@pytest.mark.parametrize(
    ("tables", "span"),
    [
        ({}, None),
        ({"tasks": [task(0, None, None, 10, 20, None)]}, (10, 20)),
        ({"tasks": [task(0, 3, None, 10, 20, 30), task(0, None, 2, 10, None, None)]}, (2, 30)),
        ({"tasks": [task(0, None, None, 10, None, None)]}, (10, 10)),
        ({"tasks": [task(0, None, None, None, 20, None)]}, None),
        ({"phases": [phase("poll", 1, 9, **CYCLES), phase("poll", 0, 99)]}, (1, 9)),
    ],
)
def test_what_the_device_recorded_begins_and_ends(
    tables: dict[str, Any], span: tuple[int, int] | None
) -> None:
    """A phase without cycles was not recorded by the device."""
    assert recorded_span(make_trace(**tables)) == span
