"""The registered analyses: each can be documented, and each answers an empty trace."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from tests.analyze.hand import make_trace

from lanescope.analyze import registry
from lanescope.analyze.analysis import Analysis, Answers, Basis
from lanescope.analyze.cores.makespan import makespan
from lanescope.analyze.graph.nodes import nodes
from lanescope.analyze.registry import _clashes, analyses, own_analyses
from lanescope.errors import PluginError
from lanescope.plugins import Plugin
from lanescope.trace.vocabulary import FAMILIES, Family


def test_our_analyses_come_first() -> None:
    assert analyses()[: len(own_analyses())] == own_analyses()


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_what_is_imported_for_a_family_is_what_can_be_asked_of_it(family: Family) -> None:
    possible = tuple(one for one in own_analyses() if family in one.families)
    assert own_analyses(family) == possible


def test_no_name_is_used_twice() -> None:
    assert [name for name, n in Counter(one.name for one in analyses()).items() if n > 1] == []


@pytest.mark.parametrize("analysis", own_analyses(), ids=lambda one: one.name)
def test_an_analysis_has_a_question_and_says_its_keys(analysis: Analysis[Any]) -> None:
    assert analysis.question.endswith("?") and analysis.question[0].isupper()
    assert analysis.name.isidentifier() and analysis.keys


def test_sections_have_places_of_their_own() -> None:
    places = Counter(one.place for one in own_analyses() if one.sections.__name__ != "_no_sections")
    assert max(places.values()) == 1


def test_an_empty_trace_has_an_answer_to_every_question() -> None:
    trace = make_trace()
    basis = Basis(trace, nodes(trace), makespan(trace))
    answers = Answers({one.name: one.answer(basis) for one in own_analyses()})
    titles = [
        section.title
        for one in sorted(own_analyses(), key=lambda one: one.place)
        if not one.on_request
        for section in one.sections(answers[one.name], answers)
    ]
    assert titles == ["Capture", "Losses", "Time"]


@pytest.mark.parametrize("name", ["sections", "text", "to_dict", "ran"])
def test_an_analysis_may_not_have_the_name_of_something_else_in_a_report(name: str) -> None:
    offered = own_analyses()[0]
    assert _clashes(offered) == ""
    assert _clashes(replace(offered, name=name)) == "a report has something else of that name"


OFFERED = Analysis(
    name="own", question="Why?", answer=lambda basis: 1 // len(basis.trace.tasks), keys=""
)


def test_what_installed_packages_offer_comes_last_and_names_its_package(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(registry, "entry_points", lambda group: {"own": object()})
    monkeypatch.setattr(registry, "load_plugins", lambda group: (Plugin(OFFERED, "pack 1.0"),))
    analyses.cache_clear()
    try:
        *ours, last = analyses("units")
    finally:
        analyses.cache_clear()
    assert tuple(ours) == own_analyses("units") and last.name == "own"
    with pytest.raises(PluginError, match="the analysis 'own' failed in package pack 1"):
        last.answer(Basis(make_trace(), nodes(make_trace()), makespan(make_trace())))
