"""docs/fit.md: every command on it works and prints the lines shown below it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.pages import (
    ROOT,
    page,
    require_commands_print_what_is_shown,
    require_links_lead_somewhere,
)

from lanescope.cli.options.memory import DRAM, MODELS, POLICIES

PAGE = page("fit.md")


def test_the_commands_print_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert require_commands_print_what_is_shown(PAGE, tmp_path, monkeypatch, capsys) == 2


def test_the_files_it_names_exist() -> None:
    require_links_lead_somewhere(PAGE)
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
