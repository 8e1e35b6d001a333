"""Joining: 32-bit tokens become dispatch numbers, damage stays flagged and counted."""

from __future__ import annotations

import numpy as np
import pytest
from tests.analyze.hand import make_trace
from tests.capture.buffers import head_of, payload_of
from tests.formats.simpler.runs import rows

from lanescope.capture.assemble import CaptureContents, assemble
from lanescope.capture.gather import gather
from lanescope.capture.ledger import LaneCounts
from lanescope.capture.pieces import unwrap
from lanescope.capture.stamps import stamp_window
from lanescope.device.flags import level_features
from lanescope.device.head import Core, Head
from lanescope.device.kinds import KINDS
from lanescope.device.layouts import layout
from lanescope.device.region import RegionConfig
from lanescope.trace import MISSING, Trace
from lanescope.trace.schema import TaskFlag


def head(level: int = 2, **changes: object) -> Head:
    config = RegionConfig(
        flags=level_features(level), cores=(Core("aic"),), clock_hz=1_000_000_000, **changes
    )
    return head_of(config)


def trace_of(
    cores: list[tuple[int, ...]], controllers: list[tuple[int, ...]] | None, **changes: object
) -> Trace:
    found = head(1 if controllers is None else 2, **changes)
    arrays = [np.array(cores, layout("ls_core_task"))]
    if controllers is not None:
        arrays.append(np.array(controllers, layout("ls_controller_task")))
    lanes = found.lanes.copy()
    lanes["recorded"] = [len(array) for array in arrays]
    gathered = gather([payload_of(arrays)], found)
    return assemble(CaptureContents(found, gathered, LaneCounts(lanes)))


@pytest.mark.parametrize(
    ("tokens", "first", "numbers"),
    [
        ([0, 1, 2], 0, [0, 1, 2]),
        ([], 5, []),
        ([2**32 - 1, 0, 1], 2**32 - 1, [2**32 - 1, 2**32, 2**32 + 1]),
        ([2**32 - 2, 1], 2**32 - 2, [2**32 - 2, 2**32 + 1]),
        ([7, 7, 6], 7, [7, 7, 6]),
        ([100, 2**31 + 99], 100, [100, 2**31 + 99]),
    ],
)
def test_tokens_are_unwrapped(tokens: list[int], first: int, numbers: list[int]) -> None:
    assert unwrap(np.array(tokens, np.uint32), first).tolist() == numbers


def test_the_two_records_of_a_task_meet() -> None:
    trace = trace_of([(110, 150, 42, 0, 4)], [(100, 160, 0, 3, 42)])
    row = {name: trace.tasks[name].tolist()[0] for name in trace.tasks.columns}
    assert (row["task"], row["func"], row["core"], row["token"], row["flags"]) == (42, 3, 0, 0, 0)
    assert [row[f"{name}_ns"] for name in ("dispatch", "receive", "start", "end", "finish")] == [
        *(0, 6, 10, 50, 60)
    ]
    assert row["receive_cycles"] == 106
    assert trace.meta.base_cycles == 100


def test_a_record_without_partner_stays_and_never_sets_the_base() -> None:
    trace = trace_of([(110, 150, 42, 1, 4)], [(100, 160, 1, 3, 42), (1, 9, 0, 3, 41)])
    assert trace.tasks["flags"].tolist() == [TaskFlag.NO_CORE_RECORD, 0]
    assert trace.tasks["start_ns"].tolist() == [MISSING, 10]
    assert trace.meta.base_cycles == 100
    entries = {entry.kind: entry for entry in trace.meta.ledger}
    assert (entries["core_task"].delivered, entries["core_task"].unmatched) == (1, 0)
    assert (entries["controller_task"].delivered, entries["controller_task"].unmatched) == (1, 1)


def test_duplicate_tokens_are_not_joined_and_are_counted() -> None:
    trace = trace_of([(1, 2, 5, 0, 0), (3, 4, 6, 0, 0)], [(1, 5, 0, 0, 5)])
    assert all(flags & TaskFlag.DUPLICATE_TOKEN for flags in trace.tasks["flags"].tolist())
    assert [entry.unmatched for entry in trace.meta.ledger] == [2, 1]
    assert all(entry.closes for entry in trace.meta.ledger)
    assert trace.meta.notes == (
        "3 task rows share their (core, token) with another one and were not joined.",
    )


def test_a_record_that_ends_before_it_starts_has_cycles_but_no_times() -> None:
    trace = trace_of([(9, 2, 5, 0, 0)], None)
    assert trace.tasks["flags"].tolist() == [TaskFlag.BACKWARDS]
    assert trace.tasks["start_cycles"].tolist() == [9]
    assert trace.tasks["start_ns"].tolist() == [MISSING]
    assert [entry.unmatched for entry in trace.meta.ledger] == [1]


def test_a_function_can_travel_in_the_task_word() -> None:
    trace = trace_of([(1, 2, 7 << 48 | 12, 0, 0)], None, func_shift=48)
    assert (trace.tasks["task"].tolist(), trace.tasks["func"].tolist()) == ([12], [7])
    told = trace_of([(110, 150, 7 << 48 | 12, 0, 4)], [(100, 160, 0, 3, 12)], func_shift=48)
    assert (told.tasks["task"].tolist(), told.tasks["func"].tolist()) == ([12], [3])


def test_a_ledger_that_does_not_close_is_seen() -> None:
    """More records arrived than the device says it made."""
    found = head(1)
    array = np.array([(1, 2, 0, 0, 0), (2, 3, 1, 1, 0)], layout("ls_core_task"))
    lanes = found.lanes.copy()
    lanes["recorded"] = 1
    gathered = gather([payload_of([array])], found)
    trace = assemble(CaptureContents(found, gathered, LaneCounts(lanes)))
    assert [entry.closes for entry in trace.meta.ledger] == [False]


