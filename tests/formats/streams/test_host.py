"""Rows of host threads as phases: their order, depth and numbers, and which call made a launch."""

from __future__ import annotations

import numpy as np

from lanescope.formats.streams import (
    HostRows,
    HostThread,
    StepRows,
    StreamRecording,
    WaitRows,
)
from lanescope.formats.streams.host import (
    controllers_table,
    depths,
    phases_table,
    steps_table,
)
from lanescope.formats.streams.numbers import LaunchNumbers
from lanescope.trace import MISSING, MISSING32, Words


def array(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def test_phases_lie_by_thread_and_start_with_the_outer_row_first() -> None:
    host = HostRows(
        thread=array(1, 0, 0, 0),
        name=array(0, 1, 0, 1),
        names=["a", "b"],
        category=array(0, 5, 1, 2),
        start=array(10, 30, 20, 20),
        end=array(15, 35, 25, 40),
        launch=array(900, MISSING, 800, MISSING),
        op=array(7, 6, MISSING, 7),
        flow=array(MISSING, 3, 3, MISSING),
        bytes=array(64, 0, MISSING, 1),
    )
    recording = StreamRecording(host=host)
    words = Words()
    phases = phases_table(recording, 10, words, LaunchNumbers.of(recording))
    table = phases.table
    texts = words.freeze()
    found = {name: table[name].tolist() for name in ("controller", "start_ns", "end_ns", "depth")}
    assert found == {
        "controller": [0, 0, 0, 1],
        "start_ns": [10, 10, 20, 0],
        "end_ns": [30, 15, 25, 5],
        "depth": [0, 1, 1, 0],
    }
    assert [texts[code] for code in table["kind"].tolist()] == ["b", "a", "b", "a"]
    assert [texts[code] for code in table["category"].tolist()] == [
        *("annotation", "call", "overhead", "operator"),
    ]
    assert {texts[code] for code in table["lane"].tolist()} == {"host"}
    assert table["launch"].tolist() == [MISSING, 0, MISSING, 1]
    assert table["op"].tolist() == [1, MISSING, 0, 1]
    assert table["flow"].tolist() == [MISSING, 0, 0, MISSING]
    assert table["bytes"].tolist() == [1, MISSING, 0, 64]
    assert phases.calls(array(0, 1, 2, -1, MISSING)).tolist() == [1, 3, -1, -1, -1]


def test_columns_that_the_source_does_not_have_are_missing() -> None:
    host = HostRows(
        thread=array(0), name=array(0), names=["a"], category=array(0), start=array(5), end=array(6)
    )
    recording = StreamRecording(host=host)
    table = phases_table(recording, 5, Words(), LaunchNumbers.of(recording)).table
    for name in ("launch", "op", "flow", "bytes"):
        assert table[name].tolist() == [MISSING]


def test_the_innermost_of_several_calls_made_the_launch() -> None:
    """A launch that only a wait names has no call, whatever its number."""
    host = HostRows(
        thread=array(0, 0),
        name=array(0, 0),
        names=["a"],
        category=array(1, 1),
        start=array(10, 5),
        end=array(15, 20),
        launch=array(3, 3),
    )
    recording = StreamRecording(host=host, waits=WaitRows(launch=array(1), on_launch=array(9)))
    phases = phases_table(recording, 5, Words(), LaunchNumbers.of(recording))
    assert phases.table["launch"].tolist() == [1, 1]
    assert phases.calls(array(0, 1, 2)).tolist() == [-1, 1, -1]


def test_without_launches_no_call_made_one() -> None:
    recording = StreamRecording()
    phases = phases_table(recording, 0, Words(), LaunchNumbers.of(recording))
    assert (len(phases.table), phases.calls(array(0, 1)).tolist()) == (0, [-1, -1])


def test_a_row_that_ends_where_another_starts_is_not_around_it() -> None:
    lane = array(0, 0, 0, 0, 2, 2)
    start, end = array(0, 0, 5, 10, 3, 4), array(10, 5, 10, 10, 9, 5)
    assert depths(lane, start, end).tolist() == [0, 1, 1, 0, 0, 1]
    assert depths(lane[:0], start[:0], end[:0]).tolist() == []
    assert depths(lane[:1], start[:1], end[:1]).tolist() == [0]


def test_threads_are_controllers_of_the_host() -> None:
    words = Words()
    recording = StreamRecording(threads=[HostThread(name="a"), HostThread(name="b", rank=0)])
    table = controllers_table(recording, words)
    texts = words.freeze()
    assert table["controller"].tolist() == [0, 1]
    assert table["rank"].tolist() == [MISSING32, 0]
    for name, want in {
        "name": ["a", "b"],
        "lane": ["host"] * 2,
        "kind": ["host thread"] * 2,
    }.items():
        assert [texts[code] for code in table[name].tolist()] == want
    assert len(controllers_table(StreamRecording(), Words())) == 0


def test_steps_lie_by_start_and_number() -> None:
    steps = StepRows(
        step=array(4, 3, 2),
        name=["d", "c", "b"],
        thread=array(0, -1, 1),
        start=array(20, 20, 10),
        end=array(29, 28, 19),
    )
    words = Words()
    table = steps_table(StreamRecording(steps=steps), 10, words)
    texts = words.freeze()
    assert table["step"].tolist() == [2, 3, 4]
    assert [texts[code] for code in table["name"].tolist()] == ["b", "c", "d"]
    assert table["controller"].tolist() == [1, MISSING32, 0]
    assert (table["start_ns"].tolist(), table["end_ns"].tolist()) == ([0, 10, 10], [9, 18, 19])
    assert len(steps_table(StreamRecording(), 0, Words())) == 0
