"""Verdicts as a whole: whether all is answered, and what a collector should use."""

from __future__ import annotations

import pytest

from lanescope.probe.result import CANNOT_TELL, QUESTIONS, Findings, ProbeVerdict, cannot_tell

ANSWERS = {
    "address": "virtual",
    "stream": "own",
    "form": "chip6",
    "fixp_code": "10",
    "buffer": "ring, byte_count",
    "cache": "needs invalidate",
    "owner": "exclusive",
}


def found(problem: str = "", **answers: str) -> Findings:
    """All questions answered, but for these."""
    verdicts = {
        name: ProbeVerdict(name, answer, ("seen",), "high")
        for name, answer in (ANSWERS | answers).items()
    }
    return Findings(verdicts, (), problem)


def test_a_probe_is_complete_with_every_answer_and_without_a_problem() -> None:
    assert found().complete
    assert not found("the board is gone").complete
    assert not any(found(**{name: CANNOT_TELL}).complete for name in QUESTIONS)


def test_an_answer_that_could_not_be_given_is_none() -> None:
    assert (found().answer("cache"), found(cache=CANNOT_TELL).answer("cache")) == (
        *("needs invalidate", None),
    )
    assert cannot_tell("form", "one", "two") == ProbeVerdict(
        "form", "cannot tell", ("one", "two"), "none"
    )


KNOWN = {
    "address": "virtual",
    "stream": "own",
    "wrap": "ring",
    "pointer": "byte_count",
    "invalidate": True,
    "form": "chip6",
    "fixp_code": 10,
    "exclusive": True,
}


@pytest.mark.parametrize(
    ("answers", "used"),
    [
        ({}, {}),
        ({"cache": "coherent", "owner": "contended"}, {"invalidate": False, "exclusive": False}),
        ({"buffer": "linear"}, {"wrap": "linear", "pointer": None}),
        (
            dict.fromkeys(QUESTIONS, CANNOT_TELL),
            dict.fromkeys(KNOWN),
        ),
    ],
)
def test_the_configuration_follows_from_the_answers(
    answers: dict[str, str], used: dict[str, object]
) -> None:
    assert found(**answers).configuration() == KNOWN | used


def test_a_document_has_the_questions_in_words_and_no_captures() -> None:
    told = found("the board is gone").to_dict()
    assert told["verdicts"]["form"] == {
        "question": "How are chunks laid in memory?",
        "answer": "chip6",
        "confidence": "high",
        "evidence": ["seen"],
    }
    assert list(told["verdicts"]) == list(QUESTIONS)
    rest = {key: value for key, value in told.items() if key != "verdicts"}
    assert rest == {"configuration": KNOWN, "complete": False, "problem": "the board is gone"}
    assert (found().to_dict()["complete"], found().to_dict()["problem"]) == (True, None)
