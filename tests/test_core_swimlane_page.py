"""docs/core-swimlane.md: registers, chunks, losses, commands and figures are those of the code."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from lanescope.chunks import layout
from lanescope.cli import main
from lanescope.device.perfmon import REGISTERS
from lanescope.platforms.sim.chip import load_chip
from lanescope.platforms.sim.stream import REGION_END, REGION_START
from lanescope.probe.result import QUESTIONS
from lanescope.workloads.pipes import MARK_LIMIT

PAGE = (Path(__file__).parents[1] / "docs" / "core-swimlane.md").read_text()


def test_the_registers_are_listed() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (0x[0-9A-F]{4}) \|", PAGE, re.MULTILINE)
    assert {name: int(offset, 16) for name, offset in rows} == REGISTERS


def test_the_codes_of_chunks_are_listed() -> None:
    rows = re.findall(r"^\| (\d+)(?: (?:to|or) (\d+))? \| ", PAGE, re.MULTILINE)
    codes = [tuple(int(code) for code in row if code) for row in rows]
    assert codes == [(0, 5), tuple(sorted(layout.FIXP_CODES)), (layout.CTRL_STAMP,),
                     (layout.CTRL_STATE,)]  # fmt: skip
    assert "N from 0 to 1023" in PAGE and MARK_LIMIT == 1024
    assert "(mark 1024 + N)" in PAGE and REGION_START == 1024
    assert "(mark 3072 + N)" in PAGE and REGION_END == 3072


def test_a_question_of_the_probe_is_a_row() -> None:
    section = PAGE.partition("## Bring-up\n")[2]
    assert len(re.findall(r"^\| .+\? \| .+ \|$", section, re.MULTILINE)) == len(QUESTIONS)


def test_the_costs_it_names_exist() -> None:
    costs = load_chip("a5").perfmon
    assert costs is not None
    assert costs.drain_ps > 0 and costs.burst_ps > 0
    assert "`drain_ns`" in PAGE and "`burst_ns`" in PAGE


def test_its_first_commands_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    first = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)[0]
    for command in re.findall(r"^\$ lanescope (.*)$", first, re.MULTILINE):
        assert main(shlex.split(command)) == 0
    assert "Inside the cores\n" in capsys.readouterr().out


def test_the_comparison_is_what_the_command_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    found = re.search(r"\$ lanescope (bench .*)\n```\n\n```\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    assert main(shlex.split(found[1])) == 0
    assert found[2] in capsys.readouterr().out
