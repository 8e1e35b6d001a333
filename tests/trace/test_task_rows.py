"""Task rows: what is wrong with a row is a flag, and whole records are counted per core."""

from __future__ import annotations

import numpy as np

from lanescope.trace import MISSING
from lanescope.trace.join import TaskKey, join
from lanescope.trace.schema import TaskFlag
from lanescope.trace.task_rows import (
    CONTROLLER_TASK,
    CORE_TASK,
    TIMES,
    TaskRows,
    precedes,
    task_flags,
    whole_records,
)

BOTH = (CORE_TASK, CONTROLLER_TASK)


def times(*rows: tuple[int, int, int, int, int]) -> dict[str, np.ndarray]:
    return dict(zip(TIMES, np.array(rows, np.int64).T, strict=True))


def flags(*rows: tuple[int, int, int, int, int], due: tuple[str, ...] = BOTH) -> list[int]:
    found: list[int] = task_flags(times(*rows), np.zeros(len(rows), bool), due).tolist()
    return found


def test_a_row_that_lacks_nothing_has_no_flag() -> None:
    assert flags((1, 2, 3, 4, 5), (3, MISSING, 3, 3, 3)) == [0, 0]


def test_a_row_without_one_of_a_records_times_lacks_the_record() -> None:
    assert flags(
        (1, 2, MISSING, 4, 5), (1, 2, 3, MISSING, 5), (MISSING, 2, 3, 4, 5), (1, 2, 3, 4, MISSING)
    ) == [
        TaskFlag.NO_CORE_RECORD,
        TaskFlag.NO_CORE_RECORD,
        TaskFlag.NO_CONTROLLER_RECORD,
        TaskFlag.NO_CONTROLLER_RECORD,
    ]


def test_a_record_that_is_not_due_is_not_missed() -> None:
    assert flags((MISSING, MISSING, 3, 4, MISSING), due=(CORE_TASK,)) == [0]


def test_an_end_before_its_start_is_flagged_on_both_sides() -> None:
    assert flags((1, 2, 4, 3, 5), (5, 2, 3, 4, 1)) == [TaskFlag.BACKWARDS, TaskFlag.BACKWARDS]


def test_an_end_before_its_start_is_flagged_also_where_the_record_is_not_due() -> None:
    assert flags((5, 2, 3, 4, 1), due=(CORE_TASK,)) == [TaskFlag.BACKWARDS]


def test_flags_add_up_and_are_32_bits_wide() -> None:
    found = task_flags(times((5, MISSING, MISSING, 4, 1)), np.array([True]), BOTH)
    assert found.tolist() == [
        TaskFlag.DUPLICATE_TOKEN | TaskFlag.NO_CORE_RECORD | TaskFlag.BACKWARDS
    ]
    assert found.dtype == np.int32


def test_whole_records_are_counted_per_core_and_stream() -> None:
    cores = TaskKey(np.array([0, 0, 2]), np.array([1, 2, 1]))
    controllers = TaskKey(np.array([0, 2, 2]), np.array([1, 1, 9]))
    joined = join(cores, controllers)  # rows (0, 1), (0, 2), (2, 1), (2, 9)
    counts = whole_records(joined, np.array([0, 2, 0, 0]), cores=4)
    assert {kind: count.tolist() for kind, count in counts.items()} == {
        CORE_TASK: [1, 0, 1, 0],
        CONTROLLER_TASK: [1, 0, 2, 0],
    }


def test_of_streams_with_the_same_keys_only_good_rows_are_counted() -> None:
    keys = TaskKey(np.array([0, 0, 2]), np.array([1, 2, 1]))
    for flags, counts in (([0, 0, 0], [2, 0, 1]), ([0, 2, 0], [1, 0, 1])):
        found = whole_records(join(keys, keys), np.array(flags), cores=3)
        assert [found[kind].tolist() for kind in BOTH] == [counts, counts]


def test_rows_that_run_backwards_are_not_usable() -> None:
    column = np.zeros(3, np.int64)
    wrong = [0, TaskFlag.BACKWARDS | TaskFlag.DUPLICATE_TOKEN, TaskFlag.NO_CORE_RECORD]
    rows = TaskRows(TaskKey(column, column), column, column, np.array(wrong), {}, {})
    assert rows.usable.tolist() == [True, False, True]


def test_an_unknown_time_precedes_nothing() -> None:
    first, second = np.array([1, 2, MISSING, 1]), np.array([2, 2, 5, MISSING])
    assert precedes(first, second).tolist() == [True, False, False, False]


def test_flags_of_tasks_are_bits_that_stay_as_they_are() -> None:
    """They are stored in traces: a bit keeps its meaning."""
    assert {flag.name: flag.value for flag in TaskFlag} == {
        "NO_CORE_RECORD": 1,
        "NO_CONTROLLER_RECORD": 2,
        "DUPLICATE_TOKEN": 4,
        "BACKWARDS": 8,
        "MIX": 16,
        "FUNCTION_AMBIGUOUS": 32,
        "EARLY_DISPATCH": 64,
        "MANUAL_SCOPE": 128,
        "TOGETHER": 256,
        "AWAITS_ENGINE": 512,
        "WILD_TIME": 1024,
    }
