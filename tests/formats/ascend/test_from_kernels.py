"""A table of kernels by itself: lanes, types as functions, steps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from lanescope.formats.ascend.from_kernels import functions, kernels_source, steps
from lanescope.formats.ascend.kernels import KernelTable
from lanescope.formats.ascend.names import COMMUNICATION, COMPUTE
from lanescope.formats.streams import DeviceLane
from lanescope.trace import MISSING


def array(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def table(**changes: Any) -> KernelTable:
    columns: dict[str, Any] = {
        "path": Path("k.csv"),
        "step": array(4, 3, MISSING, 4),
        "device": array(0, 0, 0, 0),
        "stream": array(7, MISSING, MISSING, 7),
        "task": np.full(4, MISSING),
        "name": array(0, 1, 2, 1),
        "names": ["Add1", "hcom_send__1_2", "Mul"],
        "type": array(0, -1, 1, -1),
        "types": ["Add", "Other"],
        "accelerator": np.full(4, -1),
        "accelerators": [],
        "start": array(100, 50, 10, 90),
        "end": array(110, 60, 20, 95),
        "work": array(COMPUTE, COMMUNICATION, COMPUTE, COMMUNICATION),
        "values": {},
    }
    return KernelTable(**{**columns, **changes})


def test_operations_without_a_stream_lie_on_the_lane_of_their_group() -> None:
    found = kernels_source(table()).recording
    assert found.lanes == [
        DeviceLane(name="no stream", lane="track", device=0),
        DeviceLane(name="stream 7", device=0, queue=7),
        DeviceLane(name="group 1", lane="communicator", device=0),
    ]
    assert found.work.lane.tolist() == [1, 2, 0, 1]
    assert found.facts == {"device": 0}
    assert found.utc_ns is None
    rows = found.collectives
    assert rows.sequence is not None
    assert (rows.row.tolist(), rows.group, rows.kind) == ([1, 3], ["1", "1"], ["send", "send"])
    assert rows.sequence.tolist() == [MISSING, MISSING]
    assert kernels_source(table()).operations == ["hcom_send__1_2"] * 2


def test_the_device_is_told_where_there_is_one() -> None:
    assert kernels_source(table(device=array(0, 1, 0, 0))).recording.facts == {}
    assert kernels_source(table(device=np.full(4, MISSING))).recording.facts == {}
    one = table(device=array(MISSING, 3, MISSING, 3))
    assert kernels_source(one).recording.facts == {"device": 3}


def test_times_from_2001_on_are_utc() -> None:
    start = 10**18 + array(1, 2, 3, 4)
    assert kernels_source(table(start=start, end=start)).recording.utc_ns == 0
    assert kernels_source(table(start=start - 1, end=start)).recording.utc_ns is None


def test_a_function_is_the_type_or_else_the_name() -> None:
    code, names = functions(table())
    assert [names[k] for k in code.tolist()] == ["Add", "hcom_send__1_2", "Other", "hcom_send__1_2"]


def test_a_step_is_from_its_first_to_its_last_kernel() -> None:
    found = steps(table())
    assert (found.step.tolist(), found.name) == ([3, 4], ["step 3", "step 4"])
    assert (found.start.tolist(), found.end.tolist()) == ([50, 90], [60, 110])
    assert found.thread.tolist() == [-1, -1]
    assert steps(table(step=np.full(4, MISSING))).step.tolist() == []
