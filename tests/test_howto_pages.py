"""docs/howto: every command prints the lines shown below it, and pages stay short."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from tests.pages import ROOT, require_commands_print_what_is_shown

import lanescope

PAGES = sorted(path for path in (ROOT / "docs" / "howto").glob("*.md") if path.name != "index.md")


def own_runtime(folder: Path) -> None:
    """Compile the example as its page says."""
    source = ROOT / "examples" / "own_runtime" / "own_runtime.c"
    include = ["-I", str(lanescope.include_directory())]
    program = ["-o", str(folder / "own_runtime"), "-lpthread"]
    subprocess.run(["cc", "-std=gnu11", "-O2", *include, str(source), *program], check=True)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_the_commands_print_what_is_shown(
    path: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = path.read_text()
    if path.stem == "own-runtime":
        own_runtime(tmp_path)
    assert require_commands_print_what_is_shown(text, tmp_path, monkeypatch, capsys) >= 1
    for code, shown in re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", text, re.DOTALL):
        exec(compile(code, path.name, "exec"), {})
        assert capsys.readouterr().out == shown


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page_is_short_and_the_list_has_it(path: Path) -> None:
    assert 20 <= len(path.read_text().splitlines()) <= 60
    assert f"({path.name})" in (path.parent / "index.md").read_text()
