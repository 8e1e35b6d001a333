"""The line about a long step: on a terminal only."""

from __future__ import annotations

import io
import sys

import pytest

from lanescope.render.progress import working


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
