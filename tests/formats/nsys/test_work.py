"""Kernels, copies, fills and graphs: what they are called, and what is counted of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.formats.nsys.files import FAR, GPID, LONG, NONE, Row, kernel, tables

from lanescope.errors import InputError
from lanescope.formats.nsys.lanes import LaunchKeys, NsysStreams
from lanescope.formats.nsys.work import NsysWork, device_rows
from lanescope.formats.streams import DeviceRows
from lanescope.formats.streams.recording import WORK

STRINGS = {1: "void k1<float>(int)", 2: "k1", 3: "ncclDevKernel_AllReduce", 4: "", 5: "_Z2k1"}
PLACE = {"deviceId": 0, "contextId": 1, "streamId": 7, "globalPid": GPID, "correlationId": 9}
MEMORY = [{"id": 1, "label": "Pinned"}, {"id": 2, "label": "Device"}, {"id": 3, "label": None}]


def device(folder: Path, **export: list[Row]) -> DeviceRows:
    found = tables(folder, **export)
    work = NsysWork.of(found)
    streams = NsysStreams.of(list(work.parts.values()), {})
    return device_rows(found, work, streams, LaunchKeys.of(*work.processes), STRINGS)


def named(rows: DeviceRows) -> list[tuple[Any, ...]]:
    assert rows.work is not None
    kinds = ["" if code < 0 else WORK[code] for code in rows.work.tolist()]
    return [*zip([rows.names[code] for code in rows.name.tolist()], kinds, strict=True)]


def test_a_kernel_has_the_best_of_its_names(tmp_path: Path) -> None:
    names = ("demangledName", "shortName", "mangledName")
    given = [(1, 2, 5), (None, 2, 5), (None, None, 5), (4, 2, 5), (77, 2, 5), (None, None, None)]
    rows = [
        {**kernel(k, k + 1, k), **dict(zip(names, one, strict=True))}
        for k, one in enumerate(given, 1)
    ]
    assert [name for name, _ in named(device(tmp_path, CUPTI_ACTIVITY_KIND_KERNEL=rows))] == [
        *("void k1<float>(int)", "k1", "_Z2k1", "k1", "k1", "(no name)"),
    ]


def test_the_name_of_a_kernel_says_that_it_communicates(tmp_path: Path) -> None:
    rows = [kernel(1, 2, 1, demangledName=3), kernel(2, 3, 2)]
    assert named(device(tmp_path, CUPTI_ACTIVITY_KIND_KERNEL=rows)) == [
        ("ncclDevKernel_AllReduce", "communication"),
        ("void k1<float>(int)", "compute"),
    ]


def test_a_copy_is_called_by_its_kind_and_memories(tmp_path: Path) -> None:
    """What CUPTI calls a kind is known; other kinds have the label that the file gives."""
    kinds = {1: "HtoD", 2: "DtoH", 8: "DtoD", 10: "PtoP", 5: "AtoH", 99: "of an unknown kind"}
    copies = [
        {"start": k, "end": k + 1, **PLACE, "copyKind": kind, "srcKind": 1, "dstKind": 2}
        for k, kind in enumerate(kinds)
    ]
    odd = {"start": 50, "end": 51, **PLACE, "copyKind": 1, "srcKind": 3, "dstKind": 9}
    found = device(
        tmp_path,
        CUPTI_ACTIVITY_KIND_MEMCPY=[*copies, odd],
        ENUM_CUDA_MEM_KIND=MEMORY,
        ENUM_CUDA_MEMCPY_OPER=[{"id": 1, "label": "Host-to-Device"}, {"id": 5, "label": "AtoH"}],
    )
    assert named(found) == [
        *((f"Memcpy {kind} (Pinned -> Device)", "copy") for kind in kinds.values()),
        ("Memcpy HtoD (unknown -> unknown)", "copy"),
    ]


def test_a_fill_is_called_by_its_memory_and_a_graph_by_its_number(tmp_path: Path) -> None:
    found = device(
        tmp_path,
        CUPTI_ACTIVITY_KIND_GRAPH_TRACE=[
            {"start": 5, "end": 6, **PLACE, "graphId": 0},
            {"start": 7, "end": 8, **PLACE, "graphId": None},
        ],
        CUPTI_ACTIVITY_KIND_MEMSET=[
            {"start": 1, "end": 2, **PLACE, "memKind": 2},
            {"start": 3, "end": 4, **PLACE, "memKind": 7},
        ],
        ENUM_CUDA_MEM_KIND=MEMORY,
    )
    assert named(found) == [
        ("Memset (Device)", "fill"),
        ("Memset (unknown)", "fill"),
        ("graph 0", ""),
        ("graph", ""),
    ]


def test_rows_of_all_tables_come_one_after_the_other(tmp_path: Path) -> None:
    found = device(
        tmp_path,
        CUPTI_ACTIVITY_KIND_MEMSET=[{"start": 1, "end": 2, **PLACE, "streamId": 9, "bytes": 3}],
        CUPTI_ACTIVITY_KIND_KERNEL=[
            kernel(5, 8, 4, gridX=4, gridY=2, gridZ=3, blockX=8, blockY=2, blockZ=1),
            kernel(3, 4, 0, gridX=4, gridY=None, gridZ=3),
        ],
    )
    assert found.lane.tolist() == [0, 0, 1]
    assert (found.start.tolist(), found.end.tolist()) == ([5, 3, 1], [8, 4, 2])
    assert found.launch is not None
    assert found.launch[[0, 2]].tolist() == [4, 9]
    nan = float("nan")
    want = {"bytes": [nan, nan, 3], "blocks": [24, nan, nan], "threads": [16, nan, nan]}
    assert list(found.values) == list(want)
    for name, values in want.items():
        assert np.array_equal(found.values[name], values, equal_nan=True)


def test_numbers_below_what_they_can_be_are_no_counters(tmp_path: Path) -> None:
    memory = {"staticSharedMemory": 100, "dynamicSharedMemory": 20}
    some = kernel(1, 2, 3, registersPerThread=0, graphNodeId=1, **memory)
    none = kernel(3, 4, 5, registersPerThread=-1, graphNodeId=0, **memory)
    found = device(tmp_path, CUPTI_ACTIVITY_KIND_KERNEL=[some, none]).values
    nan = float("nan")
    want = {"registers": [0, nan], "shared memory": [120, 120], "graph node": [1, nan]}
    assert list(found) == list(want)
    for name, values in want.items():
        assert np.array_equal(found[name], values, equal_nan=True)


def test_an_export_without_work_has_no_rows(tmp_path: Path) -> None:
    found = device(tmp_path)
    assert (named(found), found.lane.tolist(), dict(found.values)) == ([], [], {})


@pytest.mark.parametrize(
    "table",
    [f"CUPTI_ACTIVITY_KIND_{what}" for what in ("KERNEL", "MEMCPY", "MEMSET", "GRAPH_TRACE")],
)
@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ({"start": 1}, "has no column 'end'; it has start; export it again with a newer version"),
        ({"start": None, "end": 1}, f"row 0, 'start': a whole number was expected{NONE}"),
        ({"start": 1 << 61, "end": 1}, f"row 0, 'start': {FAR}: {1 << 61}{LONG}"),
        ({"start": 1, "end": -(1 << 61)}, f"row 0, 'end': {FAR}: {-(1 << 61)}{LONG}"),
    ],
)
def test_rows_without_times_are_refused(
    tmp_path: Path, table: str, row: Row, sentence: str
) -> None:
    with pytest.raises(InputError) as refused:
        NsysWork.of(tables(tmp_path, **{table: [row]}))
    assert str(refused.value) == f"{tmp_path}: table {table} {sentence}"
