"""docs/jobs.md: its commands run on the real job that it shows, and print the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.formats.streams.measures import DATA
from tests.pages import page, require_links_lead_somewhere

from lanescope.cli import main

PAGE = page("jobs.md")


@pytest.mark.skipif(not DATA.exists(), reason="../shared/data is not there")
def test_the_commands_print_what_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    archive = DATA / "kineto-dlrm-8rank" / "dlrm_kineto.tar.gz"
    (tmp_path / "dlrm_kineto.tar.gz").symlink_to(archive)
    monkeypatch.chdir(tmp_path)
    block = PAGE.split("```console\n")[1].split("```")[0].splitlines()
    assert main(block[0].removeprefix("$ lanescope ").split()) == 0
    capsys.readouterr()
    assert main(block[1].removeprefix("$ lanescope ").split()) == 0
    printed = capsys.readouterr().out.splitlines()
    assert [line for line in block[2:] if line not in printed] == []


def test_links_lead_somewhere() -> None:
    require_links_lead_somewhere(PAGE)
