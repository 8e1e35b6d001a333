"""docs/simulator.md: its commands run, its chip is one, and its table names every phase."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from lanescope.cli import main
from lanescope.device.layouts import constants
from lanescope.platforms.sim.hooks import CODES

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs/simulator.md").read_text()


def block(language: str) -> str:
    (found,) = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    return str(found)


COMMANDS = [line.removeprefix("$ lanescope ") for line in block("console").splitlines()]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_page_works(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("examples", "validation"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    assert main(shlex.split(command, comments=True)) == 0


def test_the_chip_of_the_page_is_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "half.toml"
    file.write_text(block("toml"))
    assert main(["platforms", str(file)]) == 0
    assert capsys.readouterr().out.startswith("half: simulated: 36 cores (12 aic + 24 aiv)")


def test_the_table_has_every_phase_that_is_simulated() -> None:
    table = "\n".join(line for line in PAGE.splitlines() if line.startswith("| "))
    named = set(re.findall(r"[a-z_]+", table))
    orchestrator = {
        name.removeprefix("LS_ORCHESTRATOR_").lower()
        for name in constants()
        if name.startswith("LS_ORCHESTRATOR_") and name != "LS_ORCHESTRATOR_PHASE"
    }
    assert {"submit", "scope_end"} == orchestrator
    assert set(CODES) | orchestrator <= named
