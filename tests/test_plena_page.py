"""docs/plena.md: its commands print what is shown, with the files that it shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.pages import page, require_commands_print_what_is_shown, require_links_lead_somewhere

PAGE = page("plena.md")


def test_the_commands_print_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, language in {"small.asm": "asm", "board.jsonl": "json"}.items():
        (block,) = re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
        (tmp_path / name).write_text(block)
    assert require_commands_print_what_is_shown(PAGE, tmp_path, monkeypatch, capsys) == 2


def test_links_lead_somewhere() -> None:
    require_links_lead_somewhere(PAGE)
