"""docs/fit.md: every command on it works and prints the lines shown below it."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from lanescope.cli import main
from lanescope.cli.memory_options import DRAM, MODELS, POLICIES

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "fit.md").read_text()
BLOCKS = re.findall(r"^```console\n\$ lanescope (.+)\n((?:.*\n)*?)```", PAGE, re.MULTILINE)


def test_the_commands_print_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    assert len(BLOCKS) == 2
    for command, shown in BLOCKS:
        assert main(shlex.split(command)) == 0, command
        printed = capsys.readouterr().out.splitlines()
        missing = [line for line in shown.splitlines() if line not in printed]
        assert missing == [], command


def test_the_files_it_names_exist() -> None:
    for target in re.findall(r"\]\((\.\./[^)]+)\)", PAGE):
        assert (ROOT / "docs" / target).resolve().exists()
    for target in re.findall(r"`(model/[\w./]+)`", PAGE):
        assert (ROOT / "src" / "lanescope" / target).exists()


def test_it_names_every_model_policy_and_preset() -> None:
    for name in (*MODELS, *POLICIES, *DRAM):
        assert name in PAGE


def test_the_options_offer_what_the_model_has() -> None:
    from lanescope.model.dram import preset_names
    from lanescope.model.memory import MODELS as there
    from lanescope.model.memory import POLICIES as policies

    assert (MODELS, POLICIES, DRAM) == (there, policies, preset_names())
