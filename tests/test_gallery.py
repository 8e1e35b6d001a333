"""examples/gallery: every script prints what is stored beside it, and the page shows the same."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest
from tests.pages import page

GALLERY = Path(__file__).parents[1] / "examples" / "gallery"
SCRIPTS = sorted(GALLERY.glob("*.py"))
PAGE = page("gallery.md")


def test_there_are_five() -> None:
    assert len(SCRIPTS) == 5
    assert {file.stem for file in GALLERY.glob("*.out")} == {one.stem for one in SCRIPTS}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_script_prints_what_is_stored(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(script))
    assert capsys.readouterr().out == script.with_suffix(".out").read_text()


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_script_is_short_and_the_page_shows_what_it_prints(script: Path) -> None:
    assert len(script.read_text().splitlines()) <= 40
    shown = f"(../examples/gallery/{script.name})"
    output = f"```text\n{script.with_suffix('.out').read_text()}```"
    assert shown in PAGE
    assert output in PAGE[PAGE.index(shown) :]
