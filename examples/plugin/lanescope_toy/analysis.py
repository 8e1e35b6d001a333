"""An analysis for lanescope in a package of its own: which cores ran nothing?"""

from __future__ import annotations

from dataclasses import dataclass

from lanescope.analyze.analysis import Analysis, Answers, Basis
from lanescope.render.page import Section
from lanescope.results import Result
from lanescope.trace import Trace


@dataclass(frozen=True, slots=True)
class IdleCores(Result):
    """Cores without a task that ran; the fields are the JSON."""

    cores: tuple[str, ...]


def idle_cores(trace: Trace) -> IdleCores:
    """Names of the cores that ran nothing, in the order of the chip."""
    used = set(trace.tasks["core"][trace.ran()].tolist())
    named = zip(trace.cores["core"].tolist(), trace.text("cores", "name"), strict=True)
    return IdleCores(tuple(name for core, name in named if core not in used))


def _answer(basis: Basis) -> IdleCores:
    return idle_cores(basis.trace)


def _sections(idle: IdleCores, answers: Answers) -> list[Section]:
    if not idle.cores:
        return []
    return [Section(title="Idle cores", lines=(", ".join(idle.cores),))]


IDLE_CORES = Analysis(
    name="idle_cores",
    question="Which cores ran nothing?",
    answer=_answer,
    sections=_sections,
    keys="cores [name]",
)
