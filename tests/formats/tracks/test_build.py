"""Slices, moments, values and arrows on tracks become a trace."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lanescope.errors import InputError
from lanescope.formats.bundle import Bundle
from lanescope.formats.detect import Detected
from lanescope.formats.tracks import CounterRows, SliceRows, Track, TrackRecording, track_trace
from lanescope.trace import LedgerEntry, Trace

BUNDLE = Bundle(name="a", files={"main": Detected(Path("a.json"), None, "")}, notes=("run",))


def array(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def recording() -> TrackRecording:
    """Track 1 has nothing, track 3 a moment alone; on track 2 a slice lies in another."""
    return TrackRecording(
        tracks=[
            Track(name="t0", group="main", process=7),
            Track(name="nothing"),
            Track(name="t2"),
            Track(name="t3", group="other", process=0),
        ],
        slices=SliceRows(
            track=array(2, 0, 2, 2),
            start=array(120, 150, 120, 110),
            end=array(130, 160, 140, 115),
            name=array(0, 3, 1, 3),
            names=["inner", "outer", "not used", "a"],
        ),
        moments=SliceRows(
            track=array(3, 2, 3),
            start=array(200, 105, 180),
            end=array(200, 105, 180),
            name=array(0, 1, 1),
            names=["m", "n"],
        ),
        counters=CounterRows(
            time=array(100, 300), value=np.array([1.5, 2.0]), name=array(1, 0), names=["x", "y"]
        ),
        arrows=(array(0, 1), array(1, 3)),
    )


def named(trace: Trace, table: str, *names: str) -> list[tuple[Any, ...]]:
    columns = trace.table(table).to_dict()
    return [*zip(*(columns[name] for name in names), strict=True)]


def test_slices_lie_by_track_and_start_with_the_longest_first() -> None:
    trace = track_trace(recording(), BUNDLE)
    names = ("core", "token", "func", "depth", "start_ns", "end_ns")
    assert named(trace, "tasks", *names) == [
        (0, 0, 2, 0, 50, 60),
        (1, 0, 2, 0, 10, 15),
        (1, 1, 1, 0, 20, 40),
        (1, 2, 0, 1, 20, 30),
    ]
    assert trace.text("tasks", "kind") == ["run"] * 4
    assert trace.text("functions", "name") == ["inner", "outer", "a"]
    assert trace.tasks["flags"].tolist() == [0] * 4


def test_tracks_with_slices_or_moments_are_lanes() -> None:
    assert named(track_trace(recording(), BUNDLE), "cores", "name", "kind", "lane", "process") == [
        ("t0", "main", "track", 7),
        ("t2", "track", "track", None),
        ("t3", "other", "track", 0),
    ]


def test_moments_are_marks_without_length() -> None:
    trace = track_trace(recording(), BUNDLE)
    assert named(trace, "marks", "core", "name", "pipe", "start_ns", "end_ns") == [
        (1, "n", "instant", 5, 5),
        (2, "n", "instant", 80, 80),
        (2, "m", "instant", 100, 100),
    ]


def test_arrows_join_tasks_and_values_have_a_time() -> None:
    trace = track_trace(recording(), BUNDLE)
    assert named(trace, "edges", "pred", "succ", "kind", "flags") == [
        (3, 0, "flow", 0),
        (0, 1, "flow", 0),
    ]
    assert named(trace, "counters", "name", "value", "time_ns") == [("y", 1.5, 0), ("x", 2.0, 200)]


def test_the_earliest_of_slices_moments_and_values_is_0() -> None:
    given = recording()
    given.utc_ns = 10**18
    given.facts = {"notes": ("file",), "extra": {"a": 1}}
    meta = track_trace(given, BUNDLE).meta
    assert (meta.epoch_ns, meta.epoch_clock) == (10**18 + 100, "realtime")
    assert (meta.notes, meta.extra) == (("run", "file"), {"a": 1})
    assert given.facts == {"notes": ("file",), "extra": {"a": 1}}
    given.counters.time = array(400, 500)
    assert track_trace(given, BUNDLE).meta.epoch_ns == 10**18 + 105
    given.moments = SliceRows()
    given.facts = {"epoch_clock": "session"}
    meta = track_trace(given, BUNDLE).meta
    assert (meta.epoch_ns, meta.epoch_clock) == (10**18 + 110, "session")


def test_begins_and_ends_without_a_partner_are_counted() -> None:
    given = recording()
    assert track_trace(given, BUNDLE).meta.ledger == (LedgerEntry("all lanes", "slice", 4, 4),)
    given.unmatched = 1
    meta = track_trace(given, BUNDLE).meta
    assert meta.notes == ("run", "Not shown: 1 slice with a begin or an end alone.")
    assert meta.ledger == (LedgerEntry("all lanes", "slice", 5, 4, unmatched=1),)


def test_nothing_is_an_empty_trace() -> None:
    trace = track_trace(TrackRecording(utc_ns=5), BUNDLE)
    assert [len(trace.table(name)) for name in ("tasks", "marks", "cores", "counters")] == [0] * 4
    assert trace.meta.epoch_ns == 5


@pytest.mark.parametrize("where", ["slice", "moment", "value", "track", "group"])
def test_a_name_of_more_than_4096_letters_is_refused(where: str) -> None:
    def named_so(name: str) -> TrackRecording:
        given = recording()
        rows = {"slice": given.slices, "moment": given.moments, "value": given.counters}
        if where in rows:
            rows[where].names[0] = name
        else:
            given.tracks[1] = Track(name=name) if where == "track" else Track(name="", group=name)
        return given

    assert len(track_trace(named_so("n" * 4096), BUNDLE).tasks) == 4
    with pytest.raises(InputError) as refused:
        track_trace(named_so("n" * 4097), BUNDLE)
    assert str(refused.value) == "a.json: a name has 4,097 characters, at most 4,096 are taken"
