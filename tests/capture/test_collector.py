"""The collector at regions that this process makes: which it drains, and when it lets go."""

from __future__ import annotations

import subprocess
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

from lanescope.capture.collect import Collector, has_ended
from lanescope.capture.directory import SessionNote
from lanescope.capture.rotation import Rotation, Rotator, StoredPart, _Job
from lanescope.capture.session import _shares
from lanescope.device.flags import level_features
from lanescope.device.head import Core
from lanescope.device.region import Region, RegionConfig, create_region, open_region
from lanescope.trace import Meta

CONFIG = RegionConfig(
    flags=level_features(1), cores=(Core("aic"),), clock_hz=1_000_000_000, buffer_records=8
)
META = Meta(name="a", tool="test", origin="measured")


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
    assert [bool(one.unfinished) for one in processes] == [False, True, False]
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


class Process:
    """A process that ends when it is told to, or when somebody waits for it."""

    def __init__(self) -> None:
        self.code: int | None = None

    def poll(self) -> int | None:
        return self.code

    def wait(self) -> None:
        self.code = 0


class Rehearsed(Rotator):
    """A rotator whose processes only say that they stored a part, or what went wrong."""

    wrong = b""

    def _start(self) -> _Job:
        part = StoredPart(f"part {len(self.stored) + 1}", META, {}, 0)
        said = BytesIO(b"" if self.wrong else msgspec.json.encode(part))
        for file in (said, wrong := BytesIO(self.wrong)):
            file.seek(0, 2)
        self.process = Process()
        return _Job(self.process, said, wrong)  # type: ignore[arg-type]

    def names(self) -> list[str]:
        return [part.path for part in self.stored]


def rotator(session: Recorded, clock: SimpleNamespace, **limits: float) -> Rehearsed:
    rotation = Rotation(Path("a.lanes"), **limits)  # type: ignore[arg-type]
    return Rehearsed(session, rotation, "", clock=lambda: clock.now)  # type: ignore[arg-type]


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


def test_parts_are_stored_one_after_the_other_once_they_are_whole() -> None:
    session = Recorded()
    own = rotator(session, SimpleNamespace(now=0.0))
    session.part = 3
    own.look()
    assert own._job is None, "the drain is still in the first part"
    session.draining_part = 3
    own.look()
    own.look()
    assert own.names() == [], "the process has not ended"
    own.process.code = 0
    own.look()
    assert own.names() == ["part 1"]
    own.finish()
    assert own.names() == ["part 1", "part 2"]
    own.finish()
    assert len(own.stored) == 2, "the last part is stored by somebody else"


def test_a_part_that_could_not_be_stored_is_said_and_ends_the_storing() -> None:
    session = Recorded()
    session.part = session.draining_part = 4
    own = rotator(session, SimpleNamespace(now=0.0))
    own.wrong = b"Traceback\nOSError: no room\n"
    own.finish()
    [problem] = own.problems
    assert problem.startswith("a part could not be stored while it was recorded (OSError: no room)")
    assert own.stored == []


def test_a_part_that_failed_is_not_tried_again() -> None:
    session = Recorded()
    session.part = session.draining_part = 2
    own = rotator(session, SimpleNamespace(now=0.0))
    own.wrong = b"no room"
    own.look()
    own.process.code = 1
    own.look()
    assert (len(own.problems), own._job) == (1, None)
    session.part = session.draining_part = 3
    own.look()
    assert own._job is not None, "the next part is"


@pytest.mark.parametrize(("quota", "said"), [(None, "0"), (5000, "5000")])
def test_a_process_is_told_what_to_store_and_how_much_there_may_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quota: int | None, said: str
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(subprocess, "Popen", lambda command, **_: asked.extend(command))
    session = SimpleNamespace(directory=tmp_path)
    rotation = Rotation(tmp_path / "a.lanes", quota=quota)
    Rotator(session, rotation, "-7")._start().texts()  # type: ignore[arg-type]
    assert asked[2:] == [
        *("lanescope.capture.part_job", str(tmp_path), str(tmp_path / "a.lanes"), "-7", said)
    ]


@pytest.mark.parametrize(
    ("lanes", "collectors", "shares"),
    [
        (7, 1, [(0, 7)]),
        (7, 3, [(0, 2), (2, 4), (4, 7)]),
        (2, 5, [(0, 1), (1, 2)]),
        (0, 3, [(0, 0)]),
    ],
)
def test_collectors_share_the_lanes(
    lanes: int, collectors: int, shares: list[tuple[int, int]]
) -> None:
    assert [(one.start, one.stop) for one in _shares(lanes, collectors)] == shares
