"""What an analysis and the answers of a report can do."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest
from tests.analyze.hand import make_trace, task

from lanescope.analyze.analysis import Analysis, Answers, Basis
from lanescope.analyze.cores.makespan import Span, makespan
from lanescope.analyze.graph.nodes import nodes
from lanescope.analyze.streams.basis import stream_basis
from lanescope.render.page import Section
from lanescope.results import Result


@dataclass(frozen=True)
class Count(Result):
    """An answer."""

    tasks: int


def counted(basis: Basis) -> Count:
    return Count(len(basis.trace.tasks))


COUNT = Analysis(name="count", question="How many tasks?", answer=counted, keys="tasks")


def basis_of(*rows: dict[str, object]) -> Basis:
    trace = make_trace(tasks=rows)
    return Basis(trace, nodes(trace), makespan(trace))


def test_an_analysis_answers_from_the_basis() -> None:
    answer = COUNT.answer(basis_of(task(0, 0, 1, 2, 3, 4)))
    assert (answer, COUNT.to_dict(answer)) == (Count(1), {"tasks": 1})


def test_an_analysis_without_sections_has_none() -> None:
    answers = Answers({"count": Count(1)})
    parts = (COUNT.sections, COUNT.opening, COUNT.closing)
    assert [list(part(Count(1), answers)) for part in parts] == [[], [], []]


def test_sections_may_look_at_other_answers() -> None:
    other = Analysis(
        name="other",
        question="?",
        answer=counted,
        keys="",
        sections=lambda answer, answers: [Section(title=f"{answers.count.tasks} tasks")],
    )
    assert other.sections(Count(0), Answers({"count": Count(7)})) == [Section(title="7 tasks")]


def test_an_answer_is_reached_by_analysis_key_and_attribute() -> None:
    answers = Answers({"count": Count(3)})
    assert answers.of(COUNT) == answers["count"] == answers.count == Count(3)
    assert "count" in dir(answers)


def test_an_unknown_answer_is_an_attribute_error() -> None:
    answers = Answers({"count": Count(3)})
    with pytest.raises(AttributeError, match="'Answers' object has no attribute 'verdict'"):
        answers.verdict  # noqa: B018
    with pytest.raises(KeyError, match="verdict"):
        answers["verdict"]


def test_questions_about_streams_share_what_was_made_for_them() -> None:
    trace = make_trace(tasks=[task(0, 0, 1, 2, 3, 4)])
    basis = basis_of(task(0, 0, 1, 2, 3, 4))
    assert basis.of_streams() is not basis.of_streams()
    made = stream_basis(trace)
    assert replace(basis, streams=made).of_streams() is made


def test_the_window_of_a_basis_is_the_makespans() -> None:
    assert basis_of(task(0, 0, 1, 2, 3, 4)).window == Span(0, 4)
    assert basis_of().window is None
