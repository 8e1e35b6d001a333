"""Joining: 32-bit tokens become dispatch numbers, damage stays flagged and counted."""

from __future__ import annotations

import numpy as np
import pytest

from lanescope.capture.assemble import CaptureContents, assemble
from lanescope.capture.gather import Gathered
from lanescope.capture.ledger import LaneCounts
from lanescope.capture.tasks import unwrap
from lanescope.device.flags import level_features
from lanescope.device.head import Core, Head, read_head
from lanescope.device.layouts import layout
from lanescope.device.region import RegionConfig
from lanescope.native import library
from lanescope.trace import MISSING, Trace
from lanescope.trace.schema import TaskFlag


def head(level: int = 2, **changes: object) -> Head:
    config = RegionConfig(
        flags=level_features(level), cores=(Core("aic"),), clock_hz=1_000_000_000, **changes
    )
    packed = config.packed()
    memory = np.zeros(config.region_bytes(), np.uint8)
    library().ls_native_region_init(memory.ctypes.data, packed.ctypes.data)
    return read_head(memory, source="test")


def trace_of(
    cores: list[tuple[int, ...]], controllers: list[tuple[int, ...]] | None, **changes: object
) -> Trace:
    found = head(1 if controllers is None else 2, **changes)
    arrays = [np.array(cores, layout("ls_core_task"))]
    if controllers is not None:
        arrays.append(np.array(controllers, layout("ls_controller_task")))
    lanes = found.lanes.copy()
    lanes["recorded"] = [len(array) for array in arrays]
    gathered = Gathered(tuple(arrays), np.empty(0, layout("ls_buffer")), np.empty(0, np.int64))
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


def test_a_ledger_that_does_not_close_is_seen() -> None:
    """More records arrived than the device says it made."""
    found = head(1)
    array = np.array([(1, 2, 0, 0, 0), (2, 3, 1, 1, 0)], layout("ls_core_task"))
    lanes = found.lanes.copy()
    lanes["recorded"] = 1
    gathered = Gathered((array,), np.empty(0, layout("ls_buffer")), np.empty(0, np.int64))
    trace = assemble(CaptureContents(found, gathered, LaneCounts(lanes)))
    assert [entry.closes for entry in trace.meta.ledger] == [False]
