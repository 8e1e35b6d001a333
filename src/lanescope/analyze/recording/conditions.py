"""Conditions of a recording that explain its figures better than the program does.

They stand before all figures: who reads "dispatched, not picked up 80 %" of four threads on two
processors must not look for the cause in the program.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lanescope.analyze.analysis import Analysis, Answers, Basis
from lanescope.render.cells import many_text
from lanescope.render.page import Section
from lanescope.results import Result
from lanescope.trace.schema import MISSING, TaskFlag
from lanescope.trace.trace import Trace
from lanescope.trace.vocabulary import vocabulary

_BUSY = 0.75
"""A load average of this many per processor says that others kept the processors busy."""
_WRONG = TaskFlag.WILD_TIME | TaskFlag.BACKWARDS


@dataclass(frozen=True, slots=True)
class Condition(Result):
    """One condition, and what to do about it."""

    what: str
    """`processors`, `load`, `clock`, `level` or `graph`."""
    text: str
    """What is so, and what it does to the figures: a sentence."""
    todo: str
    """What to do: a sentence."""


def conditions(trace: Trace) -> tuple[Condition, ...]:
    """The conditions that a reader must know first; none of them for a sound recording."""
    if vocabulary(trace).family != "cores" or not trace.ran().any():
        return ()
    return (*_processors(trace), *_clock(trace), *_recorded(trace))


def _processors(trace: Trace) -> Iterator[Condition]:
    facts = trace.meta.recording
    if facts is None or facts.processors is None:
        return
    processors = many_text(facts.processors, "processor")
    if facts.threads is not None and facts.threads > facts.processors:
        yield Condition(
            "processors",
            f"Too few processors: {facts.threads} threads shared {processors}, so a core or a "
            "scheduler often waited for its turn. Waits below are mostly that.",
            f"Run on a machine with at least {facts.threads} processors, or with fewer cores: "
            "--cores and --schedulers.",
        )
    elif facts.load is not None and facts.load > _BUSY * facts.processors:
        yield Condition(
            "load",
            f"The machine was busy with other programs: a load of {facts.load:.1f} on "
            f"{processors} when the run began. Waits below may be theirs.",
            "Run it again on a quiet machine, several times: --rounds.",
        )


def _clock(trace: Trace) -> Iterator[Condition]:
    wrong = int(np.count_nonzero(trace.tasks["flags"] & _WRONG))
    if wrong:
        yield Condition(
            "clock",
            f"The clock jumped, or records are damaged: {many_text(wrong, 'task row')} with times "
            "that cannot be right. They are in no figure below.",
            "Look at the notes of the full report; --json lists the lanes.",
        )


def _recorded(trace: Trace) -> Iterator[Condition]:
    """What was not recorded, as far as the reasons for waits need it."""
    if not (trace.tasks["dispatch_ns"] != MISSING).any():
        facts = trace.meta.recording
        text = "Dispatch was not recorded (level 1), so waits have no reasons."
        todo = "Record it again with --chip-swimlane=4."
        if facts is not None and facts.unit_clock_hz is not None:
            text = "A kernel without a scheduler has no dispatch, so waits have no reasons."
            todo = "send() and receive() in the kernel record which task another one waited for."
        yield Condition("level", text, todo)
    elif not len(trace.edges):
        yield Condition(
            "graph",
            "The task graph is not known, so waits for data cannot be told from others, and "
            "nothing can be foreseen.",
            "Record the edges, too: 'lanescope collect --deps FILE', or the runtime's deps.json "
            "beside its records.",
        )


def _opening(found: tuple[Condition, ...], answers: Answers) -> list[Section]:
    lines = tuple(f"{one.text} {one.todo}" for one in found)
    return [Section(title="Read this first", lines=lines, is_warning=True)] if found else []


def _answer(basis: Basis) -> tuple[Condition, ...]:
    return conditions(basis.trace)


CONDITIONS = Analysis(
    name="conditions",
    question="Do conditions of the recording explain the figures better than the program does?",
    answer=_answer,
    opening=_opening,
    families=frozenset({"cores"}),
    place=5,
    keys="[what, text, todo]; what is processors, load, clock, level or graph",
)
