"""docs/perfetto.md, docs/chrome.md and docs/xplane.md: their commands run, their links lead."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.pages import page, require_commands_print_what_is_shown, require_links_lead_somewhere

DATA = Path(__file__).parents[1] / "../shared/data/traces/xplane/mi300_jax_conv_tw003.xplane.pb"


@pytest.mark.parametrize("name", ["perfetto.md", "chrome.md"])
def test_the_commands_print_what_the_page_shows(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = require_commands_print_what_is_shown(page(name), tmp_path, monkeypatch, capsys)
    assert found == 3


@pytest.mark.skipif(not DATA.is_file(), reason="needs ../shared/data")
def test_the_real_example_prints_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "tw003.xplane.pb").write_bytes(DATA.read_bytes())
    text = page("xplane.md").replace(
        "\n$ lanescope report", "\n```\n\n```console\n$ lanescope report"
    )
    text = text.replace("…\n```", "```")
    assert require_commands_print_what_is_shown(text, tmp_path, monkeypatch, capsys) == 2


@pytest.mark.parametrize("name", ["perfetto.md", "chrome.md", "xplane.md"])
def test_links_lead_somewhere(name: str) -> None:
    require_links_lead_somewhere(page(name))
