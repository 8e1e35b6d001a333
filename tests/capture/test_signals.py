"""Signals that ask the collector to end: the program gets them, and the trace is stored."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from tests.capture.programs import COLLECT, EXAMPLE, built

from lanescope.capture.directory import process_directories, process_of
from lanescope.capture.signals import Forwarder, _is_in_foreground, forwarded
from lanescope.trace import load


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(EXAMPLE, tmp_path_factory.mktemp("program") / "own_runtime")


def process_that_records(capture: Path) -> int:
    """The number of the process that records, once its spool is there."""
    until = time.monotonic() + 30
    while not list(capture.glob("*/spool")):
        assert time.monotonic() < until, "the collector did not start"
        time.sleep(0.01)
    [directory] = process_directories(capture)
    return process_of(directory)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_the_program_gets_the_signal_and_its_trace_is_stored(
    program: Path, tmp_path: Path, number: signal.Signals
) -> None:
    collector = subprocess.Popen(
        [*COLLECT, "-o", str(tmp_path), "--", str(program), "1000000000"],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        start_new_session=True,  # no terminal whose interrupts would reach the program, too
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),  # nohup and & ignore some
    )
    try:
        process = process_that_records(tmp_path / "own_runtime.capture")
        collector.send_signal(number)
        _, said = collector.communicate(timeout=60)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(collector.pid, signal.SIGKILL)
    assert collector.returncode == 1
    assert f"ended with signal {number.value}; what it recorded is in" in said
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
    trace = load(tmp_path / "own_runtime.lanes")
    assert all(entry.closes for entry in trace.meta.ledger)
    assert not (tmp_path / "own_runtime.capture").exists()


class Program:
    """What a Forwarder needs of a program."""

    def __init__(self) -> None:
        self.got: list[int] = []

    def send_signal(self, number: int) -> None:
        self.got.append(number)


def test_a_signal_before_the_program_was_started_is_kept_for_it() -> None:
    forwarder, program = Forwarder(), Program()
    forwarder.handle(signal.SIGTERM, None)
    forwarder.send_to(program)  # type: ignore[arg-type]
    assert program.got == [signal.SIGTERM]


def test_an_interrupt_of_the_keyboard_is_not_sent_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lanescope.capture.signals._is_in_foreground", lambda: True)
    forwarder, program = Forwarder(), Program()
    forwarder.send_to(program)  # type: ignore[arg-type]
    forwarder.handle(signal.SIGINT, None)
    assert program.got == []
    forwarder.handle(signal.SIGINT, None)
    assert program.got == [signal.SIGTERM]


@pytest.mark.parametrize(("group", "is_ours"), [(17, True), (18, False), (None, False)])
def test_interrupts_of_the_terminal_are_ours_in_its_foreground(
    group: int | None, is_ours: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the terminal cannot tell, they are not; it is closed again."""
    (tmp_path / "tty").write_text("")
    terminal = os.open(tmp_path / "tty", os.O_RDONLY)

    def foreground(handle: int) -> int:
        if group is None:
            raise OSError("no terminal")
        return group if handle == terminal else 0

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", lambda path, flags: terminal)
        patch.setattr(os, "tcgetpgrp", foreground)
        patch.setattr(os, "getpgrp", lambda: 17)
        assert _is_in_foreground() is is_ours
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(terminal)


def test_signals_go_to_the_program_only_while_it_is_collected_from() -> None:
    """An ignored one stays ignored; early ones wait for the program."""
    asking = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    sent: list[int] = []
    program = cast(Any, SimpleNamespace(send_signal=sent.append))
    usual = (signal.default_int_handler, signal.SIG_DFL, signal.SIG_IGN)
    before = {n: signal.signal(n, handler) for n, handler in zip(asking, usual, strict=True)}
    try:
        with forwarded() as forwarder:
            assert signal.getsignal(signal.SIGTERM) == forwarder.handle
            assert signal.getsignal(signal.SIGINT) == forwarder.handle
            assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
            forwarder.handle(signal.SIGTERM, None)
            assert sent == []
            forwarder.send_to(program)
            assert sent == [signal.SIGTERM]
        assert tuple(map(signal.getsignal, asking)) == usual
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
