"""What the lanes of a timeline are, by the names of their processes and threads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lanescope.errors import InputError
from lanescope.formats.ascend.processes import processes
from lanescope.formats.ascend.timeline import TimelineEvents, read_timeline
from lanescope.formats.streams import DeviceLane, HostThread
from lanescope.trace import MISSING


def events(folder: Path, *rows: dict[str, Any]) -> TimelineEvents:
    path = folder / "trace_view.json"
    path.write_text(json.dumps(list(rows)))
    return read_timeline(path)


def bar(pid: Any, tid: Any, **more: Any) -> dict[str, Any]:
    return {"ph": "X", "name": "a", "pid": pid, "tid": tid, "ts": "1", "dur": 1, **more}


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


def test_events_are_columns_with_what_each_lacks(tmp_path: Path) -> None:
    given = events(
        tmp_path,
        {"ph": "X", "ts": "1.0005", "dur": 1, "args": {"connection_id": -2, "Task Id": 4}},
        {"ph": "X", "ts": "1.0015", "dur": "0.001", "pid": 3, "cat": "c", "name": "n" * 1025},
        {"ph": "f", "id": "9", "tid": "t", "pid": 3, "args": {"size(Byte)": 8, "labels": "CPU"}},
    )
    assert given.phase.tolist() == ["X", "X", "f"]
    assert given.start.tolist() == [1000, 1002, MISSING]
    assert given.end.tolist()[:2] == [2000, 1002]
    assert [given.lanes[k] for k in given.lane.tolist()] == [(0, 0), (3, 0), (3, "t")]
    assert given.id.tolist() == [MISSING, MISSING, 9]
    assert given.words("name") == ["n" * 1024]
    assert given.columns["name"].tolist() == [-1, 0, -1]
    assert given.columns["cat"].tolist() == [-1, 0, -1]
    assert given.columns["args.labels"].tolist() == [-1, -1, 0]
    assert given.columns["Task Id"].tolist() == [4, MISSING, MISSING]
    assert given.columns["size(Byte)"].tolist() == [MISSING, MISSING, 8]
    assert given.columns["connection_id"].tolist() == [MISSING] * 3
    assert (given.rows("X").tolist(), given.rows("f").tolist()) == ([0, 1], [2])


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ({"ph": "X", "dur": 1}, "event 1, 'ts': a slice needs this time, found none"),
        ({"ph": "X", "ts": "1"}, "event 1, 'dur': a slice needs this time, found none"),
        ({"ph": "XX", "ts": "1", "dur": 1}, "an event has 'ph' 'XX', expected one letter"),
        (
            {"ph": "p" * 41, "ts": "1", "dur": 1},
            f"an event has 'ph' '{'p' * 40}', expected one letter",
        ),
        ({"ph": "", "ts": "1", "dur": 1}, "an event has 'ph' '', expected one letter"),
    ],
)
def test_a_slice_without_its_times_or_letter_is_refused(
    tmp_path: Path, row: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(InputError) as refused:
        events(tmp_path, bar(1, 1), row, row)
    assert str(refused.value) == f"{tmp_path / 'trace_view.json'}: {sentence}"
