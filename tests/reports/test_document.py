"""docs/report-json.md says what the registry says, and the JSON has the keys it names."""

from __future__ import annotations

import re
import runpy
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from tests.analyze.streams.made import full
from tests.analyze.tracks.test_slices import nested
from tests.analyze.units.made import program

import lanescope.reports.document
from lanescope.analyze.analysis import Analysis
from lanescope.analyze.registry import own_analyses
from lanescope.formats import import_paths
from lanescope.replay.ranking import EFFORTS
from lanescope.replay.what_if import ChangePrediction, EffortGroup, WhatIf
from lanescope.reports import build_report
from lanescope.reports.document import report_json

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "report-json.md"


def keys_of(value: object) -> set[str]:
    """Every key anywhere below."""
    if isinstance(value, dict):
        return {*value, *(key for inner in value.values() for key in keys_of(inner))}
    if isinstance(value, list):
        return {key for inner in value for key in keys_of(inner)}
    return set()


def test_the_page_is_what_the_registry_writes() -> None:
    assert PAGE.read_text() == report_json(), (
        "run: python -m lanescope.reports.document > docs/report-json.md"
    )


@pytest.mark.parametrize(("name", "written"), [("__main__", True), ("imported", False)])
def test_the_module_writes_the_page_where_it_is_run(
    name: str, written: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    runpy.run_path(lanescope.reports.document.__file__, run_name=name)
    assert capsys.readouterr().out == (report_json() if written else "")


@pytest.fixture(scope="module")
def figures() -> dict[str, Any]:
    """The answers about cores; then, of the questions that are not asked there, the others."""
    (trace,) = import_paths([ROOT / "examples" / "small_run"])
    also = [one.name for one in own_analyses()]
    parts = [build_report(one, also=also).to_dict() for one in (program(), nested(), full(), trace)]
    return {key: answer for part in parts for key, answer in part.items()}


@pytest.mark.parametrize("analysis", own_analyses(), ids=lambda one: one.name)
def test_every_key_of_the_json_is_named(
    analysis: Analysis[object], figures: dict[str, Any]
) -> None:
    answer = figures[analysis.name]
    if analysis.name == "critical":
        answer = {key: value for key, value in answer.items() if key != "segments"}
    named = set(re.findall(r"\w+", analysis.keys))
    assert keys_of(answer) - named - {analysis.name} == set()


def test_most_questions_have_an_answer_in_the_run_that_is_looked_at(
    figures: dict[str, Any],
) -> None:
    silent = {name for name, answer in figures.items() if answer in ([], None)}
    assert silent == {"conditions", "slowest"}


def test_the_page_has_every_key_of_a_what_if() -> None:
    said = set(re.findall(r"[\w-]+", report_json().split("## What if", 1)[1]))
    keys = {one.name for kind in (WhatIf, ChangePrediction, EffortGroup) for one in fields(kind)}
    assert keys <= said and EFFORTS.keys() <= said
