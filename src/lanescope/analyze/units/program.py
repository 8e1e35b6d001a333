"""What bounds a program on its units, why its instructions waited, and what each opcode took.

The bound and the reasons are the source's own words: a prediction says both, an emulator may say
reasons. Where no bound is stated, the busiest unit is named and nothing is concluded from it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lanescope.analyze.analysis import Analysis, Answers, Basis
from lanescope.analyze.columns.groups import group_by
from lanescope.analyze.cores.makespan import Makespan
from lanescope.analyze.tasks.functions import function_labels
from lanescope.analyze.units.cycles import moments
from lanescope.render.cells import count_text, many_text, percent_text, time_text
from lanescope.render.names import clean
from lanescope.render.page import PageColumn, Section
from lanescope.results import Result
from lanescope.trace.meta import WaitFacts
from lanescope.trace.schema import MISSING
from lanescope.trace.trace import Trace

_MOST = 40
_BRIEF = 5
"""Waits and opcodes on the short page."""
_LABEL = 200
"""Letters of a reason."""


@dataclass(frozen=True, slots=True)
class OpcodeUse(Result):
    """All instructions of one opcode."""

    DERIVED = ("mean_cycles",)

    opcode: str
    count: int
    cycles: int
    """Cycles for which their unit was taken, added up."""
    least_cycles: int
    most_cycles: int
    share: float | None
    """cycles / cycles of all instructions"""
    waited_cycles: int | None
    """Cycles from the front of the program to the start, added up; None where not known."""

    @property
    def mean_cycles(self) -> float:
        """Mean of one instruction."""
        return self.cycles / self.count


@dataclass(frozen=True, slots=True)
class UnitProgram(Result):
    """A program on units, in cycles of the trace's clock."""

    cycles: int | None
    """Cycles of the whole program; None where no instruction has times."""
    time_ns: int | None
    """The same in time, by the trace's clock."""
    serial_cycles: int | None
    """Cycles if every instruction waited for the one before it, where the source says so."""
    bound: str | None
    """What keeps the program from being faster, as the prediction says; None where nobody does."""
    bound_share: float | None
    """Its share of `cycles`, from 0 to 1."""
    busiest: str | None
    """The unit that was taken longest; None where there is one lane only."""
    busiest_share: float | None
    """Its share of the time."""
    waits: tuple[WaitFacts, ...]
    """Why the next instruction waited, the most cycles first."""
    opcodes: tuple[OpcodeUse, ...]
    """The most cycles first."""

    def __repr__(self) -> str:
        if self.cycles is None:
            return "<UnitProgram: no instruction has times>"
        return f"<UnitProgram: {_verdict(self)} {self.cycles:,} cycles>"


def unit_program(trace: Trace, span: Makespan) -> UnitProgram:
    """What bounds the program of a trace, and what its opcodes took."""
    facts = trace.meta.schedule
    cycles = facts.cycles if facts is not None else _length(trace)
    several = span.kinds if len(span.kinds) > 1 else ()
    used = max(several, key=lambda kind: kind.busy_ns, default=None)
    waits = facts.waits if facts is not None else ()
    return UnitProgram(
        cycles=cycles,
        time_ns=_time_ns(cycles, trace.meta.clock_hz),
        serial_cycles=facts.serial_cycles if facts is not None else None,
        bound=facts.bound or None if facts is not None else None,
        bound_share=facts.bound_share if facts is not None else None,
        busiest=used.kind if used is not None else None,
        busiest_share=used.utilisation if used is not None else None,
        waits=tuple(sorted(waits, key=lambda wait: -wait.cycles)),
        opcodes=_opcodes(trace),
    )


def _time_ns(cycles: int | None, clock_hz: int | None) -> int | None:
    return cycles * 1_000_000_000 // clock_hz if cycles is not None and clock_hz else None


def _length(trace: Trace) -> int | None:
    rows = np.flatnonzero(trace.ran())
    start, end = (moments(trace, name, rows) for name in ("start", "end"))
    known = start != MISSING
    return int(end[known].max() - start[known].min()) if known.any() else None


