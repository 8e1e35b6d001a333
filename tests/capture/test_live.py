"""A capture that is read while it grows: the same rows, a window that stays small, one axis."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from tests.capture.runs import graph, recorded

from lanescope.capture import live
from lanescope.capture.live import LiveCapture
from lanescope.capture.spool import frame_places
from lanescope.errors import InputError
from lanescope.trace import Trace


def ends(path: Path) -> list[int]:
    """Where each frame of a spool ends, in bytes."""
    file = os.open(path, os.O_RDONLY)
    places, _ = frame_places(file, 0)
    os.close(file)
    return [place.at + place.size + -place.size % 8 for place in places]


def tasks(trace: Trace) -> set[int]:
    return set(trace.tasks["task"].tolist())


def test_all_that_was_recorded_is_shown_as_it_will_be_stored(tmp_path: Path) -> None:
    session = recorded(tmp_path / "a.capture", graph(300), chip_swimlane=4, buffer_records=7)
    capture = LiveCapture(tmp_path / "a.capture")
    assert capture.look()
    assert not capture.look()
    trace, stored = capture.trace(), session.reconcile()
    assert capture.counts.lost == 0
    assert capture.counts.recorded == sum(entry.total for entry in stored.meta.ledger)
    assert not capture.left_out
    for name in ("task", "core", "func", "start_ns", "end_ns", "dispatch_ns", "flags"):
        assert np.array_equal(trace.tasks[name], stored.tasks[name]), name
    assert np.array_equal(trace.phases["start_ns"], stored.phases["start_ns"])
    assert len(trace.edges) == 0
    assert trace.meta.name == stored.meta.name


def test_a_spool_is_read_as_far_as_its_frames_are_whole(tmp_path: Path) -> None:
    recorded(tmp_path / "a.capture", graph(300), buffer_records=7)
    spool = tmp_path / "a.capture" / "spool"
    whole, cuts = spool.read_bytes(), ends(spool)
    assert len(cuts) > 4
    spool.write_bytes(whole[: cuts[len(cuts) // 2] - 1])
    capture = LiveCapture(tmp_path / "a.capture")
    capture.look()
    first = capture.trace()
    spool.write_bytes(whole)
    assert capture.look()
    both = capture.trace()
    assert tasks(both) == set(range(300))
    assert both.meta.base_cycles == first.meta.base_cycles
    held = np.isin(both.tasks["task"], first.tasks["task"])
    starts = dict(zip(first.tasks["task"].tolist(), first.tasks["start_ns"].tolist(), strict=True))
    for task, start in zip(both.tasks["task"][held], both.tasks["start_ns"][held], strict=True):
        assert starts[int(task)] == start


def test_a_window_keeps_the_last_records_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded(tmp_path / "a.capture", graph(2000), chip_swimlane=2, buffer_records=16)
    monkeypatch.setattr(live, "WINDOW_BYTES", 40_000)
    monkeypatch.setattr(live, "_OPEN_BYTES", 0)
    capture = LiveCapture(tmp_path / "a.capture")
    capture.look()
    trace = capture.trace()
    assert capture.left_out
    assert 0 < len(trace.tasks) < 1500
    ended = trace.tasks["end_ns"]
    everything = LiveCapture(tmp_path / "a.capture")
    monkeypatch.setattr(live, "WINDOW_BYTES", 1 << 30)
    everything.look()
    assert not everything.left_out
    whole = everything.trace()
    assert len(whole.tasks) == 2000
    shift = int(trace.meta.base_cycles or 0) - int(whole.meta.base_cycles or 0)
    shift_ns = shift * 1_000_000_000 // int(trace.meta.clock_hz or 1)
    assert abs(int(ended.max()) + shift_ns - int(whole.tasks["end_ns"].max())) < 1_000_000


def test_a_part_after_a_part_is_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "_OPEN_BYTES", 0)
    recorded(tmp_path / "a.capture", graph(300), buffer_records=7)
    folder = tmp_path / "a.capture"
    whole, cuts = (folder / "spool").read_bytes(), ends(folder / "spool")
    half = cuts[len(cuts) // 2]
    head, close = whole[: cuts[0]], whole[cuts[-2] :]
    (folder / "spool").write_bytes(whole[:half] + close)
    capture = LiveCapture(folder)
    capture.look()
    before = tasks(capture.trace())
    (folder / "spool-0002").write_bytes(head + whole[half:])
    capture.look()
    capture.look()
    assert before < tasks(capture.trace()) == set(range(300))


def test_buffers_that_are_not_full_are_shown_too(tmp_path: Path) -> None:
    recorded(tmp_path / "a.capture", graph(300), buffer_records=1024)
    spool = tmp_path / "a.capture" / "spool"
    spool.write_bytes(spool.read_bytes()[: ends(spool)[0]])
    capture = LiveCapture(tmp_path / "a.capture")
    assert capture.look()
    assert tasks(capture.trace()) == set(range(300))


def test_open_buffers_are_left_out_where_two_of_each_lane_are_too_many_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = recorded(tmp_path / "a.capture", graph(30), buffer_records=1024)
    spool = tmp_path / "a.capture" / "spool"
    spool.write_bytes(spool.read_bytes()[: ends(spool)[0]])
    size = 2 * int(session.region.head.lanes["buffer_stride"].sum())
    for limit, count in ((size, 30), (size - 1, 0)):
        monkeypatch.setattr(live, "_OPEN_BYTES", limit)
        assert len(LiveCapture(tmp_path / "a.capture").trace().tasks) == count


def test_a_directory_without_a_region_is_refused(tmp_path: Path) -> None:
    (tmp_path / "region").write_bytes(b"")
    with pytest.raises(InputError, match="expected a region, found 0 bytes"):
        LiveCapture(tmp_path)
