"""What the importer joins of an export's tables, and what it says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.formats.nsys.files import GPID, SMALL, Row, call, kernel, nvtx, write_sqlite

from lanescope.formats import import_trace
from lanescope.trace import MISSING, Trace


def load(folder: Path, **tables: list[Row]) -> Trace:
    return import_trace(write_sqlite(folder / "run.sqlite", {**SMALL, **tables}))


def test_a_kernel_has_the_operator_around_the_call_that_launched_it(tmp_path: Path) -> None:
    """The second call has none around it, the third kernel no call."""
    trace = load(
        tmp_path,
        CUPTI_ACTIVITY_KIND_KERNEL=[
            kernel(300, 310, 12),
            kernel(320, 330, 11),
            kernel(340, 350, 77),
            kernel(360, 370, 0),
            kernel(380, 390, 13),
        ],
        CUPTI_ACTIVITY_KIND_RUNTIME=[call(20, 25, 13), call(5, 6, 11), call(60, 61, 12)],
        NVTX_EVENTS=[nvtx(1, 9, text="a, op_id = 7"), nvtx(15, 30, text="b, op_id = 3")],
    )
    assert trace.tasks["op"].tolist() == [MISSING, 1, MISSING, MISSING, 0]


def test_without_operators_no_kernel_has_one(tmp_path: Path) -> None:
    assert load(tmp_path).tasks["op"].tolist() == [MISSING, MISSING]


def test_kernels_that_communicate_are_collectives_of_no_known_group(tmp_path: Path) -> None:
    names = [
        *SMALL["StringIds"],
        {"id": 20, "value": "ncclDevKernel_SendRecv(x)"},
        {"id": 21, "value": None},
    ]
    trace = load(
        tmp_path,
        StringIds=names,
        CUPTI_ACTIVITY_KIND_KERNEL=[
            kernel(10, 20, 1, demangledName=3),
            kernel(30, 40, 2),
            kernel(50, 60, 3, demangledName=20),
            kernel(70, 80, 4, demangledName=21, shortName=None),
        ],
    )
    assert trace.text("collectives", "kind") == ["all_reduce", "send_recv"]
    assert trace.collectives["task"].tolist() == [0, 2]
    assert trace.text("collectives", "group") == [
        "stream 7: ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)",
        "stream 7: ncclDevKernel_SendRecv(x)",
    ]
    functions = trace.text("functions", "name")
    assert functions[int(trace.tasks["func"][3])] == "(no name)"


PLACE = {"deviceId": 0, "contextId": 1, "streamId": 7, "globalPid": GPID}


@pytest.mark.parametrize(
    ("tables", "notes"),
    [
        ({}, ()),
        (
            {"NVTX_EVENTS": [nvtx(76, None, text="a"), nvtx(77, None, text="b")]},
            ("Without an end, drawn to the last row: 2 NVTX ranges.",),
        ),
        (
            {"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION": [{"start": 1, "end": 2, "syncType": 99}]},
            ("Left out: 1 wait of unknown kind.",),
        ),
        (
            {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE": [{"start": 1, "end": 2, **PLACE}]},
            (
                "A whole CUDA graph is one row, 1 time; record with "
                "--cuda-graph-trace=node to see the kernels.",
            ),
        ),
        (
            {"TARGET_INFO_SESSION_START_TIME": [{"utcEpochNs": 9, "systemClockNs": 1_250_000_000}]},
            (
                "The UTC may be 1.2 s too late: it is not documented whether times count "
                "from the start of the session or from the machine's own clock.",
            ),
        ),
        ({"TARGET_INFO_SESSION_START_TIME": [{"utcEpochNs": 9, "systemClockNs": 0}]}, ()),
    ],
)
def test_what_is_left_out_or_in_doubt_is_said(
    tmp_path: Path, tables: dict[str, Any], notes: tuple[str, ...]
) -> None:
    assert load(tmp_path, **tables).meta.notes == notes
