"""`collect`, `recover` and `flight` on runs made by hand: what is asked for, kept and told."""

from __future__ import annotations

import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.analyze.hand import entry, make_trace

from lanescope.capture.collect import CollectedRun
from lanescope.device.call_config import CallConfig
from lanescope.errors import LanescopeError, UsageError
from lanescope.facade import recordings
from lanescope.facade.recordings import Collected, collect, flight, recover
from lanescope.trace import LedgerEntry, Trace


class Process:
    """A process that recorded one trace."""

    def __init__(self, suffix: str, *ledger: LedgerEntry) -> None:
        self.suffix = suffix
        self.session = SimpleNamespace(contents=lambda: f"records{suffix}")
        self._trace = make_trace({"name": f"a{suffix}", "ledger": ledger, "notes": ("one",)})

    def reconcile(self) -> Trace:
        return self._trace


class Collecting:
    """Stands in for `lanescope.capture.collect`: says what it was asked, and returns its run."""

    def __init__(self) -> None:
        self.asked: dict[str, Any] = {}
        self.run = CollectedRun(3, (Process(""),), (), timed_out=True)  # type: ignore[arg-type]
        self.makes_folder = True
        self.error: BaseException | None = None

    def collect(self, command: list[str], **asked: Any) -> CollectedRun:
        self.asked = {"command": command, **asked}
        if self.makes_folder:
            asked["directory"].mkdir()
        if self.error is not None:
            raise self.error
        return self.run

    def recorded(self, *processes: Process, refused: tuple[str, ...] = ()) -> None:
        """What the next run recorded."""
        self.run = CollectedRun(0, processes, refused, timed_out=False)  # type: ignore[arg-type]


@pytest.fixture
def collecting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Collecting:
    made = Collecting()
    monkeypatch.setattr(recordings, "collecting", made)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    return made


def left(tmp_path: Path) -> list[str]:
    return sorted(path.name for path in (tmp_path / "temporary").glob("*/*"))


def test_a_program_is_asked_for_everything_unless_less_is_said(collecting: Collecting) -> None:
    collected = collect(["bin/mine.sh", "7"])
    assert (collected.exit_code, collected.timed_out) == (3, True)
    assert [trace.meta.notes for trace in collected.traces] == [("one",)]
    asked = collecting.asked
    assert asked["command"] == ["bin/mine.sh", "7"]
    assert asked["call"] == CallConfig(chip_swimlane=4, on_full="block")
    assert (asked["note"].name, asked["time_limit_s"]) == ("mine", None)
    assert asked["directory"].name == "run.capture"


def test_what_is_said_is_asked_for(collecting: Collecting, tmp_path: Path) -> None:
    collect(
        ["mine"],
        chip_swimlane=1,
        on_full="drop",
        name="other",
        directory=str(tmp_path / "kept"),
        time_limit_s=2.5,
    )
    asked = collecting.asked
    assert asked["call"] == CallConfig(chip_swimlane=1, on_full="drop")
    assert (asked["note"].name, asked["time_limit_s"]) == ("other", 2.5)
    assert asked["directory"] == tmp_path / "kept"
    call = CallConfig(chip_swimlane=2, pmu=True)
    collect(["mine"], call=call, directory=tmp_path / "again")
    assert collecting.asked["call"] == call


@pytest.mark.parametrize("beside", [{"chip_swimlane": 1}, {"on_full": "drop"}])
def test_a_call_says_all_or_nothing(collecting: Collecting, beside: dict[str, Any]) -> None:
    with pytest.raises(UsageError) as found:
        collect(["mine"], call=CallConfig(), **beside)
    assert str(found.value) == (
        "expected chip_swimlane and on_full inside `call`, found them beside it"
    )


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            CallConfig(chip_swimlane=0),
            "level 0 records nothing; start the program by itself instead",
        ),
        (
            CallConfig(dump_tensors=True),
            "expected CallConfig(tensors=FOLDER) for the tensors, found none",
        ),
    ],
)
def test_a_call_that_leads_to_nothing_is_refused(
    collecting: Collecting, call: CallConfig, sentence: str
) -> None:
    with pytest.raises(UsageError) as found:
        collect(["mine"], call=call)
    assert str(found.value) == sentence
    assert collecting.asked == {}


def test_regions_that_could_not_be_drained_are_told_and_kept(
    collecting: Collecting, tmp_path: Path
) -> None:
    collecting.recorded(Process(""), refused=("region a is old", "region b is torn"))
    with pytest.raises(LanescopeError) as found:
        collect(["mine"])
    assert str(found.value) == "region a is old; region b is torn"
    assert left(tmp_path) == ["run.capture"]


def test_a_temporary_capture_is_removed_when_all_is_known(
    collecting: Collecting, tmp_path: Path
) -> None:
    collecting.recorded(Process("", entry("core 0", 3, 2, dropped=1)))
    assert collect(["mine"]).trace.meta.notes == ("one",)
    assert list((tmp_path / "temporary").iterdir()) == []


