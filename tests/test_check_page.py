"""docs/check.md: its examples are what the command prints, its table is the code's."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.checks.folders import lossy

from lanescope.checks.finding import KINDS
from lanescope.cli import main

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "check.md").read_text()
BLOCKS = re.findall(r"```console\n\$ lanescope check (\S+)\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize(("path", "code"), [("examples/small_run", 0), ("lossy_run", 1)])
def test_the_examples_are_what_is_printed(
    path: str,
    code: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    lossy(tmp_path / "lossy_run")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    assert main(["check", path]) == code
    assert capsys.readouterr().out == dict(BLOCKS)[path]


def test_the_kinds_of_findings_are_those_of_the_code() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", PAGE, re.MULTILINE))
    assert rows == KINDS
