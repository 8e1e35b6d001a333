"""Which stream or thread a row of a Kineto file lies on, however the row tells it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from tests.formats.kineto.files import events as read_events

from lanescope.formats.kineto.events import KinetoEvents
from lanescope.formats.kineto.lanes import (
    StreamLanes,
    device_of,
    host_threads,
    stream_lanes,
    stream_of,
)
from lanescope.formats.streams import DeviceLane, HostThread


def events(folder: Path, *rows: dict[str, Any]) -> KinetoEvents:
    return read_events(folder, *({"ph": "X", "ts": 1, **row} for row in rows))


def thread_name(pid: Any, tid: Any, name: str) -> dict[str, Any]:
    return {"ph": "M", "name": "thread_name", "pid": pid, "tid": tid, "args": {"name": name}}


def test_process_and_thread_stand_for_device_and_stream_that_are_not_told(tmp_path: Path) -> None:
    found = events(
        tmp_path,
        {"pid": 3, "tid": 7},
        {"pid": "12", "tid": "8"},
        {"pid": "Spans", "tid": "Profiler"},
        {},
        {"pid": 3, "tid": 7, "args": {"device": 0, "stream": 9}},
    )
    rows = np.arange(5)
    assert device_of(found, rows).tolist() == [3, 12, -1, -1, 0]
    assert stream_of(found, rows).tolist() == [7, 8, -1, -1, 9]


def test_rows_are_asked_by_their_place(tmp_path: Path) -> None:
    found = events(tmp_path, {"pid": 3, "tid": 7}, {"pid": 4, "tid": 8, "args": {"device": 5}})
    assert device_of(found, np.array([1, 0])).tolist() == [5, 3]
    assert stream_of(found, np.array([1])).tolist() == [8]


def test_streams_are_in_order_of_device_and_stream(tmp_path: Path) -> None:
    found = events(
        tmp_path,
        {"pid": 1, "tid": 20},
        {"pid": 0, "tid": 30},
        {"pid": 1, "tid": 7},
        {"pid": 1, "tid": 20},
    )
    lanes = stream_lanes(found, np.arange(4))
    assert lanes.devices == [0, 1]
    assert lanes.lanes == [
        DeviceLane(name="device 0 stream 30", device=0, queue=30),
        DeviceLane(name="device 1 stream 7", device=1, queue=7),
        DeviceLane(name="device 1 stream 20", device=1, queue=20),
    ]
    asked = np.array([1, 0, 1, 0, 2]), np.array([20, 30, 7, 7, 7])
    assert lanes.of(*asked).tolist() == [2, 0, 1, -1, -1]


def test_streams_of_one_device_are_called_by_their_number_alone(tmp_path: Path) -> None:
    found = events(tmp_path, {"pid": 4, "tid": 7}, {"pid": 4, "tid": 8})
    lanes = stream_lanes(found, np.arange(2))
    assert [lane.name for lane in lanes.lanes] == ["stream 7", "stream 8"]
    assert lanes.devices == [4]


def test_without_streams_nothing_lies_on_one() -> None:
    none = StreamLanes([], np.empty((0, 2), np.int64), [])
    assert none.of(np.array([0, 1]), np.array([7, 8])).tolist() == [-1, -1]


def test_threads_are_in_order_of_number_and_words_come_last(tmp_path: Path) -> None:
    found = events(
        tmp_path,
        {"pid": 10, "tid": "loader"},
        {"pid": 10, "tid": 9},
        {"pid": "host", "tid": 1},
        {"pid": 2, "tid": 30},
        {"pid": 10, "tid": 9},
        thread_name(10, 9, "main"),
        thread_name(2, 30, ""),
        {**thread_name(10, "loader", "other"), "name": "thread_labels"},
        {**thread_name(10, "loader", "other"), "ph": "X"},
    )
    threads = host_threads(found, np.arange(5))
    assert threads.threads == [
        HostThread(name="process 2 thread 30"),
        HostThread(name="process 10 main"),
        HostThread(name="process 10 thread loader"),
        HostThread(name="process host thread 1"),
    ]
    assert threads.thread.tolist() == [2, 1, 3, 0, 1]
    assert threads.pairs == [(2, 30), (10, 9), (10, "loader"), ("host", 1)]
    assert threads.processes == [2, 10]


def test_a_process_without_a_positive_number_is_no_process(tmp_path: Path) -> None:
    found = events(tmp_path, {"pid": 0, "tid": 1}, {"pid": -1, "tid": 1}, {"pid": 1, "tid": 1}, {})
    threads = host_threads(found, np.arange(4))
    assert threads.processes == [1]
    assert threads.pairs == [(-1, 1), (0, 1), (1, 1), ("", "")]


def test_threads_of_one_process_are_called_by_their_name_alone(tmp_path: Path) -> None:
    found = events(tmp_path, {"pid": 5, "tid": 1}, {"pid": 5, "tid": 2}, thread_name(5, 2, "io"))
    threads = host_threads(found, np.arange(2))
    assert [thread.name for thread in threads.threads] == ["thread 1", "io"]


def test_a_name_of_a_thread_is_cut_at_4096_letters(tmp_path: Path) -> None:
    found = events(tmp_path, {"pid": 5, "tid": 1}, thread_name(5, 1, "x" * 4097))
    [thread] = host_threads(found, np.array([0])).threads
    assert thread.name == "x" * 4096


def test_a_thread_without_rows_of_its_own_is_no_thread(tmp_path: Path) -> None:
    found = events(
        tmp_path,
        {"pid": 5, "tid": 2},
        {"pid": 5, "tid": 1},
        {"pid": 5, "tid": 3},
        {"pid": 6, "tid": 1},
        {"pid": "5", "tid": "2"},
    )
    threads = host_threads(found, np.array([0, 1]))
    assert threads.of(found, np.arange(5)).tolist() == [1, 0, -1, -1, 1]
    assert threads.of(found, np.arange(0)).tolist() == []
