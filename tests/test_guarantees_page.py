"""docs/guarantees.md and SECURITY.md: every promise names tests, and what they name exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.pages import ROOT, page

TEST = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)(?:\[(\w+)\])?`")
PROMISES = [
    line
    for line in page("guarantees.md").splitlines()
    if line.startswith("| ") and not line.startswith("| promised")
]


def exists(file: Path, name: str, case: str) -> bool:
    """Whether a file has a test; a case of it is a unit of the C file beside it."""
    if not re.search(rf"^def {name}\(", file.read_text(), re.MULTILINE):
        return False
    units = file.with_name("header_units.c")
    return not case or f"TEST({case})" in units.read_text()


def test_there_are_promises_for_everything_that_can_fail() -> None:
    titles = re.findall(r"^## When the (\w+) fails", page("guarantees.md"), re.MULTILINE)
    assert titles == ["program", "collector", "disk", "machine", "clock"]
    assert len(PROMISES) > 25


@pytest.mark.parametrize("promise", PROMISES)
def test_a_promise_names_tests_that_exist(promise: str) -> None:
    _, promised, shown, _ = promise.split("|")
    tests = TEST.findall(shown)
    assert promised.strip().endswith(".")
    assert [f"`{file}::{name}{f'[{case}]' if case else ''}`" for file, name, case in tests] == (
        shown.strip().split(", ")
    )
    for file, name, case in tests:
        assert exists(ROOT / file, name, case), f"{file}::{name}[{case}]"


def test_the_files_that_the_security_page_names_exist() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)`", (ROOT / "SECURITY.md").read_text())
    assert len(named) >= 5
    assert [file for file in named if not (ROOT / file).exists()] == []
