"""What a terminal gets: colours unless NO_COLOR is set, and progress unless --quiet is given."""

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console
from tests.cli.ground import SMALL

from lanescope.render.page import Section
from lanescope.render.terminal import render_terminal

COLOUR = re.compile(r"\x1b\[[\d;]*3[0-7][\d;]*m")


def on_terminal(*words: str, **variables: str) -> str:
    """What a pseudo-terminal is sent by stdout and stderr together."""
    parent, child = pty.openpty()
    command = [sys.executable, "-m", "lanescope", *words]
    plain = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR")}
    env = {**plain, "TERM": "xterm-256color", "COLUMNS": "120", **variables}
    seen = b""
    with subprocess.Popen(command, stdout=child, stderr=child, env=env):
        os.close(child)
        while True:
            try:
                block = os.read(parent, 4096)
            except OSError:
                break
            seen += block
    os.close(parent)
    return seen.decode()


def test_a_report_has_colours_that_NO_COLOR_takes_away() -> None:
    coloured = on_terminal("report", str(SMALL), "--until", "50us")
    assert COLOUR.search(coloured)
    plain = on_terminal("report", str(SMALL), "--until", "50us", NO_COLOR="1")
    assert not COLOUR.search(plain) and "SOFTMAX" in plain


def test_a_refusal_begins_in_red() -> None:
    assert on_terminal("reprot").startswith("\x1b[1;31mlanescope:\x1b[0m there is no command")
    assert on_terminal("reprot", NO_COLOR="1").startswith("lanescope: there is no command")


def test_FORCE_COLOR_colours_what_is_no_terminal() -> None:
    command = [sys.executable, "-m", "lanescope", "report", str(SMALL), "--until", "50us"]
    plain = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR")}
    for variables, has in (({}, False), ({"FORCE_COLOR": "1"}, True)):
        out = subprocess.run(command, env={**plain, **variables}, capture_output=True, check=True)
        assert bool(COLOUR.search(out.stdout.decode())) is has


def test_quiet_shows_no_progress(tmp_path: Path) -> None:
    shown = on_terminal("import", str(SMALL), "-o", str(tmp_path))
    assert "importing 1 of 1" in shown
    quiet = on_terminal("import", str(SMALL), "-o", str(tmp_path), "--quiet", NO_COLOR="1")
    assert quiet.splitlines() == [
        f"{tmp_path}/small_run-2.lanes  level 4: 122 tasks, 12 cores, 430 phases, 127 edge rows",
        f"{tmp_path}/small_run.lanes is there already, so this is small_run-2.lanes; --force "
        "replaces",
    ]


@pytest.mark.parametrize(
    ("section", "colour"),
    [
        (Section(title="Verdict", lines=("The cores ran.",)), "36"),
        (Section(title="Losses", lines=("Nothing lost: all 3 records delivered.",)), "32"),
        (Section(title="Warning", lines=("Records were lost.",), is_warning=True), "31"),
    ],
)
def test_the_verdict_and_losses_stand_out(section: Section, colour: str) -> None:
    stream = io.StringIO()
    render_terminal([section], Console(file=stream, force_terminal=True, color_system="standard"))
    assert f"\x1b[{colour}m  {section.lines[0]}" in stream.getvalue()


def test_steps_in_steps_show_the_inner_one(monkeypatch: pytest.MonkeyPatch) -> None:
    from lanescope.render.progress import counting, reading, silent, working

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with working("outside"), reading("inside", 2_000_000) as advance:
        advance(2_000_000)
    seen = stream.getvalue()
    assert "outside" in seen and "inside" in seen and "2.0/2.0 MB" in seen
    stream.truncate(0)
    with silent(), working("outside"), counting("inside", 2) as advance:
        advance()
    assert stream.getvalue() == ""
