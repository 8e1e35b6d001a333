"""The work of streams: their order, devices, names, and the calls that launched it."""

from __future__ import annotations

from tests.analyze.hand import make_trace
from tests.analyze.streams.made import NAMES, did, of_streams, ran

from lanescope.analyze.streams.work import DeviceName, device_work
from lanescope.trace import MISSING, MISSING32


def test_a_row_has_the_innermost_call_of_its_launch() -> None:
    work = device_work(
        of_streams(
            [
                ran(0, "gemm", 100, 200, 7),
                ran(0, "gemm", 200, 300),
                ran(0, "gemm", 300, 400, 9),
                ran(0, "gemm", 400, 500, 0),
            ],
            [
                did("cudaLaunchKernel", 10, 50, 7),
                did("cuLaunchKernel", 20, 40, 7),
                did("mm", 0, 60),
                did("cudaLaunchKernel", 60, 70, 0, controller=1),
            ],
        )
    )
    assert work.call.tolist() == [1, -1, -1, 3]
    assert work.launched.tolist() == [True, False, False, True]
    assert work.call_start.tolist() == [20, MISSING, MISSING, 60]
    assert work.call_end.tolist() == [40, MISSING, MISSING, 70]
    assert work.thread.tolist() == [0, MISSING32, MISSING32, 1]


def test_rows_stand_by_stream_start_and_end() -> None:
    work = device_work(
        of_streams(
            [
                ran(2, "copy", 0, 10),
                ran(1, "stand", 40, 60),
                ran(0, "gemm", 50, 90),
                ran(1, "odd", 40, 50),
                ran(0, "reduce", 20, 30),
            ]
        )
    )
    assert len(work) == 5
    assert work.row.tolist() == [4, 2, 3, 1, 0]
    assert work.devices == (DeviceName(None, 0), DeviceName(None, 1))
    assert work.lane.tolist() == [0, 0, 1, 1, 2]
    assert work.device.tolist() == [0, 0, 0, 0, 1]
    assert [(one.core, one.name, one.device, one.first, one.last) for one in work.lanes] == [
        (0, "s0", 0, 0, 2),
        (1, "s1", 0, 2, 4),
        (2, "s2", 1, 4, 5),
    ]
    assert [part for _, part in work.slices()] == [slice(0, 2), slice(2, 4), slice(4, 5)]
    assert [NAMES[one] for one in work.func.tolist()] == ["reduce", "gemm", "odd", "stand", "copy"]
    assert work.busy.tolist() == [True, True, True, False, True]


def test_a_stream_that_no_table_describes_is_of_no_device() -> None:
    task = {"task": 0, "token": 0, "core": 7, "kind": "run", "start_ns": 0, "end_ns": 5}
    work = device_work(make_trace(tasks=[task]))
    assert work.devices == (DeviceName(None, None),)
    assert [(one.core, one.name) for one in work.lanes] == [(7, "core 7")]
