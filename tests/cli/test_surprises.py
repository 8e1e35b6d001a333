"""What surprised a first reader once: a long page, words nobody explains, two defaults."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lanescope.cli import COMMANDS, main, parser_of

README = (Path(__file__).parents[2] / "README.md").read_text()


def test_the_page_of_a_run_fits_a_screen_and_says_what_its_kinds_of_core_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["run", "paged_attention"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 40
    assert "  aic: cube cores, which multiply matrices; aiv: vector cores." in lines


def test_run_and_bench_run_on_the_same_platform() -> None:
    chosen = {name: parser_of(name).get_default("platform") for name in ("run", "bench")}
    assert chosen == {"run": "a2a3", "bench": "a2a3"}


def test_the_readme_names_commands_that_take_a_part() -> None:
    [sentence] = re.findall(r"; (`.*) take a part: `--since 1ms --core 0-3`", README)
    named = re.findall(r"`([a-z-]+)`", sentence)
    takes = {name for name in COMMANDS if "--since" in parser_of(name)._option_string_actions}
    assert named == ["report", "view", "export", "diff"]
    assert set(named) <= takes
