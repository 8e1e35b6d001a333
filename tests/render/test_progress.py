"""The line about a long step: on a terminal only."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest

from lanescope.render import progress
from lanescope.render.progress import Advance, counting, reading, silent, working


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


def test_bytes_that_are_read_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with reading("Opening", 3000) as advance:
        advance(1000)
        advance(2000)
    assert "Opening" in stream.getvalue()
    assert "3.0/3.0 kB" in stream.getvalue()


@pytest.mark.parametrize("step", [counting, reading])
def test_a_step_without_a_label_is_not_shown(
    step: Callable[[str, int], AbstractContextManager[Advance]], monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with step("", 3) as advance:
        advance(3)
    assert stream.getvalue() == ""


def test_steps_of_a_silent_block_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with silent(), working("Reading"), counting("Indexing", 3), reading("Opening", 3):
        pass
    assert stream.getvalue() == ""
    with working("Reading"):
        pass
    assert "Reading" in stream.getvalue()


def shown() -> list[bool]:
    """Of each step, from the outermost on, whether its line is shown."""
    return [bar.live.is_started for bar in progress._shown]


def test_the_innermost_step_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    with working("First"), working("Second"):
        with working("Third"):
            assert shown() == [False, False, True]
        assert shown() == [False, True]
    assert shown() == []


def test_a_step_may_end_before_the_one_inside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps of other threads end when they like."""
    monkeypatch.setattr(sys, "stderr", Terminal())
    with working("First"):
        outer, inner = working("Second"), working("Third")
        with outer:
            inner.__enter__()
        assert shown() == [False, True]
        inner.__exit__(None, None, None)
        assert shown() == [True]


def test_a_line_is_removed_at_the_end_of_its_step(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    with working("Reading"):
        pass
    up, erase = "\x1b[1A", "\x1b[2K"
    assert stream.getvalue().endswith(up + erase)


def test_the_rate_is_told_as_soon_as_it_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """2,000 and 3,000 in the two seconds behind the first."""
    now, stream = [0.0], Terminal()
    monkeypatch.setattr("rich.console.monotonic", lambda: now[0])
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("COLUMNS", "200")
    with counting("Indexing", 6000) as advance:
        assert "/s" not in stream.getvalue()
        for second, more in enumerate((1000, 2000, 3000)):
            now[0] = second
            advance(more)
    assert "2,500/s" in stream.getvalue()
