"""Streams and threads by the ids that name machine, process and thread."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.formats.nsys.files import GPID, OTHER, columns, tables

from lanescope.formats.nsys.lanes import (
    LaunchKeys,
    NsysStreams,
    NsysThreads,
    process_number,
    process_of,
    process_ranks,
)
from lanescope.formats.streams import DeviceLane, HostThread
from lanescope.trace import MISSING


def streams(*keys: tuple[int, int, int, int], ranks: dict[int, int] | None = None) -> NsysStreams:
    names = ("globalPid", "deviceId", "contextId", "streamId")
    values = zip(*keys, strict=True)
    part = columns(**{name: list(row) for name, row in zip(names, values, strict=True)})
    return NsysStreams.of([part], ranks or {})


def test_a_global_id_holds_24_bits_of_process_and_thread() -> None:
    largest = (1 << 24) - 1
    assert process_number((7 << 48) | (largest << 24) | 5) == largest
    assert process_number((7 << 48) | (1 << 24) | largest) == 1
    ids = np.array([GPID, GPID + 5, GPID + largest, MISSING])
    assert process_of(ids).tolist() == [GPID, GPID, GPID, MISSING]


def test_a_launch_is_a_process_and_a_correlation_above_0_that_fits() -> None:
    keys = LaunchKeys.of(np.array([OTHER, GPID]), np.array([GPID]))
    process = np.array([GPID, OTHER, GPID, GPID, GPID, GPID, OTHER])
    correlation = np.array([1, 1, 0, -1, MISSING, 1 << 40, (1 << 40) - 1])
    none = [MISSING] * 4
    assert keys.number(process, correlation).tolist() == [1, (1 << 40) + 1, *none, (1 << 41) - 1]


def test_streams_are_called_by_their_number_alone_where_that_tells_them_apart() -> None:
    found = streams((GPID, 2, 1, 8), (GPID, 2, 1, 7), (GPID, 2, 1, 8), ranks={GPID: 5})
    assert found.lanes == [
        DeviceLane(name="stream 7", device=2, queue=7, process=111, rank=5),
        DeviceLane(name="stream 8", device=2, queue=8, process=111, rank=5),
    ]


def test_device_process_and_context_tell_streams_apart() -> None:
    found = streams((GPID, 0, 1, 7), (GPID, 1, 1, 7), (GPID, 1, 1, 8), (OTHER, 1, 1, 8))
    assert [lane.name for lane in found.lanes] == [
        "device 0 stream 7",
        "device 1 stream 7",
        "process 111 device 1 stream 8",
        "process 222 device 1 stream 8",
    ]
    found = streams((GPID, 0, 1, 7), (GPID, 0, 2, 7), (GPID, 0, 3, 9))
    assert [lane.name for lane in found.lanes] == [
        "stream 7 context 1",
        "stream 7 context 2",
        "stream 9",
    ]
    found = streams((GPID, 0, 1, 7), (GPID, 0, 2, 7), (OTHER, 0, 1, 7))
    assert [lane.name for lane in found.lanes] == [
        "process 111 stream 7 context 1",
        "process 111 stream 7 context 2",
        "process 222 stream 7",
    ]


def test_what_is_not_told_of_a_stream_is_not_known() -> None:
    [lane] = streams((MISSING, MISSING, 1, MISSING), ranks={GPID: 5}).lanes
    assert lane == DeviceLane(name="unknown stream")
    found = streams((MISSING, 0, 1, 7), (MISSING, 0, MISSING, 7), (GPID, 0, 1, 7), (GPID, 1, 1, 7))
    assert {lane.name for lane in found.lanes} == {
        "unknown process device 0 stream 7 context 1",
        "unknown process device 0 stream 7 unknown context",
        "process 111 device 0 stream 7",
        "device 1 stream 7",
    }
    found = streams((GPID, MISSING, 1, 7), (GPID, 0, 1, 7))
    assert [lane.name for lane in found.lanes] == ["unknown device stream 7", "device 0 stream 7"]


def test_rows_lie_on_the_stream_of_all_four_numbers() -> None:
    found = streams((GPID, 1, 1, 7), (GPID, 0, 1, 7), (GPID, 0, 1, 9))
    part = columns(globalPid=[GPID] * 3, deviceId=[0, 1, 0], contextId=[1] * 3, streamId=[9, 7, 7])
    assert found.place(part).tolist() == [1, 2, 0]


def test_a_wait_is_on_the_stream_of_its_context_whatever_its_device() -> None:
    found = streams((GPID, 1, 1, 7), (GPID, 0, 2, 7), (OTHER, 0, 1, 7))
    part = columns(
        globalPid=[GPID, GPID, OTHER, OTHER, GPID],
        deviceId=[0, 0, 0, 0, 0],
        contextId=[1, 2, 1, 2, 1],
        streamId=[7, 7, 7, 7, 8],
    )
    assert found.waiting(part).tolist() == [1, 0, 2, -1, -1]
    assert found.waiting(columns(globalPid=[], contextId=[], streamId=[])).tolist() == []


def test_threads_have_their_names_and_those_of_several_processes_say_which(
    tmp_path: Path,
) -> None:
    export = tables(
        tmp_path,
        ThreadNames=[
            {"nameId": 9, "globalTid": GPID + 5},
            {"nameId": 8, "globalTid": GPID + 6},
            {"nameId": 7, "globalTid": OTHER + 1},
        ],
    )
    strings = {9: "python3", 7: "x" * 257}
    ids = [np.array([GPID + 6, GPID + 5]), np.array([GPID + 5])]
    found = NsysThreads.of(ids, export, strings, {GPID: 3})
    assert found.threads == [HostThread(name="python3 5", rank=3), HostThread(name="6", rank=3)]
    assert found.place(np.array([GPID + 6, GPID + 5])).tolist() == [1, 0]
    more = NsysThreads.of([*ids, np.array([OTHER + 1, MISSING])], export, strings, {GPID: 3})
    assert more.threads == [
        HostThread(name="unknown thread"),
        HostThread(name="process 111 python3 5", rank=3),
        HostThread(name="process 111 6", rank=3),
        HostThread(name=f"process 222 {'x' * 256} 1"),
    ]


@pytest.mark.parametrize(
    ("rank", "known"),
    [(0, True), ((1 << 31) - 1, True), (1 << 31, False), (-1, False)],
)
def test_a_rank_is_a_number_of_31_bits(tmp_path: Path, rank: int, known: bool) -> None:
    export = tables(tmp_path, MPI_RANKS=[{"globalTid": GPID + 9, "rank": rank}])
    assert process_ranks(export) == ({GPID: rank} if known else {})


def test_without_mpi_no_process_has_a_rank(tmp_path: Path) -> None:
    assert process_ranks(tables(tmp_path)) == {}
