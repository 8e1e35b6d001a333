"""The table of kernels beside a timeline: which row is which task."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from lanescope.formats.ascend.kernel_join import _nearest, add_kernels
from lanescope.formats.ascend.kernels import KernelTable
from lanescope.formats.ascend.names import COMMUNICATION, COMPUTE, COPY
from lanescope.formats.ascend.source import RankSource
from lanescope.formats.streams import CollectiveRows, DeviceLane, DeviceRows, StreamRecording
from lanescope.trace import MISSING


def array(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def test_a_row_is_the_nearest_task_within_500_ns() -> None:
    start, times = array(9000, 1000, 5000), array(1500, 1501, 500, 499, 8999, 3000, 9001, 0)
    none = np.full(3, MISSING)
    found = _nearest(start, times, none, np.full(8, MISSING))
    assert found.tolist() == [1, -1, 1, -1, 0, -1, 0, -1]
    between = _nearest(array(1000, 1400), array(1150, 1250), none[:2], none[:2])
    assert between.tolist() == [0, 1]


def test_a_row_is_a_task_of_its_own_number() -> None:
    start, tasks = array(1000, 1010, 1000), array(7, 8, 9)
    found = _nearest(start, array(1010, 1000, 1000, 1400), tasks, array(7, 8, 6, 9))
    assert found.tolist() == [0, 1, -1, 2]
    numbered = _nearest(start, array(1010), tasks, array(MISSING))
    assert numbered.tolist() == [1]


def test_without_tasks_or_rows_none_is_found() -> None:
    assert _nearest(array(), array(5, 6), array(), array(1, 2)).tolist() == [-1, -1]
    assert _nearest(array(5), array(), array(1), array()).tolist() == []


def table(**changes: Any) -> KernelTable:
    """Two kernels of stream 5, one of stream 6, and an operation among ranks twice."""
    columns: dict[str, Any] = {
        "path": Path("k.csv"),
        "step": np.full(5, MISSING),
        "device": np.full(5, MISSING),
        "stream": array(5, 5, 6, MISSING, MISSING),
        "task": np.full(5, MISSING),
        "name": array(0, 1, 0, 2, 2),
        "names": ["Add", "Mul", "hcom_send__1_2@full"],
        "type": np.full(5, -1),
        "types": [],
        "accelerator": np.full(5, -1),
        "accelerators": [],
        "start": array(2100, 1100, 1100, 0, 0),
        "end": array(2200, 1200, 1200, 0, 0),
        "work": array(COPY, -1, COMPUTE, COMMUNICATION, COMMUNICATION),
        "values": {"cores used": np.array([1.0, 2, 3, 4, 5])},
    }
    return KernelTable(**{**columns, **changes})


def source(operations: list[str]) -> RankSource:
    return RankSource(
        StreamRecording(
            lanes=[
                DeviceLane(name="stream 6", queue=6),
                DeviceLane(name="group", lane="communicator", queue=5),
                DeviceLane(name="stream 5", queue=5),
                DeviceLane(name="no number"),
            ],
            work=DeviceRows(
                lane=array(2, 2, 1, 3),
                name=array(0, 0, 0, 0),
                names=["x"],
                work=array(-1, -1, -1, -1),
                start=array(1000, 2000, 1100, 1100),
                end=array(1100, 2100, 1200, 1200),
                values={"bytes": np.array([7.0, np.nan, np.nan, np.nan])},
            ),
            collectives=CollectiveRows(row=array(2), group=["1"], kind=["send"]),
        ),
        operations,
        np.full(4, MISSING),
    )


def test_rows_of_the_table_complete_tasks_of_their_stream() -> None:
    """The operation is in the table twice, so its name does not tell which row is meant."""
    given = source(["hcom_send__1_2"])
    assert add_kernels(given, table()) == 2
    work = given.recording.work
    assert work.work is not None
    assert work.work.tolist() == [-1, COPY, -1, -1]
    assert list(work.values) == ["bytes", "cores used"]
    nan = np.nan
    assert np.array_equal(work.values["cores used"], [2, 1, nan, nan], equal_nan=True)
    assert np.array_equal(work.values["bytes"], [7, nan, nan, nan], equal_nan=True)


def test_an_operation_without_a_stream_is_found_by_its_name() -> None:
    given = source(["hcom_send__1_2"])
    assert add_kernels(given, table(work=array(COPY, -1, COMMUNICATION, COMMUNICATION, -1))) == 3
    work = given.recording.work
    assert work.work is not None
    assert work.work.tolist() == [-1, COPY, COMMUNICATION, -1]
    assert np.array_equal(work.values["cores used"], [2, 1, 4, np.nan], equal_nan=True)
    other = source(["hcom_send__1_3"])
    assert add_kernels(other, table(work=array(COPY, -1, COMMUNICATION, COMMUNICATION, -1))) == 2


def test_an_operation_that_ran_twice_is_not_found_by_its_name() -> None:
    given = source(["hcom_send__1_2"] * 2)
    given.recording.collectives.row = array(2, 3)
    assert add_kernels(given, table(work=array(COPY, -1, COMMUNICATION, COMMUNICATION, -1))) == 2


def test_work_that_is_not_told_stays_so() -> None:
    given = source(["hcom_send__1_2"])
    given.recording.work.work = None
    assert add_kernels(given, table()) == 2
    assert given.recording.work.work is None
