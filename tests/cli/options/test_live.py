"""The process behind `--view`: what it is told, and how long a command waits for it."""

from __future__ import annotations

import argparse
import io
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from lanescope.cli.options import live
from lanescope.cli.options.live import Viewing, viewing

Output = pytest.CaptureFixture[str]
LINK = "http://127.0.0.1:1"


class Input(io.StringIO):
    """A pipe into the process that keeps what came after it is closed; it may be broken."""

    broken = False

    def __init__(self) -> None:
        super().__init__()
        self.text, self.flushed = "", 0

    def write(self, text: str, /) -> int:
        if self.broken:
            raise BrokenPipeError
        self.text += text
        return len(text)

    def flush(self) -> None:
        self.flushed = len(self.text)

    def close(self) -> None:
        super().close()
        if self.broken:
            raise BrokenPipeError


class Process:
    """A process that prints a link, and ends when it is asked to, or not."""

    def __init__(self, link: str = f"{LINK}\n", *, ends: bool = True) -> None:
        self.stdin, self.stdout = Input(), io.StringIO(link)
        self.ends, self.gone = ends, False
        self.done: list[Any] = []
        self.interrupted = False

    def wait(self, timeout: float | None = None) -> int:
        self.done.append(("wait", timeout))
        if self.interrupted:
            self.interrupted = False
            raise KeyboardInterrupt
        if timeout is not None and not self.ends:
            raise subprocess.TimeoutExpired("live", timeout)
        self.gone = self.gone or self.ends
        return 0

    def poll(self) -> int | None:
        return 0 if self.gone else None

    def kill(self) -> None:
        self.done.append("kill")
        self.gone = self.ends = True

    @property
    def told(self) -> list[Any]:
        """What it was told and has received."""
        assert self.stdin.flushed == len(self.stdin.text)
        return [json.loads(line) for line in self.stdin.text.splitlines()]


def view_of(process: Process) -> Viewing:
    return Viewing(process)  # type: ignore[arg-type]


def test_stored_traces_are_served_until_nobody_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    process = Process()
    view = view_of(process)
    view.stored([Path("a.lanes"), tmp_path / "b.lanes"], Path("here"))
    view.stay()
    traces = [f"{tmp_path}/a.lanes", f"{tmp_path}/b.lanes"]
    assert process.told == [{"traces": traces, "where": "here", "stays": True}]
    assert process.done == [("wait", None)]


def test_without_a_stored_trace_or_a_process_nothing_stays() -> None:
    process = Process()
    view = view_of(process)
    view.stay()
    view.stored([], Path("here"))
    view.stay()
    assert (process.told, process.done) == ([], [])
    none = Viewing(None)
    none.stored([Path("a.lanes")], Path("here"))
    none.stay()
    none.close()


def test_a_page_is_told_where_the_traces_are_and_the_process_ends() -> None:
    process = Process()
    view = view_of(process)
    view.stored([Path("a.lanes")], Path("here"))
    view.close()
    assert process.told == [{"traces": [], "where": "here", "stays": False}]
    assert process.done == [("wait", None), ("wait", 5.0)]
    assert process.stdin.closed and process.stdout.closed


def test_a_process_that_does_not_end_is_killed() -> None:
    process = Process(ends=False)
    view_of(process).close()
    assert process.told == [{"traces": [], "where": "", "stays": False}]
    assert process.done == [("wait", None), ("wait", 5.0), "kill", ("wait", None)]


def test_a_process_that_is_gone_is_not_told_and_its_pipes_are_closed() -> None:
    process = Process()
    process.stdin.broken = True
    view_of(process).close()
    assert process.done == [("wait", 5.0)]
    assert process.stdin.closed and process.stdout.closed


def test_ctrl_c_ends_the_waiting_for_pages_and_no_more() -> None:
    process = Process()
    process.interrupted = True
    view = view_of(process)
    view.stored([Path("a.lanes")], Path("here"))
    view.stay()
    assert process.done == [("wait", None)]


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The calls that start a process; it is the last thing in the list, or given as the first."""
    calls: list[Any] = []

    def start(command: Sequence[str], **more: Any) -> Any:
        process = calls.pop() if calls else Process()
        calls.extend([command, more, process])
        return process

    monkeypatch.setattr(subprocess, "Popen", start)
    return calls


def test_without_the_option_nothing_is_started(started: list[Any], capsys: Output) -> None:
    with viewing(argparse.Namespace(view=False), Path("a.capture"), "mine") as view:
        view.stored([Path("a.lanes")], Path("here"))
        view.stay()
    assert started == []
    assert capsys.readouterr() == ("", "")


def test_the_page_is_served_by_a_process_of_its_own(
    started: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    monkeypatch.chdir(tmp_path)
    with viewing(argparse.Namespace(view=True), Path("a.capture"), "mine"):
        command, more, process = started
        assert process.done == []
        assert capsys.readouterr() == ("", f"{LINK}  (shows the lanes while they grow)\n")
    assert command == [
        *(sys.executable, "-m", "lanescope.facade.live", f"{tmp_path}/a.capture", "mine")
    ]
    assert more == {
        "stdin": subprocess.PIPE,
        "stdout": subprocess.PIPE,
        "text": True,
        "encoding": "utf-8",
        "start_new_session": True,
    }
    assert process.done == [("wait", None), ("wait", 5.0)]


def test_a_page_that_cannot_be_served_is_told_and_recording_goes_on(
    started: list[Any], capsys: Output
) -> None:
    started.append(Process("\n"))
    with viewing(argparse.Namespace(view=True), Path("a.capture"), "mine"):
        said = "--view: the page could not be served; recording goes on\n"
        assert capsys.readouterr() == ("", said)


def test_the_process_ends_also_when_the_recording_fails(started: list[Any]) -> None:
    with (
        pytest.raises(ValueError, match="no"),
        viewing(argparse.Namespace(view=True), Path("a.capture"), "mine"),
    ):
        raise ValueError("no")
    assert started[2].done == [("wait", None), ("wait", 5.0)]


def test_the_option_is_off_unless_it_is_given() -> None:
    parser = argparse.ArgumentParser()
    live.configure(parser)
    assert (parser.parse_args([]).view, parser.parse_args(["--view"]).view) == (False, True)