FAR = 2**63 - 1


def test_a_wild_time_costs_no_other_record() -> None:
    """At 1 GHz the last of these is 292 years away, more than nanoseconds can tell."""
    records = [(10, 20, 0, 0, 0), (30, FAR, 1, 1, 0), (2**64 - 1, 50, 2, 2, 0), (60, 70, 3, 3, 0)]
    trace = trace_of(records, None)
    wild = int(TaskFlag.WILD_TIME)
    assert trace.tasks["flags"].tolist() == [0, wild, wild, 0]
    assert trace.tasks["start_ns"].tolist() == [0, MISSING, MISSING, 50]
    assert trace.tasks["end_ns"].tolist() == [10, MISSING, MISSING, 60]
    assert trace.tasks["end_cycles"].tolist() == [20, FAR, 50, 70]
    [entry] = trace.meta.ledger
    assert (entry.total, entry.delivered, entry.unmatched, entry.closes) == (4, 2, 2, True)
    assert trace.meta.notes == (
        "2 task rows have times that cannot be right (zero, far outside the run, or backwards), "
        "which are left out: core 0.",
    )


def anchored(**header: int) -> Head:
    """The head of a region that was made at 10^15 cycles, which is 10^18 ns of the host's clock."""
    found = head(1)
    found.header["clock_cycles"], found.header["clock_unix_ns"] = 10**15, 10**18
    for name, value in header.items():
        found.header[name] = value
    return found


def test_zero_is_no_time_of_a_counter_that_ran_before() -> None:
    times = np.array([0, 10**15, MISSING])
    assert stamp_window(anchored()).wild(times).tolist() == [True, False, False]
    assert stamp_window(head(1)).wild(times).tolist() == [False, False, False]


HOUR = 3600 * 10**9


@pytest.mark.parametrize(
    ("header", "last"),
    [
        ({}, 10**15 + 366 * 24 * HOUR),
        ({"state": 2, "stop_unix_ns": 10**18 + 5 * HOUR}, 10**15 + 5 * HOUR),
        ({"state": 2, "stop_unix_ns": 10**18 - HOUR}, 10**15),
        (
            {"state": 2, "stop_unix_ns": 10**18 - HOUR, "stop_cycles": 10**15 + 7 * HOUR},
            10**15 + 7 * HOUR,
        ),
        ({"state": 2, "stop_cycles": 2**64 - 1}, 10**15 + 366 * 24 * HOUR),
    ],
)
def test_times_are_from_the_run_or_an_hour_around_it(header: dict[str, int], last: int) -> None:
    window = stamp_window(anchored(**header))
    edges = np.array([10**15 - HOUR - 1, 10**15 - HOUR, last + HOUR, last + HOUR + 1])
    assert window.wild(edges).tolist() == [True, False, False, True]


def test_a_plan_completes_the_tasks_that_it_names_and_no_others() -> None:
    """The plan names the tasks in any order; one of them has no record, and is a node."""
    plan = make_trace(
        tasks=[
            {"task": 7, "func": 5, "blocks": 4, "flags": 16, "kind": "node"},
            {"task": 3, "func": 6, "blocks": 1, "flags": 64, "kind": "node"},
        ],
        functions=[{"func": 5, "name": "planned"}],
        edges=[{"pred": 3, "succ": 7}],
    )
    found = head(1, functions={5: "region", 9: "own"}, name_room=4)
    records = np.array([(10, 20, 8, 0, 0), (30, 40, 7, 1, 0)], layout("ls_core_task"))
    lanes = found.lanes.copy()
    lanes["recorded"] = 2
    contents = CaptureContents(
        found, gather([payload_of([records])], found), LaneCounts(lanes), plan=plan
    )
    trace = assemble(contents)
    assert rows(trace, "tasks", "task", "func", "blocks", "flags", "kind", "core") == [
        (8, None, None, 0, "run", 0),
        (7, 5, 4, 16, "run", 0),
        (3, 6, 1, 64, "node", None),
    ]
    assert rows(trace, "functions", "func", "name") == [(5, "planned"), (9, "own")]
    assert rows(trace, "edges", "pred", "succ") == [(3, 7)]


@pytest.mark.parametrize(("hz", "last"), [(10**6, 10**6 << 32), (2 * 10**9, 1 << 62)])
def test_without_a_clock_of_the_host_times_may_be_136_years_apart(hz: int, last: int) -> None:
    found = head(1)
    found.header["clock_hz"] = hz
    assert stamp_window(found).wild(np.array([0, last, last + 1])).tolist() == [False, False, True]


def test_a_phase_with_a_wild_time_has_none_and_is_counted() -> None:
    found = head(3)
    lanes = found.lanes.copy()
    phases = np.zeros(3, layout("ls_scheduler_phase"))
    phases["start"], phases["end"] = [100, 200, 300], [150, FAR, 250]
    kinds = [layout(f"ls_{KINDS[kind]}") for kind in lanes["kind"]]
    arrays = [phases if kind == phases.dtype else np.empty(0, kind) for kind in kinds]
    lanes["recorded"] = [len(array) for array in arrays]
    gathered = gather([payload_of(arrays)], found)
    trace = assemble(CaptureContents(found, gathered, LaneCounts(lanes)))
    assert trace.phases["start_ns"].tolist() == [0, MISSING, MISSING]
    assert trace.phases["end_cycles"].tolist() == [150, FAR, 250]
    [entry] = [entry for entry in trace.meta.ledger if entry.total]
    assert (entry.delivered, entry.unmatched) == (1, 2)
    assert entry.reason == "2 have times that cannot be right"
    assert trace.meta.notes[-1].endswith("which are left out: scheduler 0.")
