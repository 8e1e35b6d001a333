"""docs/predict.md: every command on it works and prints the lines shown below it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.pages import (
    page,
    require_commands_print_what_is_shown,
    require_links_lead_somewhere,
)

PAGE = page("predict.md")


def test_the_commands_print_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert require_commands_print_what_is_shown(PAGE, tmp_path, monkeypatch, capsys) == 12


def test_the_files_it_names_exist() -> None:
    require_links_lead_somewhere(PAGE)


def test_the_cost_sources_are_those_there_are() -> None:
    from lanescope.model.cost.source import cost_source_names

    table = PAGE[PAGE.index("| `--cost-source` |") : PAGE.index("The sources disagree")]
    assert sorted(re.findall(r"^\| `([\w-]+)`", table, re.MULTILINE)[1:]) == sorted(
        cost_source_names()
    )


def test_the_builds_are_those_there_are() -> None:
    from lanescope.model.isa.isa import isa_names

    table = PAGE[PAGE.index("| `--isa` |") : PAGE.index("A mnemonic that only")]
    rows = [row.split("|")[1] for row in table.splitlines()[2:] if row.startswith("|")]
    assert sorted(re.findall(r"`([\w-]+)`", " ".join(rows))) == sorted(isa_names())