def _opcodes(trace: Trace) -> tuple[OpcodeUse, ...]:
    tasks = trace.tasks
    rows = np.flatnonzero(trace.ran())
    front, start, end = (moments(trace, name, rows) for name in ("dispatch", "start", "end"))
    groups = group_by(tasks["func"][rows])
    if not len(groups) or (start == MISSING).any():
        return ()
    length, known = end - start, bool((front != MISSING).all())
    waited = groups.sums(start - front) if known else [None] * len(groups)
    ordered, sums = length[groups.order], groups.sums(length)
    least = np.minimum.reduceat(ordered, groups.first).tolist()
    most = np.maximum.reduceat(ordered, groups.first).tolist()
    whole, counts = sum(sums), groups.counts()
    uses = [
        OpcodeUse(
            opcode=label.name,
            count=counts[k],
            cycles=sums[k],
            least_cycles=least[k],
            most_cycles=most[k],
            share=sums[k] / whole if whole else None,
            waited_cycles=waited[k],
        )
        for k, label in enumerate(function_labels(trace, groups.keys))
    ]
    return tuple(sorted(uses, key=lambda use: (-use.cycles, use.opcode)))


def _verdict(program: UnitProgram) -> str:
    """The bound as the prediction has it, or else the busiest unit."""
    if program.bound is not None:
        return f"Bound by {clean(program.bound)}, {percent_text(program.bound_share)} of"
    if program.busiest is not None:
        share = percent_text(program.busiest_share)
        return f"The busiest is {clean(program.busiest)}, {share} of"
    return "The run took"


def _sections(program: UnitProgram, answers: Answers) -> list[Section]:
    if program.cycles is None:
        return []
    sections = [_summary(program)]
    if program.waits:
        sections.append(_waits(program))
    if program.opcodes and answers.vocabulary.task == "instruction":
        sections.append(_opcode_table(program))
    return sections


def _brief(program: UnitProgram, answers: Answers) -> list[Section]:
    """The bound, the longest waits and the opcodes that took most."""
    few = replace(program, waits=program.waits[:_BRIEF], opcodes=program.opcodes[:_BRIEF])
    return _sections(few, answers)


def _summary(program: UnitProgram) -> Section:
    assert program.cycles is not None
    length = f"{count_text(program.cycles)} cycles ({time_text(program.time_ns)})"
    lines = [f"{_verdict(program)} {length}."]
    if program.serial_cycles is not None:
        serial = count_text(program.serial_cycles)
        lines.append(f"One instruction after the other would take {serial} cycles.")
    return Section(title="Verdict", lines=(" ".join(lines),))


def _waits(program: UnitProgram) -> Section:
    whole = program.cycles or 1
    lines = [
        f"{many_text(wait.cycles, 'cycle')} ({percent_text(wait.cycles / whole)}): "
        f"{clean(wait.label, _LABEL)}"
        for wait in program.waits
    ]
    return Section(title="Why the next instruction waited", lines=tuple(lines))


def _opcode_table(program: UnitProgram) -> Section:
    shown = program.opcodes[:_MOST]
    hidden = len(program.opcodes) - len(shown)
    return Section(
        title="Opcodes: cycles on their unit",
        columns=(
            PageColumn("opcode", "text", tuple(use.opcode for use in shown), key=True),
            PageColumn("count", "count", tuple(use.count for use in shown)),
            PageColumn("cycles", "count", tuple(use.cycles for use in shown)),
            PageColumn("share", "percent", tuple(use.share for use in shown)),
            PageColumn("mean", "number", tuple(use.mean_cycles for use in shown)),
            PageColumn("min", "count", tuple(use.least_cycles for use in shown)),
            PageColumn("max", "count", tuple(use.most_cycles for use in shown)),
            PageColumn("waited", "count", tuple(use.waited_cycles for use in shown)),
        ),
        notes=(f"{many_text(hidden, 'opcode')} more in --json.",) if hidden else (),
    )


def _answer(basis: Basis) -> UnitProgram:
    return unit_program(basis.trace, basis.makespan)


UNITS = Analysis(
    name="units",
    question="What bounds the program on its units, and why did its instructions wait?",
    answer=_answer,
    families=frozenset({"units"}),
    sections=_sections,
    brief=_brief,
    place=12,
    keys="cycles, time_ns, serial_cycles, bound, bound_share, busiest, busiest_share, "
    "waits [name, label, cycles], opcodes [opcode, count, cycles, least_cycles, most_cycles, "
    "share, waited_cycles, mean_cycles]",
)
