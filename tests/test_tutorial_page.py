"""docs/tutorial.md: its commands print what is shown, its pictures and its code are real."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.pages import (
    ROOT,
    page,
    require_commands_print_what_is_shown,
    require_links_lead_somewhere,
)

from lanescope.cli import main

PAGE = page("tutorial.md")
PICTURES = {
    "before-waits.svg": "before/waits.svg",
    "before-utilisation.svg": "before/utilisation.svg",
    "after-waits.svg": "after/waits.svg",
}
"""Picture in docs/tutorial to what the commands make."""


def test_the_commands_print_what_is_shown_and_draw_the_pictures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert require_commands_print_what_is_shown(PAGE, tmp_path, monkeypatch, capsys) == 12
    assert main(["report", "after.lanes", "--plots", "after"]) == 0
    for shown, made in PICTURES.items():
        assert f"](tutorial/{shown})" in PAGE
        stored = (ROOT / "docs" / "tutorial" / shown).read_text()
        assert stored == (tmp_path / made).read_text(), "run: make docs-pictures"


def test_the_code_is_that_of_the_example() -> None:
    shown = PAGE.split("```python\n")[1].split("```")[0].splitlines()
    code = (ROOT / "examples" / "split_sum.py").read_text().splitlines()
    assert [line for line in shown if line not in code] == []


def test_links_lead_somewhere() -> None:
    require_links_lead_somewhere(PAGE)
