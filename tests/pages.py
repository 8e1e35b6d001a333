"""What the tests of documentation pages share: their commands, run as a reader would."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from lanescope.cli import main

ROOT = Path(__file__).parents[1]


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text()


def commands(text: str) -> list[tuple[str, str]]:
    """The lanescope commands of the page's console blocks, each with the lines shown below it."""
    blocks = re.findall(r"^```console\n(\$ lanescope .+\n(?:.*\n)*?)```", text, re.MULTILINE)
    parts = [re.split(r"^\$ lanescope (.+)\n", block, flags=re.MULTILINE) for block in blocks]
    return [step for part in parts for step in zip(part[1::2], part[2::2], strict=True)]


def require_commands_print_what_is_shown(
    text: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> int:
    """Run the page's commands in order, each of which may read what an earlier one wrote; how
    many there were."""
    (folder / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(folder)
    steps = commands(text)
    for command, shown in steps:
        assert main(shlex.split(command)) == 0, command
        printed = capsys.readouterr().out.splitlines()
        missing = [line for line in shown.splitlines() if line not in printed]
        assert missing == [], command
    return len(steps)


def require_links_lead_somewhere(text: str) -> None:
    for target in re.findall(r"\]\((\.\./[^)]+)\)", text):
        assert (ROOT / "docs" / target).resolve().exists(), target