def test_a_temporary_capture_is_kept_when_something_is_unknown(
    collecting: Collecting, tmp_path: Path
) -> None:
    known, unknown = entry("core 0", 3, 3), entry("core 1", 1, 1, unknown=True)
    collecting.recorded(Process("-1", known), Process("-2", known, unknown))
    traces = collect(["mine"]).traces
    where = f"The capture is kept in {collecting.asked['directory']}."
    assert [trace.meta.notes for trace in traces] == [("one", where), ("one", where)]
    assert left(tmp_path) == ["run.capture"]


def test_a_capture_with_a_name_is_kept_and_not_told(collecting: Collecting, tmp_path: Path) -> None:
    collecting.recorded(Process("", entry("core 1", 1, 1, unknown=True)))
    assert collect(["mine"], directory=tmp_path / "kept").trace.meta.notes == ("one",)
    collecting.recorded(Process("", entry("core 1", 1, 1)))
    collecting.makes_folder = False
    assert collect(["mine"], directory=tmp_path / "kept").trace.meta.notes == ("one",)
    assert (tmp_path / "kept").is_dir()


@pytest.mark.parametrize(("makes_folder", "there"), [(False, []), (True, ["run.capture"])])
def test_after_an_error_only_what_was_captured_is_left(
    collecting: Collecting, makes_folder: bool, there: list[str], tmp_path: Path
) -> None:
    collecting.makes_folder, collecting.error = makes_folder, KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        collect(["mine"])
    assert left(tmp_path) == there
    assert len(list((tmp_path / "temporary").iterdir())) == len(there)


def test_after_an_error_a_folder_of_the_callers_is_left_alone(
    collecting: Collecting, tmp_path: Path
) -> None:
    collecting.makes_folder, collecting.error = False, UsageError("no such program")
    (tmp_path / "mine").mkdir()
    with pytest.raises(UsageError, match=r"^no such program$"):
        collect(["mine"], directory=tmp_path / "mine" / "run.capture")
    assert (tmp_path / "mine").is_dir()


def test_tensors_go_to_the_folder_of_their_process(
    collecting: Collecting, monkeypatch: pytest.MonkeyPatch
) -> None:
    dumped: list[tuple[str, Path]] = []
    monkeypatch.setattr(
        recordings, "dump_recorded", lambda contents, folder: dumped.append((contents, folder))
    )
    collecting.recorded(Process("-7"), Process("-8"))
    collect(["mine"], call=CallConfig(dump_tensors=True, tensors="a.tensors"))
    assert dumped == [("records-7", Path("a-7.tensors")), ("records-8", Path("a-8.tensors"))]
    dumped.clear()
    collect(["mine"], call=CallConfig(tensors="a.tensors"))
    assert dumped == []


def test_edges_come_from_the_file_that_the_program_wrote(
    collecting: Collecting, monkeypatch: pytest.MonkeyPatch
) -> None:
    joined: list[tuple[Any, Path]] = []
    monkeypatch.setattr(recordings, "join_deps", lambda run, path: joined.append((run, path)))
    collect(["mine"])
    assert joined == []
    collect(["mine"], call=CallConfig(deps="deps.json"))
    assert joined == [(collecting.run, Path("deps.json"))]


@pytest.mark.parametrize(
    ("count", "sentence"),
    [
        (0, "no process recorded, so there is no trace"),
        (2, "2 processes recorded; take one of `traces`"),
    ],
)
def test_only_one_trace_is_the_trace(count: int, sentence: str) -> None:
    collected = Collected(0, tuple(make_trace() for _ in range(count)), timed_out=False)
    with pytest.raises(UsageError) as found:
        _ = collected.trace
    assert str(found.value) == sentence


def test_all_processes_together_are_called_as_asked_or_as_the_first() -> None:
    traces = tuple(
        make_trace({"name": f"a-{n}", "process": n}, cores=[{"core": 0}]) for n in (5, 6)
    )
    collected = Collected(0, traces, timed_out=False)
    assert collected.together().meta.name == "a-5"
    whole = collected.together("both")
    assert (whole.meta.name, whole.cores["process"].tolist()) == ("both", [5, 6])


def test_recover_and_flight_ask_for_the_part_that_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(recordings, "rebuild_capture", lambda *words: asked.append(words))
    monkeypatch.setattr(recordings, "read_flight", lambda path, *, last: asked.append((path, last)))
    recover("a.capture")
    recover("a.capture", since="1us", until=5000, core="0,2")
    flight("a.capture")
    flight("a.capture", last=3)
    part = recordings.part_of(since=1000, until=5000, core=[0, 2])
    assert part is not None
    assert asked == [
        (Path("a.capture"), None),
        (Path("a.capture"), part),
        (Path("a.capture"), 1),
        (Path("a.capture"), 3),
    ]
