"""docs/predict.md: every command on it works and prints the lines shown below it."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from lanescope.cli import main

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "predict.md").read_text()
BLOCKS = re.findall(r"^```console\n\$ lanescope (.+)\n((?:.*\n)*?)```", PAGE, re.MULTILINE)


def test_the_commands_print_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In one go and in order: a later command reads what an earlier one wrote."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    assert len(BLOCKS) == 10
    for command, shown in BLOCKS:
        assert main(shlex.split(command)) == 0, command
        printed = capsys.readouterr().out.splitlines()
        missing = [line for line in shown.splitlines() if line not in printed]
        assert missing == [], command


def test_the_files_it_names_exist() -> None:
    for target in re.findall(r"\]\((\.\./[^)]+)\)", PAGE):
        assert (ROOT / "docs" / target).resolve().exists()


def test_the_cost_sources_are_those_there_are() -> None:
    from lanescope.model.cost.source import cost_source_names

    table = PAGE[PAGE.index("| `--cost-source` |") : PAGE.index("The sources disagree")]
    assert sorted(re.findall(r"^\| `([\w-]+)`", table, re.MULTILINE)[1:]) == sorted(
        cost_source_names()
    )
