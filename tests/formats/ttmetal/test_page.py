"""docs/tt-metal.md: its commands print what it shows."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.formats.spans import DATA
from tests.pages import page, require_commands_print_what_is_shown


@pytest.mark.skipif(not DATA.is_dir(), reason="needs ../shared/data")
def test_the_pages_commands_print_what_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    [real] = (DATA / "tt-metal").glob("*.csv")
    (tmp_path / "report").mkdir()
    (tmp_path / "report" / "ops_perf_results.csv").write_bytes(real.read_bytes())
    text = page("tt-metal.md")
    assert require_commands_print_what_is_shown(text, tmp_path, monkeypatch, capsys) == 2
