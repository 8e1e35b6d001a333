"""docs/python.md: its code runs and prints what it shows, its table names what there is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.pages import page, require_links_lead_somewhere

import lanescope
from lanescope.cli import COMMANDS

ROOT = Path(__file__).parents[1]
PAGE = page("python.md")
NOT_VERBS = {
    "CallConfig",
    "GraphBuilder",
    "Importer",
    "Exporter",
    "Analysis",
    "Report",
    "Trace",
    "Job",
    "Fleet",
    "Core",
    "RegionConfig",
    "SharedMapping",
    "ShadowCopy",
    "Socket",
    "Transport",
    "UntestedAscend",
    "__version__",
}
BESIDE = {"show_board", "check_board", "show_platform", "include_directory", "level_features"}
"""Functions that stand beside one of the table."""


def test_the_code_runs_and_prints_what_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(compile(block, "docs/python.md", "exec"), names)
    shown = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)[0]
    assert capsys.readouterr().out.startswith(shown)


def test_the_table_has_every_function_and_only_those() -> None:
    table = PAGE.split("## Verbs")[1].split("##")[0]
    named = set(re.findall(r"`(\w+)\(", table)) - {"to_dict"}
    public = {name for name in lanescope.__all__ if not name.endswith("Error")}
    assert named == public - NOT_VERBS - BESIDE


def test_the_table_has_every_command() -> None:
    table = PAGE.split("## Verbs")[1].split("##")[0]
    cells = [row.split("|")[2] for row in table.splitlines() if row.count("|") >= 4]
    named = {word for cell in cells for word in re.findall(r"[a-z-]+", cell)}
    assert set(COMMANDS) - named == {"config", "completion"}  # the shell's alone


def test_links_lead_somewhere() -> None:
    require_links_lead_somewhere(PAGE)
