"""Benchmarks, validation, examples and tests name only what lanescope has, also in long runs."""

from __future__ import annotations

import re
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FILES = sorted(
    file
    for folder in ("benchmarks", "validation", "examples", "tests", "tools")
    for file in (ROOT / folder).rglob("*.py")
)
IMPORT = re.compile(r"from (lanescope[\w.]*) import (\([^)]*\)|[^\n\\\"']+)")
"""Also inside the programs that benchmarks start, which are text."""


def missing_names(text: str) -> list[str]:
    """What the text imports of lanescope that is not there."""
    missing = []
    for module, names in IMPORT.findall(text):
        if module.startswith("lanescope.triton") and find_spec("triton") is None:
            continue  # it says so itself when it is imported
        home = import_module(module)
        for part in names.strip("() \n").split(","):
            name = part.split(" as ")[0].split("#")[0].strip()
            if not re.fullmatch(r"\w+", name) or hasattr(home, name):
                continue
            if find_spec(f"{module}.{name}") is None:
                missing.append(f"{module}.{name}")
    return missing


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_what_is_imported_is_there(file: Path) -> None:
    if file != Path(__file__):
        assert missing_names(file.read_text()) == []


def test_a_name_that_is_not_there_is_seen() -> None:
    assert missing_names("from lanescope.trace import Trace, Nothing") == [
        "lanescope.trace.Nothing"
    ]
