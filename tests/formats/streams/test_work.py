"""Rows of devices in the order of the table of tasks."""

from __future__ import annotations

import numpy as np

from lanescope.formats.streams import DeviceRows, StreamRecording
from lanescope.formats.streams.work import placed
from lanescope.trace import MISSING
from lanescope.trace.schema import TaskFlag


def array(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def rows() -> DeviceRows:
    return DeviceRows(
        lane=array(1, 0, 0, 1, 0),
        name=array(0, 1, 0, 0, 1),
        names=["a", "b"],
        work=array(4, -1, 2, 0, 0),
        start=array(50, 30, 20, 40, 20),
        end=array(60, 35, 28, 45, 25),
    )


def test_rows_lie_by_lane_start_and_the_shortest_first() -> None:
    work = placed(StreamRecording(work=rows()), 10, np.zeros(5, bool))
    assert work.order.tolist() == [4, 2, 1, 3, 0]
    assert (work.lane.tolist(), work.token.tolist()) == ([0, 0, 0, 1, 1], [0, 1, 2, 0, 1])
    assert work.start.tolist() == [10, 10, 20, 30, 40]
    assert work.end.tolist() == [15, 18, 25, 35, 50]
    assert work.flags.tolist() == [0] * 5
    assert work.task_of(array(0, 4, 2)).tolist() == [4, 0, 1]


def test_a_function_is_a_name_and_its_work_by_first_use() -> None:
    work = placed(StreamRecording(work=rows()), 0, np.zeros(5, bool))
    assert work.functions == [
        ("b", "compute"),
        ("a", "copy"),
        ("b", ""),
        ("a", "compute"),
        ("a", "wait"),
    ]
    assert work.func.tolist() == [0, 1, 2, 3, 4]


def test_rows_whose_work_is_not_told_are_functions_of_no_work() -> None:
    given = rows()
    given.work = None
    work = placed(StreamRecording(work=given), 0, np.zeros(5, bool))
    assert work.functions == [("b", ""), ("a", "")]
    assert work.func.tolist() == [0, 1, 0, 1, 1]


def test_a_backward_row_loses_its_times_and_is_flagged() -> None:
    work = placed(StreamRecording(work=rows()), 10, np.arange(5) == 2)
    wrong = int(TaskFlag.BACKWARDS | TaskFlag.NO_CORE_RECORD)
    assert work.start.tolist() == [10, MISSING, 20, 30, 40]
    assert work.end.tolist() == [15, MISSING, 25, 35, 50]
    assert work.flags.tolist() == [0, wrong, 0, 0, 0]
