"""What the lanes of a timeline are, by the names of their processes and threads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.formats.ascend.timelines import bar, events

from lanescope.formats.ascend.processes import processes
from lanescope.formats.streams import DeviceLane, HostThread


def told(what: str, pid: Any, text: str, tid: Any = 0) -> dict[str, Any]:
    key = "labels" if what == "process_labels" else "name"
    return {"ph": "M", "name": what, "pid": pid, "tid": tid, "args": {key: text}}


def test_lanes_are_told_apart_by_their_processes(tmp_path: Path) -> None:
    given = events(
        tmp_path,
        *(bar(pid, tid) for pid, tid in ((1, 0), (2, 7), (3, 7), (3, 8), (4, 9), (5, 0), (5, 1))),
        *(bar(pid, tid) for pid, tid in ((6, 0), (7, 3), (8, 4), (1, "x"), (9, 9))),
        told("process_name", 1, "Ascend Hardware"),
        told("thread_name", 1, "Stream 12", 0),
        told("process_name", 2, "Python"),
        told("process_name", 3, "CANN"),
        told("thread_name", 2, "main thread", 7),
        told("process_name", 4, "Overlap Analysis"),
        told("process_name", 5, "HCCL"),
        told("thread_name", 5, "Plane 1", 1),
        told("thread_name", 5, "Group 3", 0),
        told("process_name", 6, "Communication"),
        told("process_name", 7, "Other"),
        told("process_labels", 7, "CPU"),
        told("process_labels", 8, "NPU"),
        told("process_name", 10, "Ascend Hardware unused"),
        told("process_name", 9, "My Ascend Hardware"),
        told("process_labels", 9, "CPU"),
    )
    found = processes(given)
    lanes = {pair: k for k, pair in enumerate(given.lanes)}

    def at(column: Any) -> dict[Any, int]:
        return {pair: int(column[k]) for pair, k in lanes.items() if column[k] >= 0}

    assert {pair: found.lanes[k] for pair, k in at(found.device).items()} == {
        (1, 0): DeviceLane(name="stream 12 of 1", queue=12),
        (1, "x"): DeviceLane(name="Ascend Hardware x", lane="track"),
        (5, 0): DeviceLane(name="Group 3", lane="communicator"),
        (5, 1): DeviceLane(name="Plane 1", lane="communicator"),
        (6, 0): DeviceLane(name="0", lane="communicator"),
        (8, 4): DeviceLane(name="4", lane="track"),
        (9, 9): DeviceLane(name="My Ascend Hardware 9", lane="track"),
    }
    assert {pair: found.threads[k] for pair, k in at(found.host).items()} == {
        (2, 7): HostThread(name="main thread"),
        (3, 7): HostThread(name="main thread"),
        (3, 8): HostThread(name="8"),
        (7, 3): HostThread(name="3"),
    }
    assert at(found.derived) == {(4, 9): 1}
    ones = {pair for pair, value in at(found.plane).items() if value == 1}
    assert ones == {(5, 1)}
    assert {pair for pair, value in at(found.group).items() if value == 1} == {(5, 0), (6, 0)}


def test_one_device_is_not_named(tmp_path: Path) -> None:
    given = events(tmp_path, bar(1, 5), told("process_name", 1, "Ascend Hardware"))
    assert processes(given).lanes == [DeviceLane(name="stream 5", queue=5)]


def test_a_lane_without_a_slice_is_none(tmp_path: Path) -> None:
    given = events(tmp_path, {**bar(1, 5), "ph": "i"}, told("process_name", 1, "Python"))
    found = processes(given)
    assert (found.lanes, found.threads, found.host.tolist()) == ([], [], [-1, -1])
