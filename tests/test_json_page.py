"""docs/json.md: its table names every schema, its commands and its script work."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.pages import page, require_commands_print_what_is_shown

from lanescope.cli.schemas.outputs import OUTPUTS, JsonOutput

PAGE = page("json.md")


def test_the_table_names_every_schema() -> None:
    rows = re.findall(r"^\| ([\w-]+)(?: \((.+)\))? \| `(.+)` \| \[.*\]\((.*)\) \|$", PAGE, re.M)
    assert rows == [
        (name, shape(one), one.command, f"schemas/{name}.json") for name, one in OUTPUTS.items()
    ]


def shape(output: JsonOutput) -> str:
    if output.item is not None:
        return "a list"
    return "a line per trace" if output.lines else ""


def test_the_script_prints_what_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert require_commands_print_what_is_shown(PAGE, tmp_path, monkeypatch, capsys) == 2
    [(code, shown)] = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", PAGE, re.DOTALL)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=True
    )
    assert done.stdout == shown
