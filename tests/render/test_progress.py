"""The line about a long step: on a terminal only."""

from __future__ import annotations

import io
import sys

import pytest

from lanescope.render.progress import counting, working


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_nothing_is_printed_where_stderr_is_no_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with working("Reading"):
        pass
    assert capsys.readouterr() == ("", "")


def test_a_terminal_shows_the_label(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with working("Reading"):
        pass
    assert "Reading" in stream.getvalue()


def test_an_error_passes_through(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    with pytest.raises(ValueError, match="in the block"), working("Reading"):
        raise ValueError("in the block")


def test_a_count_shows_how_many_are_done(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with counting("Indexing", 3) as advance:
        for _ in range(3):
            advance()
    assert "Indexing" in stream.getvalue()
    assert "3/3" in stream.getvalue()


@pytest.mark.parametrize("label", ["", "Indexing"])
def test_a_count_is_silent_where_stderr_is_no_terminal(
    label: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with counting(label, 3) as advance:
        advance()
    assert capsys.readouterr() == ("", "")
