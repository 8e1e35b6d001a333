"""docs/reading-a-report.md: its examples are what the report prints of the run it draws."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.example_run import example

from lanescope.analyze.cores.waiting import LABELS
from lanescope.reports import build_report

PAGE = Path(__file__).parents[1] / "docs" / "reading-a-report.md"
EXAMPLES = re.compile(r"<!-- example -->\n```\n(.*?)```", re.DOTALL)


def section(text: str, title: str) -> str:
    """From its title to the next one."""
    lines = text[text.index(f"{title}\n") :].splitlines()
    rest = [n for n, line in enumerate(lines) if n and line and not line.startswith(" ")]
    return "\n".join(lines[: rest[0]]).rstrip() + "\n"


@pytest.mark.parametrize(
    "shown", EXAMPLES.findall(PAGE.read_text()), ids=lambda s: s.split("\n")[0]
)
def test_the_examples_are_real(shown: str) -> None:
    text = build_report(example(), also=("graph",)).text(100)
    assert section(text, shown.splitlines()[0]) == shown


def test_every_answer_is_explained() -> None:
    page = PAGE.read_text()
    assert [label for label in LABELS.values() if f"| {label} |" not in page] == []
