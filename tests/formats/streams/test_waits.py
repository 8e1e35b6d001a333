"""Which task a recorded wait is about: the next one launched after it, the last one before it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lanescope.formats.bundle import Bundle
from lanescope.formats.detect import Detected
from lanescope.formats.streams import (
    DeviceLane,
    DeviceRows,
    HostRows,
    HostThread,
    StreamRecording,
    WaitRows,
    stream_trace,
)
from lanescope.formats.streams.recording import WAIT_KINDS
from lanescope.trace import MISSING, Trace

BUNDLE = Bundle(name="a", files={"main": Detected(Path("a.json"), None, "")})
STREAM, EVENT, HOST_STREAM, DEVICE = range(len(WAIT_KINDS))


def array(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def waiting(*rows: tuple[int, int, int, int, int]) -> Trace:
    """Waits of kind, lane, lane waited for, call, and call that recorded the event.

    Calls, by launch: 1..3 launch tasks 0..2 of lane 0; 4, 5 launch tasks 3, 4 of lane 1. Thread 1
    made calls 5 and 18, thread 0 the others. Calls 10..19 lie between, each at its number times 10.
    """
    made = {1: 100, 2: 120, 3: 140, 4: 160, 5: 180}
    between = range(10, 20)
    launch = array(*made, *between)
    start = array(*made.values(), *(n * 10 for n in between))
    kind, lane, on_lane, call, on_call = (array(*column) for column in zip(*rows, strict=True))
    return stream_trace(
        StreamRecording(
            lanes=[DeviceLane(name=f"stream {k}") for k in (7, 8)],
            threads=[HostThread(name="a"), HostThread(name="b")],
            work=DeviceRows(
                lane=array(0, 0, 0, 1, 1),
                name=array(0, 0, 0, 0, 0),
                names=["k"],
                start=array(500, 510, 520, 500, 510),
                end=array(501, 511, 521, 501, 511),
                launch=array(1, 2, 3, 4, 5),
            ),
            host=HostRows(
                thread=np.where(np.isin(launch, (5, 18)), 1, 0),
                name=np.zeros(len(launch), np.int64),
                names=["call"],
                category=np.ones(len(launch), np.int64),
                start=start,
                end=start + 1,
                launch=launch,
            ),
            waits=WaitRows(
                kind=kind,
                lane=lane,
                on_lane=on_lane,
                launch=call,
                on_launch=on_call,
                start=1000 + np.arange(len(kind)),
                end=1001 + np.arange(len(kind)),
            ),
        ),
        BUNDLE,
    )


def pairs(*rows: tuple[int, int, int, int, int]) -> list[tuple[Any, ...]]:
    """Which task waits for which."""
    found = waiting(*rows).waits.to_dict()
    return [*zip(found["task"], found["on_task"], strict=True)]


@pytest.mark.parametrize(
    ("lane", "call", "task"),
    [
        (0, 10, 0),
        (0, 11, 1),
        (0, 12, 1),
        (0, 14, 2),
        (0, 15, None),
        (1, 10, 3),
        (1, 16, 3),
        (1, 17, None),
        (1, 18, 4),
        (0, 18, None),
    ],
)
def test_a_stream_waits_from_the_next_task_of_the_calling_thread_on(
    lane: int, call: int, task: int | None
) -> None:
    assert pairs((STREAM, lane, -1, call, MISSING)) == [(task, None)]


def test_a_wait_whose_call_is_not_recorded_holds_from_its_own_time_on() -> None:
    """It is later than every launch, of whatever thread."""
    assert pairs((STREAM, 0, -1, MISSING, MISSING)) == [(None, None)]


@pytest.mark.parametrize(
    ("lane", "record", "task"),
    [(0, 10, None), (0, 11, 0), (0, 12, 0), (0, 13, 1), (0, 19, 2), (1, 16, None), (1, 19, 4)],
)
@pytest.mark.parametrize("kind", [STREAM, EVENT])
def test_what_is_waited_for_is_the_last_task_launched_before_the_record(
    kind: int, lane: int, record: int, task: int | None
) -> None:
    assert [on for _, on in pairs((kind, -1, lane, 10, record))] == [task]


def test_a_record_that_is_not_known_is_waited_for_in_vain() -> None:
    assert pairs((STREAM, 1, 0, 10, MISSING), (EVENT, 1, 0, 19, 77)) == [(3, None), (None, None)]


@pytest.mark.parametrize(
    ("kind", "lane", "call", "task"),
    [
        (HOST_STREAM, 0, 13, 1),
        (HOST_STREAM, 1, 13, None),
        (HOST_STREAM, 1, 17, 3),
        (HOST_STREAM, 0, 17, 2),
        (HOST_STREAM, -1, 17, None),
        (DEVICE, -1, 13, 1),
        (DEVICE, -1, 17, 3),
        (DEVICE, 0, 17, 3),
        (DEVICE, -1, 10, None),
        (EVENT, -1, 17, None),
    ],
)
def test_the_host_waits_for_what_was_launched_before_its_call(
    kind: int, lane: int, call: int, task: int | None
) -> None:
    assert pairs((kind, lane, -1, call, MISSING)) == [(None, task)]


def test_waits_of_all_kinds_at_once() -> None:
    trace = waiting(
        (STREAM, 1, 0, 13, 13),
        (HOST_STREAM, 0, -1, 13, MISSING),
        (DEVICE, -1, -1, 19, MISSING),
        (HOST_STREAM, -1, -1, 19, MISSING),
        (STREAM, 0, 1, 13, 11),
        (EVENT, -1, 0, 14, 12),
    )
    found = trace.waits.to_dict()
    assert [*zip(found["task"], found["on_task"], strict=True)] == [
        *((3, 1), (None, 1), (None, 4), (None, None), (2, None), (None, 0)),
    ]
    assert found["kind"] == [WAIT_KINDS[k] for k in (0, 2, 3, 2, 0, 1)]
    assert found["core"] == [1, 0, None, None, 0, None]
    assert found["on_core"] == [0, None, None, None, 1, 0]
    assert found["controller"] == [0] * 6
    assert found["start_ns"] == [900, 901, 902, 903, 904, 905]
    assert found["end_ns"] == [901, 902, 903, 904, 905, 906]
    assert (trace.edges["pred"].tolist(), trace.edges["succ"].tolist()) == ([1], [3])


def test_waits_lie_by_start() -> None:
    trace = waiting((DEVICE, -1, -1, 19, MISSING), (HOST_STREAM, 0, -1, 77, MISSING))
    assert trace.waits.to_dict()["controller"] == [0, None]
    assert trace.waits["start_ns"].tolist() == [900, 901]


def test_waits_of_a_recording_without_host_threads_are_about_no_task() -> None:
    trace = stream_trace(
        StreamRecording(
            lanes=[DeviceLane(name="stream 7")],
            work=DeviceRows(
                lane=array(0),
                name=array(0),
                names=["k"],
                start=array(5),
                end=array(6),
                launch=array(1),
            ),
            waits=WaitRows(
                kind=array(STREAM, DEVICE),
                lane=array(0, -1),
                on_lane=array(0, -1),
                launch=array(2, MISSING),
                on_launch=array(1, MISSING),
                start=array(9, 10),
                end=array(10, 11),
            ),
        ),
        BUNDLE,
    )
    found = trace.waits.to_dict()
    assert found["task"] == found["on_task"] == found["controller"] == [None, None]
    assert found["launch"] == [1, None]
