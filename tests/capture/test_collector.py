"""The collector at regions that this process makes: which it drains, and when it lets go."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from lanescope.capture.collect import Collector, has_ended
from lanescope.capture.directory import SessionNote
from lanescope.capture.rotation import Rotation, Rotator
from lanescope.device.flags import level_features
from lanescope.device.head import Core
from lanescope.device.region import Region, RegionConfig, create_region, open_region

CONFIG = RegionConfig(
    flags=level_features(1), cores=(Core("aic"),), clock_hz=1_000_000_000, buffer_records=8
)


def made(folder: Path) -> Region:
    folder.mkdir(parents=True)
    return create_region(folder / "region", CONFIG)


def test_a_region_is_drained_until_its_process_lets_go_of_it(tmp_path: Path) -> None:
    collector = Collector(tmp_path, SessionNote("a"))
    collector.look()
    assert not collector.found
    first, second = made(tmp_path / "7-aa"), made(tmp_path / "8-bb")
    (tmp_path / "9-cc").mkdir()
    collector.look()
    assert collector.found
    assert (tmp_path / "7-aa" / "session.json").exists()
    first.close()
    collector.look()
    third = made(tmp_path / "9-cc" / "x")
    (tmp_path / "9-cc" / "x" / "region").rename(tmp_path / "9-cc" / "region")
    collector.look()
    third.mark_stopped()
    collector.stop()
    processes = collector.processes()
    assert [one.directory.name for one in processes] == ["7-aa", "8-bb", "9-cc"]
    assert [one.suffix for one in processes] == ["-7", "-8", "-9"]
    assert [one.running for one in processes] == [False, True, False]
    assert collector.refused == []
    for one in (second, third):
        one.close()


def test_a_process_that_went_on_is_said_in_its_trace(tmp_path: Path) -> None:
    region = made(tmp_path / "7-aa")
    collector = Collector(tmp_path, SessionNote("run"))
    collector.stop()
    [process] = collector.processes()
    trace = process.reconcile()
    assert trace.meta.name == "run"
    assert "The process went on after the end of the collected program." in trace.meta.notes
    stored = process.store(tmp_path / "run.lanes")
    assert stored.meta.notes == trace.meta.notes
    region.close()


def test_a_region_that_cannot_be_read_is_refused_once(tmp_path: Path) -> None:
    (tmp_path / "7-aa").mkdir()
    (tmp_path / "7-aa" / "region").write_bytes(bytes(100))
    collector = Collector(tmp_path, SessionNote("a"))
    collector.look()
    collector.look()
    [sentence] = collector.refused
    assert sentence.endswith(f"; what the process recorded is in {tmp_path / '7-aa'}")
    assert collector.found
    collector.stop()
    assert collector.processes() == ()


def test_a_directory_that_cannot_be_looked_at_is_said(tmp_path: Path) -> None:
    folder = tmp_path / "a.capture"
    collector = Collector(folder, SessionNote("a"))
    collector.look()
    assert collector.unseen == f"{folder}: cannot be looked at (No such file or directory)"
    folder.mkdir()
    collector.look()
    assert collector.unseen == ""


def test_a_region_has_ended_when_it_stopped_or_nobody_holds_its_file(tmp_path: Path) -> None:
    region = made(tmp_path / "a")
    seen = open_region(tmp_path / "a" / "region")
    assert not has_ended(seen)
    region.mark_stopped()
    assert has_ended(seen)
    other = made(tmp_path / "b")
    seen = open_region(tmp_path / "b" / "region")
    other.close()
    assert has_ended(seen)
    (tmp_path / "b" / "region").unlink()
    assert has_ended(seen)


class Recorded:
    """As much of a session as a rotator looks at."""

    def __init__(self) -> None:
        self.part = self.draining_part = 1
        self.buffers = self.spool_bytes = 0

    def rotate(self) -> None:
        self.part += 1


def rotator(session: Recorded, clock: SimpleNamespace, **limits: float) -> Rotator:
    rotation = Rotation(Path("a.lanes"), **limits)  # type: ignore[arg-type]
    own = Rotator(session, rotation, "", clock=lambda: clock.now)  # type: ignore[arg-type]
    own._start = lambda: None  # type: ignore[assignment,return-value,method-assign]
    return own


@pytest.mark.parametrize(
    ("limits", "now", "size", "rotates"),
    [
        ({"seconds": 5.0}, 14.9, 10**9, False),
        ({"seconds": 5.0}, 15.0, 0, True),
        ({"bytes": 100}, 10**9, 99, False),
        ({"bytes": 100}, 10.0, 100, True),
        ({"seconds": 5.0, "bytes": 100}, 10.0, 100, True),
        ({}, 10**9, 10**9, False),
    ],
)
def test_a_part_ends_by_its_time_or_its_size(
    limits: dict[str, float], now: float, size: int, rotates: bool
) -> None:
    session, clock = Recorded(), SimpleNamespace(now=10.0)
    own = rotator(session, clock, **limits)
    own.look()
    assert session.part == 1
    session.buffers, session.spool_bytes, clock.now = 1, size, now
    own.look()
    assert session.part == (2 if rotates else 1)


def test_a_part_without_a_record_goes_on_and_the_next_waits_until_the_drain_has_it() -> None:
    session, clock = Recorded(), SimpleNamespace(now=0.0)
    own = rotator(session, clock, seconds=5.0)
    own.look()
    clock.now = 20.0
    own.look()
    assert session.part == 1
    session.buffers = 3
    own.look()
    assert session.part == 2
    clock.now, session.buffers = 40.0, 6
    own.look()
    assert session.part == 2, "the drain is still in the first part"
    session.draining_part = 2
    clock.now = 24.0
    own.look()
    assert session.part == 2, "the second part began at 20 s"
    clock.now = 25.0
    own.look()
    assert session.part == 3
