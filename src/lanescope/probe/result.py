"""What a probe answers: a verdict per question, and the configuration that follows from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lanescope.probe.capture import ProbeCapture
from lanescope.results import Result

CANNOT_TELL = "cannot tell"

QUESTIONS = {
    "address": "Is the base address physical or virtual?",
    "stream": "Does the engine use the kernels' address mapping, or one of its own?",
    "form": "How are chunks laid in memory?",
    "fixp_code": "Which code does a mark on fixp have?",
    "buffer": "What happens at the buffer's end, and what does the write pointer count?",
    "cache": "Must the cache be invalidated before reading?",
    "owner": "Does somebody else own the registers?",
}


@dataclass(frozen=True, slots=True)
class ProbeVerdict(Result):
    """The answer to one question, what it rests on, and how sure it is."""

    question: str
    """The question's key in QUESTIONS."""
    answer: str
    evidence: tuple[str, ...]
    confidence: str
    """`high`, `medium`, or `none` where the question could not be answered."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields; the question is spelled out."""
        return {
            "question": QUESTIONS[self.question],
            "answer": self.answer,
            "confidence": self.confidence,
            "evidence": list(self.evidence),
        }


def cannot_tell(question: str, *evidence: str) -> ProbeVerdict:
    """Return the verdict that a question could not be answered, and why."""
    return ProbeVerdict(question, CANNOT_TELL, evidence, "none")


@dataclass(frozen=True, slots=True)
class Findings(Result):
    """All verdicts by question, and the captures that they rest on."""

    verdicts: dict[str, ProbeVerdict]
    captures: tuple[ProbeCapture, ...]
    problem: str = ""
    """Why the probe ended before the last question; empty where it did not."""

    def answer(self, question: str) -> str | None:
        """Return the answer to a question, or None where it could not be answered."""
        answer = self.verdicts[question].answer
        return None if answer == CANNOT_TELL else answer

    @property
    def complete(self) -> bool:
        """Whether every question was answered, and nothing went wrong."""
        return not self.problem and all(
            self.answer(question) is not None for question in self.verdicts
        )

    def configuration(self) -> dict[str, Any]:
        """Return what a collector should use; None where it is still unknown."""
        wrap, _, pointer = (self.answer("buffer") or "").partition(", ")
        cache, owner, fixp = (self.answer(name) for name in ("cache", "owner", "fixp_code"))
        return {
            "address": self.answer("address"),
            "stream": self.answer("stream"),
            "wrap": wrap or None,
            "pointer": pointer or None,
            "invalidate": None if cache is None else cache == "needs invalidate",
            "form": self.answer("form"),
            "fixp_code": None if fixp is None else int(fixp),
            "exclusive": None if owner is None else owner == "exclusive",
        }

    def to_dict(self) -> dict[str, Any]:
        """Return verdicts, configuration and completeness, without the raw captures."""
        return {
            "verdicts": {name: verdict.to_dict() for name, verdict in self.verdicts.items()},
            "configuration": self.configuration(),
            "complete": self.complete,
            "problem": self.problem or None,
        }
