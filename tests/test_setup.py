"""What a newcomer with an incomplete machine is told, and that the project's files are in place."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import lanescope

ROOT = Path(__file__).parents[1]


def check(python: str, compiler: str) -> tuple[int, str]:
    done = subprocess.run(
        ["sh", str(ROOT / "tools" / "check_setup.sh"), python, compiler],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr.count("\n") == done.returncode
    return done.returncode, done.stderr


def script(path: Path, text: str) -> str:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def test_a_complete_machine_is_silent() -> None:
    assert check(sys.executable, "sh") == (0, "")


def test_no_python() -> None:
    code, sentence = check("/nowhere/python3", "sh")
    assert code == 1
    assert "needs Python 3.11 or newer, but '/nowhere/python3' was not found" in sentence


def test_python_too_old(tmp_path: Path) -> None:
    old = script(tmp_path / "python3", 'case "$2" in *exit*) exit 1;; *) echo 3.9.2;; esac')
    code, sentence = check(old, "sh")
    assert code == 1
    assert "is Python 3.9.2: install a newer one" in sentence


def test_no_compiler() -> None:
    code, sentence = check(sys.executable, "/nowhere/cc")
    assert code == 1
    assert "needs a C compiler, but '/nowhere/cc' was not found" in sentence


def test_the_version_has_one_value() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["version"] == lanescope.__version__


@pytest.mark.parametrize(("name", "options"), [("small_run", ()), ("slow_core", ("6",))])
def test_an_example_run_is_what_its_script_writes(
    tmp_path: Path, name: str, options: tuple[str, ...]
) -> None:
    maker = ROOT / "examples" / "make_small_run.py"
    subprocess.run([sys.executable, str(maker), str(tmp_path / name), *options], check=True)
    for file in sorted((ROOT / "examples" / name).iterdir()):
        assert (tmp_path / name / file.name).read_bytes() == file.read_bytes(), file.name
