"""What a file's tracks, values and clock are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lanescope.errors import InputError
from lanescope.formats import import_trace
from lanescope.formats.chrome.proton import NOTE, as_proton
from lanescope.formats.tracks import Track, TrackRecording
from lanescope.trace import Trace

UTC_US = 1_600_000_000_000_000


def bar(pid: Any = 1, tid: Any = 1, ts: float = 0) -> dict[str, Any]:
    return {"ph": "X", "name": "x", "pid": pid, "tid": tid, "ts": ts, "dur": 1}


def about(what: str, pid: Any, tid: Any = 0, **args: Any) -> dict[str, Any]:
    return {"ph": "M", "name": what, "pid": pid, "tid": tid, "args": args}


def read(folder: Path, *rows: dict[str, Any], **head: Any) -> Trace:
    path = folder / "a.json"
    path.write_text(json.dumps({**head, "traceEvents": list(rows)}))
    return import_trace(path)


def cores(trace: Trace) -> list[tuple[Any, ...]]:
    table = trace.cores.to_dict()
    return [*zip(table["name"], table["kind"], table["process"], strict=True)]


def test_tracks_lie_by_the_order_of_processes_and_threads(tmp_path: Path) -> None:
    trace = read(
        tmp_path,
        *(bar(pid, tid) for pid, tid in ((1, 1), (1, 2), (2, "b"), (2, 7), (3, 1), ("z", 1))),
        about("process_sort_index", 3, sort_index=-1),
        about("thread_sort_index", 1, 2, sort_index=-5),
        about("process_name", 1, name="main"),
        about("thread_name", 1, 2, name="io"),
        about("thread_name", 3, 9, name="nobody"),
        about("process_name", 2, name=5),
        about("process_sort_index", 1, sort_index="9"),
    )
    assert cores(trace) == [
        ("3/1", "track", 3),
        ("io", "main", 1),
        ("1/1", "main", 1),
        ("2/7", "track", 2),
        ("2/b", "track", 2),
        ("z/1", "z", None),
    ]


def test_a_process_of_62_bits_is_a_number(tmp_path: Path) -> None:
    trace = read(tmp_path, bar((1 << 62) - 1), bar(1 << 62), bar(-(1 << 62)), bar(1 - (1 << 62)))
    assert sorted(process for *_, process in cores(trace) if process is not None) == [
        1 - (1 << 62),
        (1 << 62) - 1,
    ]


def test_values_are_called_by_their_event_and_argument(tmp_path: Path) -> None:
    def values(ts: float, **args: Any) -> dict[str, Any]:
        return {"ph": "C", "name": "mem", "pid": 1, "tid": 1, "ts": ts, "args": args}

    trace = read(
        tmp_path,
        bar(),
        values(1, used=5),
        values(2, used=6, free=1.5),
        values(3, used="7"),
        values(4, used=1e300),
        values(5, used=-9e299),
        values(6),
        {**values(7), "args": [1]},
    )
    table = trace.counters.to_dict()
    assert [*zip(table["name"], table["value"], table["time_ns"], strict=True)] == [
        ("mem", 5.0, 1000),
        ("mem.used", 6.0, 2000),
        ("mem.free", 1.5, 2000),
        ("mem", -9e299, 5000),
    ]


def test_values_of_one_name_in_two_processes_are_told_apart(tmp_path: Path) -> None:
    def value(pid: Any, name: str, **args: Any) -> dict[str, Any]:
        return {"ph": "C", "name": name, "pid": pid, "tid": 1, "ts": 1, "args": args}

    trace = read(
        tmp_path,
        bar(),
        about("process_name", 1, name="main"),
        value(1, "mem", used=5),
        value(2, "mem", used=6, free=7),
        value("z", "mem", used=8),
        value(2, "load", used=9),
    )
    assert trace.text("counters", "name") == [
        *("mem, main 1", "mem.used, process 2", "mem.free, process 2", "mem, process z", "load"),
    ]


@pytest.mark.parametrize("phase", ["i", "I", "R", "n"])
def test_moments_are_marks(tmp_path: Path, phase: str) -> None:
    trace = read(tmp_path, bar(), {**bar(ts=3), "ph": phase})
    assert (trace.marks["start_ns"].tolist(), trace.marks["end_ns"].tolist()) == ([3000], [3000])
    assert trace.meta.notes == ()


def test_events_of_other_kinds_are_counted(tmp_path: Path) -> None:
    trace = read(tmp_path, *({**bar(), "ph": letter} for letter in "XPNDNst"))
    assert trace.meta.notes == ("Not read: 4 events with 'ph' D, N, P.",)


@pytest.mark.parametrize(
    ("head", "ts", "epoch"),
    [
        ({"baseTimeNanoseconds": 10**18 + 1}, 0, 10**18 + 1),
        ({"baseTimeNanoseconds": 10**18}, 0, None),
        ({"baseTimeNanoseconds": 2 * 10**18 - 1}, 0, 2 * 10**18 - 1),
        ({"baseTimeNanoseconds": 2 * 10**18}, 0, None),
        ({"baseTimeNanoseconds": f"{10**18 + 1}"}, 0, None),
        ({"viztracer_metadata": {"baseTimeNanoseconds": 10**18 + 5}}, 0, 10**18 + 5),
        ({"viztracer_metadata": {}}, 0, None),
        ({}, UTC_US, UTC_US * 1000),
        ({}, 10**15, None),
        ({}, 2 * 10**15, None),
    ],
)
def test_times_are_utc_where_the_file_says_so_or_they_are_that_large(
    tmp_path: Path, head: dict[str, Any], ts: float, epoch: int | None
) -> None:
    assert read(tmp_path, bar(ts=ts), **head).meta.epoch_ns == epoch
    if not head and epoch is not None:
        assert read(tmp_path, bar(ts=ts), bar(ts=0)).meta.epoch_ns is None
        assert read(tmp_path, bar(ts=ts), bar(ts=2 * 10**15)).meta.epoch_ns is None


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("[]", ""),
        ("[ {", "the file ends inside this value"),
        ("[1]", "is not a file lanescope knows"),
        ('[\n{"ph": "i", "ts": 1}]', ""),
    ],
)
def test_an_array_of_objects_is_a_trace(tmp_path: Path, content: str, problem: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(content)
    if not problem:
        assert import_trace(path).meta.sources[0].format == "chrome"
        return
    with pytest.raises(InputError, match=problem):
        import_trace(path)


def proton(*tracks: tuple[str, str], **facts: Any) -> TrackRecording:
    listed = [Track(name=name, group=group, process=3) for group, name in tracks]
    return TrackRecording(tracks=listed, utc_ns=0, facts=facts)


def test_tracks_of_warps_are_those_of_proton() -> None:
    recording = proton(
        ("gemm Core3 CTA12", "gemm Core3 CTA12/warp 4"),
        ("Core 0 CTA 1", "warp 0 of it"),
        notes=("first",),
    )
    found = as_proton(recording)
    assert found.tracks == [
        Track(name="Core3 CTA12 warp 4", group="gemm"),
        Track(name="Core 0 CTA 1 warp 0 of it", group="kernel"),
    ]
    assert (found.utc_ns, found.facts) == (None, {"notes": [NOTE, "first"]})
    assert recording.facts == {"notes": ("first",)}


@pytest.mark.parametrize(
    "other", [("main", "warp 1"), ("k Core3 CTA1", "thread 1"), ("k Core3 CTA1 x", "warp 1")]
)
def test_one_track_of_another_kind_is_enough_to_be_none_of_proton(other: tuple[str, str]) -> None:
    recording = proton(("gemm Core3 CTA12", "warp 4"), other)
    assert as_proton(recording) is recording
    none = proton()
    assert as_proton(none) is none
