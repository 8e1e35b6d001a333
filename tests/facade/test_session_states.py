"""What a session says of itself, before its end and after it; its capture is made by hand."""

from __future__ import annotations

import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.analyze.hand import entry, make_trace

from lanescope.capture import SessionNote
from lanescope.device.layouts import constant
from lanescope.device.region import RegionConfig
from lanescope.device.transport import word_offset
from lanescope.errors import LanescopeError, UsageError
from lanescope.facade import sessions
from lanescope.facade.sessions import Session
from lanescope.trace import LedgerEntry

REGION: Any = SimpleNamespace(kind="a region")


class Capture:
    """What a session drains into: it counts how often it is started and stopped."""

    def __init__(self, *ledger: LedgerEntry) -> None:
        self.error: LanescopeError | None = None
        self.drain_error: LanescopeError | None = None
        self.records = 7
        self.region = SimpleNamespace(address=640, path=Path("region"), state=0)
        self.done: list[str] = []
        self._ledger = ledger

    def start(self) -> None:
        self.done.append("start")

    def stop(self) -> None:
        self.done.append("stop")

    def reconcile(self) -> Any:
        return make_trace({"name": "run", "ledger": self._ledger, "notes": ("one",)})


class Memory:
    """A transport that notes what is read."""

    pointer = 4096

    def __init__(self) -> None:
        self.reads: list[tuple[int, int]] = []

    def read(self, *ranges: tuple[int, int]) -> None:
        self.reads += ranges


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    return tmp_path / "temporary"


def session_of(capture: Capture, monkeypatch: pytest.MonkeyPatch, **options: Any) -> Session:
    monkeypatch.setattr(sessions, "_capture", lambda *_, **__: capture)
    return Session(**{"region": REGION, **options})


def test_the_error_of_the_capture_goes_before_that_of_the_drain(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    capture = Capture()
    session = session_of(capture, monkeypatch)
    assert session.error is None
    capture.drain_error = LanescopeError("the disk is full")
    assert session.error is capture.drain_error
    capture.error = LanescopeError("the bus is gone")
    assert session.error is capture.error


def test_a_session_is_stopped_once_and_then_has_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    capture = Capture()
    with session_of(capture, monkeypatch) as session:
        assert capture.done == ["start"]
        assert not session.has_stopped()
    assert (capture.done, session.has_stopped()) == (["start", "stop"], True)
    session.stop()
    assert capture.done == ["start", "stop"]


def test_a_program_that_is_done_has_stopped_also_while_the_session_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    capture = Capture()
    session = session_of(capture, monkeypatch)
    capture.region.state = constant("LS_STOPPED")
    assert session.has_stopped()
    assert capture.done == []


def test_of_a_region_in_a_file_the_path_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    session = session_of(Capture(), monkeypatch)
    assert (session.pointer, session.path, session.records) == (640, Path("region"), 7)


def test_through_a_transport_the_state_is_read_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    memory: Any = Memory()
    session = session_of(Capture(), monkeypatch, region=None, transport=memory)
    assert (session.pointer, session.path) == (4096, None)
    assert not session.has_stopped()
    assert memory.reads == [(word_offset("ls_header", "state"), 8)]
    session.stop()
    assert session.has_stopped()
    assert len(memory.reads) == 1


def test_a_temporary_folder_goes_when_all_is_known(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = session_of(Capture(entry("core 0", 2, 1, dropped=1)), monkeypatch)
    assert [one.name for one in temporary.iterdir()] == [session.directory.parent.name]
    assert session.directory.name == "run.capture"
    assert session.trace().meta.notes == ("one",)
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("case", ["error", "drain error", "unknown"])
def test_a_temporary_folder_stays_and_is_named_when_something_is_wrong(
    case: str, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    capture = Capture(entry("core 0", 2, 2), entry("core 1", 2, 2, unknown=case == "unknown"))
    capture.error = LanescopeError("gone") if case == "error" else None
    capture.drain_error = LanescopeError("full") if case == "drain error" else None
    session = session_of(capture, monkeypatch)
    notes = session.trace().meta.notes
    assert notes == ("one", f"The capture is kept in {session.directory}.")
    assert len(list(temporary.iterdir())) == 1


def test_a_folder_of_the_callers_stays_and_is_not_named(
    tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    capture = Capture(entry("core 1", 2, 2, unknown=True))
    session = session_of(capture, monkeypatch, directory=str(tmp_path / "mine"))
    assert session.directory == tmp_path / "mine"
    (tmp_path / "mine").mkdir()
    assert session.trace().meta.notes == ("one",)
    assert (tmp_path / "mine").is_dir()
    assert list(temporary.iterdir()) == []


def test_a_session_that_cannot_begin_leaves_no_folder_of_its_own(
    tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: Any, **__: Any) -> None:
        raise UsageError("too small")

    monkeypatch.setattr(sessions, "_capture", failing)
    (tmp_path / "mine").mkdir()
    for options in ({}, {"directory": tmp_path / "mine"}):
        with pytest.raises(UsageError, match=r"^too small$"):
            Session(region=REGION, **options)
    assert list(temporary.iterdir()) == []
    assert (tmp_path / "mine").is_dir()


def test_a_session_needs_a_region_or_a_way_to_one(temporary: Path) -> None:
    with pytest.raises(UsageError) as found:
        Session(name="mine")
    assert str(found.value) == (
        "expected a region to make, or a transport that reaches one, found neither; see "
        "lanescope.RegionConfig"
    )
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("region", [None, RegionConfig(flags=7, cores=())])
def test_a_transport_reaches_the_region_that_is_there_or_makes_the_one_asked_for(
    region: RegionConfig | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []

    def reach(*words: Any, **more: Any) -> Capture:
        asked.append((*words, more))
        return Capture()

    monkeypatch.setattr(sessions, "reach_session", reach)
    memory: Any = Memory()
    Session(region=region, transport=memory, directory=tmp_path, name="a", chip="b", collectors=2)
    Session(region=region, transport=memory, directory=tmp_path)
    assert asked == [
        (tmp_path, memory, region, {"note": SessionNote("a", "b"), "collectors": 2}),
        (tmp_path, memory, region, {"note": SessionNote("run", ""), "collectors": 1}),
    ]


def test_without_a_transport_the_region_is_made_in_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []

    def create(*words: Any, **more: Any) -> Capture:
        asked.append((*words, more))
        return Capture()

    monkeypatch.setattr(sessions, "create_session", create)
    Session(region=REGION, directory=tmp_path, name="a", chip="b", collectors=3)
    assert asked == [(tmp_path, REGION, {"note": SessionNote("a", "b"), "collectors": 3})]
