"""docs/trace-format.md is what the schema says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lanescope.trace import Trace, save
from lanescope.trace.document import trace_format
from lanescope.trace.tables import SCHEMA

PAGE = Path(__file__).parents[2] / "docs" / "trace-format.md"


def test_the_page_is_what_the_schema_says() -> None:
    assert PAGE.read_text() == trace_format(), (
        "run: python -m lanescope.trace.document > docs/trace-format.md"
    )


def test_every_column_and_key_is_explained() -> None:
    assert all(column.doc for schema in SCHEMA.values() for column in schema.columns)
    assert re.findall(r"^\| .* \|  \|$", trace_format(), re.MULTILINE) == []


def test_the_pages_examples_run(
    trace: Trace,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    save(trace, tmp_path / "run.lanes")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert len(blocks) == 3
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), {})
    printed = capsys.readouterr().out
    assert re.search(r"QK\s*│\s*2\s*│\s*310", printed)
    assert "tiny 3 tasks, 390 ns busy" in printed
    assert re.search(r"run +3 +300", printed)
