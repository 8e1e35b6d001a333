"""The join of the cores' and the controllers' records: nothing is lost, nothing is invented."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.formats.simpler.runs import open_entries, phase, read, records, rows, task_us

from lanescope.errors import InputError
from lanescope.trace import LedgerEntry
from lanescope.trace.schema import TaskFlag

TIMES = ("dispatch_ns", "receive_ns", "start_ns", "end_ns", "finish_ns")
NO_CORE, NO_CONTROLLER = TaskFlag.NO_CORE_RECORD, TaskFlag.NO_CONTROLLER_RECORD
DUPLICATE, BACKWARDS = TaskFlag.DUPLICATE_TOKEN, TaskFlag.BACKWARDS


def test_records_meet_on_core_and_token_whatever_their_order(tmp_path: Path) -> None:
    content = records(
        aicore_tasks=[[1, 30, 2, 340, 350, 1], [0, 10, 1, 140, 150, 1], [1, 20, 1, 240, 250, 1]],
        aicpu_tasks=[[1, 1, 200, 260], [1, 2, 300, 360], [0, 1, 100, 160]],
    )
    trace = read(tmp_path, records=content)
    assert rows(trace, "tasks", "core", "token", "task", "flags", *TIMES) == [
        (0, 1, 10, 0, 0, 780, 800, 1000, 1200),
        (1, 1, 20, 0, 2000, 2780, 2800, 3000, 3200),
        (1, 2, 30, 0, 4000, 4780, 4800, 5000, 5200),
    ]
    assert trace.meta.ledger == (
        LedgerEntry("core 0", "core_task", 1, 1),
        LedgerEntry("core 1", "core_task", 2, 2),
        LedgerEntry("core 0", "controller_task", 1, 1),
        LedgerEntry("core 1", "controller_task", 2, 2),
    )


def test_records_without_a_partner_stay_flagged_and_counted(tmp_path: Path) -> None:
    content = records(
        aicore_tasks=[[0, 10, 1, 140, 150], [0, 11, 2, 160, 170]],
        aicpu_tasks=[[0, 1, 100, 200], [0, 3, 300, 400]],
    )
    trace = read(tmp_path, records=content)
    assert rows(trace, "tasks", "core", "token", "task", "flags", *TIMES) == [
        (0, 1, 10, 0, 0, None, 800, 1000, 2000),
        (0, 2, 11, NO_CONTROLLER, None, None, 1200, 1400, None),
        (0, 3, None, NO_CORE, 4000, None, None, None, 6000),
    ]
    assert trace.meta.ledger == (
        LedgerEntry("core 0", "core_task", 2, 1, unmatched=1),
        LedgerEntry("core 0", "controller_task", 2, 1, unmatched=1),
    )


def test_all_records_of_one_side_may_be_absent(tmp_path: Path) -> None:
    cores = read(tmp_path / "cores", records=records(aicore_tasks=[[0, 10, 1, 140, 150]]))
    controllers = read(tmp_path / "controllers", records=records(aicpu_tasks=[[0, 1, 100, 200]]))
    assert rows(cores, "tasks", "task", "flags", *TIMES) == [
        (10, NO_CONTROLLER, None, None, 0, 200, None)
    ]
    assert rows(controllers, "tasks", "task", "flags", *TIMES) == [
        (None, NO_CORE, 0, None, None, None, 2000)
    ]
    assert open_entries(cores) == open_entries(controllers) == []


def test_a_run_without_tasks_is_an_empty_trace(tmp_path: Path) -> None:
    trace = read(tmp_path, records=records())
    assert (len(trace.tasks), len(trace.cores), trace.meta.ledger) == (0, 3, ())


def test_a_stamp_of_zero_is_not_captured(tmp_path: Path) -> None:
    content = records(
        aicore_tasks=[[0, 10, 1, 140, 150], [0, 11, 2, 0, 0], [0, 12, 3, 180, 0]],
        aicpu_tasks=[[0, 1, 100, 200], [0, 2, 0, 210], [0, 3, 110, 220]],
    )
    trace = read(tmp_path, records=content)
    assert trace.meta.base_cycles == 100
    assert rows(trace, "tasks", "task", "flags", *TIMES) == [
        (10, 0, 0, None, 800, 1000, 2000),
        (11, NO_CORE | NO_CONTROLLER, None, None, None, None, 2200),
        (12, NO_CORE, 200, None, 1600, None, 2400),
    ]
    assert trace.meta.ledger == (
        LedgerEntry("core 0", "core_task", 3, 1, unmatched=2),
        LedgerEntry("core 0", "controller_task", 3, 1, unmatched=2),
    )


def test_a_receive_at_counter_zero_is_not_captured(tmp_path: Path) -> None:
    trace = read(tmp_path, records=records(1, aicore_tasks=[[0, 1, 1, 40, 50, 40]]))
    assert trace.meta.base_cycles == 40
    assert rows(trace, "tasks", "receive_ns", "start_ns") == [(None, 0)]


def test_the_earliest_of_all_streams_sets_the_base(tmp_path: Path) -> None:
    core = [[0, 1, 1, 140, 150, 60]]
    assert read(tmp_path / "1", records=records(1, aicore_tasks=core)).meta.base_cycles == 80
    whole = records(3, aicore_tasks=core, aicpu_tasks=[[0, 1, 70, 200]])
    assert read(tmp_path / "2", records=whole).meta.base_cycles == 70
    whole["aicpu_scheduler_phases"] = [[phase("x", 0, 65), phase("x", 60, 65)]]
    trace = read(tmp_path / "3", records=whole)
    assert trace.meta.base_cycles == 60
    assert rows(trace, "phases", "start_ns", "end_ns", "start_cycles") == [
        (None, 100, None),
        (0, 100, 60),
    ]


def test_a_record_without_a_partner_does_not_set_the_base(tmp_path: Path) -> None:
    content = records(
        aicore_tasks=[[0, 9, 1, 5, 6], [0, 10, 2, 140, 150]], aicpu_tasks=[[0, 2, 100, 200]]
    )
    trace = read(tmp_path, records=content)
    assert trace.meta.base_cycles == 100
    assert rows(trace, "tasks", "task", "start_ns") == [(9, -1900), (10, 800)]


def test_duplicate_tokens_are_refused(tmp_path: Path) -> None:
    content = records(
        aicore_tasks=[[0, 10, 1, 140, 150], [0, 11, 1, 160, 170]],
        aicpu_tasks=[[0, 1, 100, 200], [0, 2, 300, 400]],
    )
    with pytest.raises(InputError) as caught:
        read(tmp_path, records=content)
    assert caught.value.problem == (
        "aicore_tasks rows 0 and 1 are both core 0, token 1, so they cannot be joined "
        "(3 such rows); --keep-damaged imports them flagged"
    )


def test_duplicate_tokens_of_a_controller_name_its_rows(tmp_path: Path) -> None:
    content = records(
        aicore_tasks=[[0, 10, 2, 140, 150]], aicpu_tasks=[[0, 1, 100, 200], [0, 2, 1, 2]] * 2
    )
    with pytest.raises(InputError, match="aicpu_tasks rows 0 and 2 are both core 0, token 1"):
        read(tmp_path, records=content)


def test_duplicate_tokens_are_kept_apart_on_request(tmp_path: Path) -> None:
    content = records(
        aicore_tasks=[[0, 10, 1, 140, 150], [0, 11, 1, 160, 170], [0, 12, 2, 180, 190]],
        aicpu_tasks=[[0, 1, 100, 200], [0, 2, 300, 400]],
    )
    content["aicpu_tasks"][1] = [0, 2, 170, 200]
    trace = read(tmp_path, records=content, keep_damaged=True)
    assert rows(trace, "tasks", "task", "token", "flags", "dispatch_cycles", "start_cycles") == [
        (10, 1, DUPLICATE | NO_CONTROLLER, None, 140),
        (11, 1, DUPLICATE | NO_CONTROLLER, None, 160),
        (None, 1, DUPLICATE | NO_CORE, 100, None),
        (12, 2, 0, 170, 180),
    ]
    assert trace.meta.ledger == (
        LedgerEntry("core 0", "core_task", 3, 1, unmatched=2),
        LedgerEntry("core 0", "controller_task", 2, 1, unmatched=1),
    )
    assert trace.meta.base_cycles == 170


def test_duplicate_tokens_at_level_1(tmp_path: Path) -> None:
    content = records(1, aicore_tasks=[[0, 10, 1, 140, 150], [0, 11, 1, 160, 170]])
    with pytest.raises(InputError, match="aicore_tasks rows 0 and 1"):
        read(tmp_path, records=content)
    trace = read(tmp_path, records=content, keep_damaged=True)
    assert rows(trace, "tasks", "task", "flags") == [(10, DUPLICATE), (11, DUPLICATE)]
    assert trace.meta.ledger == (LedgerEntry("core 0", "core_task", 2, 0, unmatched=2),)


def test_backward_records_are_refused(tmp_path: Path) -> None:
    content = records(aicore_tasks=[[0, 10, 7, 150, 140]], aicpu_tasks=[[0, 7, 100, 200]])
    with pytest.raises(InputError) as caught:
        read(tmp_path, records=content)
    assert caught.value.problem == (
        "the task on core 0, token 7 ends before it starts (1 such rows); "
        "--keep-damaged imports them flagged and without times"
    )


def test_backward_records_keep_their_cycles_on_request(tmp_path: Path) -> None:
    content = records(
        aicore_tasks=[[0, 10, 7, 50, 40], [0, 11, 8, 210, 220]],
        aicpu_tasks=[[0, 7, 30, 60], [0, 8, 200, 230]],
    )
    trace = read(tmp_path, records=content, keep_damaged=True)
    assert trace.meta.base_cycles == 200
    assert rows(trace, "tasks", "flags", "start_ns", "end_ns", "start_cycles", "end_cycles") == [
        (BACKWARDS, None, None, 50, 40),
        (0, 200, 400, 210, 220),
    ]
    assert trace.meta.ledger == (
        LedgerEntry("core 0", "core_task", 2, 1, unmatched=1),
        LedgerEntry("core 0", "controller_task", 2, 1, unmatched=1),
    )


def test_backward_phases_keep_their_cycles_on_request(tmp_path: Path) -> None:
    content = records(3, aicpu_scheduler_phases=[[phase("a", 9, 8), phase("b", 20, 30)]])
    with pytest.raises(InputError) as caught:
        read(tmp_path, records=content)
    assert caught.value.problem == (
        "phase 0 (a) of scheduler 0 ends before it starts (1 such phases); "
        "--keep-damaged imports them without times"
    )
    trace = read(tmp_path, records=content, keep_damaged=True)
    columns = ("kind", "start_ns", "end_ns", "start_cycles", "end_cycles")
    assert rows(trace, "phases", *columns) == [("a", None, None, 9, 8), ("b", 0, 200, 20, 30)]


def test_a_backward_task_in_microseconds(tmp_path: Path) -> None:
    content = {"l2_swimlane_level": 1, "tasks": [task_us(0, 0, 2, 1), task_us(1, 0, 3, 4)]}
    with pytest.raises(InputError, match="the task on core 0 ends before it starts"):
        read(tmp_path, records=content)
    trace = read(tmp_path, records=content, keep_damaged=True)
    assert rows(trace, "tasks", "task", "flags", "start_ns") == [(0, BACKWARDS, None), (1, 0, 3000)]


def test_a_task_without_an_end_in_microseconds_was_not_captured(tmp_path: Path) -> None:
    tasks = [
        task_us(0, 0, 1, 2, dispatch_time_us=0.0, finish_time_us=3.0),
        task_us(1, 0, 0, 0, dispatch_time_us=0.5, finish_time_us=0.0),
    ]
    trace = read(tmp_path, records={"l2_swimlane_level": 2, "tasks": tasks})
    assert rows(trace, "tasks", "task", "flags", *TIMES) == [
        (1, NO_CORE | NO_CONTROLLER, None, None, None, None, None),
        (0, 0, 0, None, 1000, 2000, 3000),
    ]
    assert trace.meta.ledger == (LedgerEntry("core 0", "core_task", 2, 1, unmatched=1),)


def test_a_task_dispatched_before_the_previous_one_ended_is_whole(tmp_path: Path) -> None:
    content = records(
        aicore_tasks=[[0, 10, 1, 140, 200, 1], [0, 11, 2, 210, 250, 1]],
        aicpu_tasks=[[0, 1, 100, 205], [0, 2, 150, 255]],
    )
    trace = read(tmp_path, records=content)
    assert rows(trace, "tasks", "token", "flags", "dispatch_ns", "start_ns") == [
        (1, 0, 0, 800),
        (2, 0, 1000, 2200),
    ]


def test_tokens_use_all_32_bits(tmp_path: Path) -> None:
    last = (1 << 32) - 1
    content = records(
        aicore_tasks=[[0, 10, last, 140, 200], [1, 11, 0, 140, 200]],
        aicpu_tasks=[[1, 0, 100, 205], [0, last, 100, 255]],
    )
    trace = read(tmp_path, records=content)
    assert rows(trace, "tasks", "core", "token", "flags") == [(0, last, 0), (1, 0, 0)]
