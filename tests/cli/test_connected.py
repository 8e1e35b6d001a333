"""`lanescope collect --connect`: until when the region of an agent is drained."""

from __future__ import annotations

import argparse
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from lanescope.capture import SessionNote
from lanescope.cli import connected
from lanescope.errors import LanescopeError, TransportError


class Far:
    """An agent: what it answers to each question whether its program has ended."""

    def __init__(self, *answers: bool | BaseException) -> None:
        self.answers = list(answers)
        self.asked: list[Any] = []
        self.session = SimpleNamespace(drain_error=None)

    def connect(self, address: str, *, token: str) -> Far:
        self.asked.append((address, token))
        return self

    def has_ended(self) -> bool:
        self.asked.append("ended?")
        answer = self.answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def reach(self, directory: Path, transport: Far, *, note: SessionNote) -> Any:
        self.asked.append((directory, transport is self, note))
        session, asked = self.session, self.asked

        class Session(SimpleNamespace):
            def __enter__(self) -> Any:
                asked.append("drains")
                return self

            def __exit__(self, *_: object) -> None:
                asked.append("drained")

            @property
            def drain_error(self) -> Any:
                return session.drain_error

        return Session()


def collected(far: Far, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr("lanescope.device.agent.client.Socket", far.connect)
    monkeypatch.setattr("lanescope.capture.session.reach_session", far.reach)
    monkeypatch.setattr("lanescope.device.agent.proof.given_token", lambda file: f"in {file}")
    monkeypatch.setattr(connected.time, "sleep", lambda seconds: far.asked.append(seconds))
    args = argparse.Namespace(connect="far:1", token_file=Path("token"))
    process = connected.collected(args, Path("a.capture"), "mine")
    assert (process.suffix, process.directory) == ("", Path("a.capture"))
    assert process.session is not None
    return process


def test_a_region_is_drained_until_its_program_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    far = Far(False, True)
    assert collected(far, monkeypatch).unfinished == ""
    assert far.asked == [
        ("far:1", "in token"),
        (Path("a.capture"), True, SessionNote("mine")),
        *("drains", 0.05, "ended?", 0.05, "ended?", "drained"),
    ]


@pytest.mark.parametrize(
    ("error", "unfinished"),
    [(KeyboardInterrupt(), connected.INTERRUPTED), (TransportError("gone"), "")],
)
def test_what_was_drained_until_an_interrupt_or_a_broken_line_is_kept(
    error: BaseException, unfinished: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    far = Far(False, error)
    assert collected(far, monkeypatch).unfinished == unfinished
    assert far.asked[-1] == "drained"


def test_a_drain_that_failed_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    far = Far()
    far.session.drain_error = LanescopeError("the disk is full")
    assert collected(far, monkeypatch).unfinished == ""
    assert far.asked[2:] == ["drains", "drained"]


def test_another_error_is_not_kept_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="odd"):
        collected(Far(ValueError("odd")), monkeypatch)
