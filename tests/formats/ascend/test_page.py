"""docs/ascend.md: its commands print what it shows, and it names every kind of file."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.formats.spans import DATA
from tests.pages import page, require_commands_print_what_is_shown

FILES = {"timeline": "trace_view.json", "kernels": "kernel_details.csv"}


@pytest.mark.skipif(not DATA.is_dir(), reason="needs ../shared/data")
def test_the_pages_commands_print_what_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder, name in FILES.items():
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_bytes((DATA / "ascend" / name).read_bytes())
    text = page("ascend.md")
    assert require_commands_print_what_is_shown(text, tmp_path, monkeypatch, capsys) == 4
