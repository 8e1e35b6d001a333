"""What a probe found: a verdict per question, and the configuration that follows from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lanescope.probe.capture import ProbeCapture

CANNOT_TELL = "cannot tell"

QUESTIONS = {
    "address": "Is the base address physical or virtual?",
    "form": "How are chunks laid in memory?",
    "fixp_code": "Which code does a mark on fixp have?",
    "buffer": "What happens at the buffer's end, and what does the write pointer count?",
    "cache": "Must the cache be invalidated before reading?",
    "owner": "Does somebody else own the registers?",
}


@dataclass(frozen=True, slots=True)
class ProbeVerdict:
    """The answer to one question, what it rests on, and how sure it is."""

    question: str
    answer: str
    evidence: tuple[str, ...]
    confidence: str
    """`high`, `medium`, or `none` where the answer is that it cannot be told."""


def cannot_tell(question: str, *evidence: str) -> ProbeVerdict:
    return ProbeVerdict(question, CANNOT_TELL, evidence, "none")


@dataclass(frozen=True, slots=True)
class Findings:
    """All verdicts, by question, and the captures they rest on."""

    verdicts: dict[str, ProbeVerdict]
    captures: tuple[ProbeCapture, ...]

    def answer(self, question: str) -> str | None:
        """None where it could not be told."""
        found = self.verdicts[question].answer
        return None if found == CANNOT_TELL else found

    @property
    def complete(self) -> bool:
        return all(self.answer(question) is not None for question in self.verdicts)

    def configuration(self) -> dict[str, Any]:
        """What a collector should use; null where it must still be found out."""
        wrap, _, pointer = (self.answer("buffer") or "").partition(", ")
        cache, owner, fixp = (self.answer(name) for name in ("cache", "owner", "fixp_code"))
        return {
            "address": self.answer("address"),
            "wrap": wrap or None,
            "pointer": pointer or None,
            "invalidate": None if cache is None else cache == "needs invalidate",
            "form": self.answer("form"),
            "fixp_code": None if fixp is None else int(fixp),
            "exclusive": None if owner is None else owner == "exclusive",
        }
