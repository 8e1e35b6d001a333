"""docs/streams.md: its examples are what the report prints, its table names every reason."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.formats.streams.measures import DATA
from tests.test_report_page import section

from lanescope.analyze.streams.reasons import IDLE_LABELS
from lanescope.formats import import_trace
from lanescope.reports import build_report

PAGE = (Path(__file__).parents[1] / "docs" / "streams.md").read_text()
EXAMPLES = re.compile(r"<!-- example -->\n```\n(.*?)```", re.DOTALL).findall(PAGE)


@pytest.fixture(scope="module")
def report() -> str:
    if not DATA.exists():
        pytest.skip("../shared/data is not there")
    return build_report(import_trace(DATA / "kineto/nccl_data.json.gz")).text(100)


@pytest.mark.parametrize("shown", EXAMPLES, ids=lambda shown: shown.split("\n")[0])
def test_the_examples_are_real(shown: str, report: str) -> None:
    whole = section(f"{report}\nend\n", shown.splitlines()[0])
    beginning, cut, _ = shown.partition("  …\n")
    assert whole.startswith(beginning) if cut else whole == shown


def test_every_reason_is_explained() -> None:
    rows = [f"| {label} | `{what}` |" for what, label in IDLE_LABELS.items()]
    assert [row for row in rows if row not in PAGE] == []
