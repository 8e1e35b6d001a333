"""How long the steps of the program took, and how much of each the devices worked for it.

Work belongs to the step in which it was launched, whenever it ran.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lanescope.analyze.analysis import Analysis, Answers, Basis
from lanescope.analyze.columns.union import covered_ns
from lanescope.analyze.streams.basis import StreamBasis
from lanescope.render.cells import many_text, time_text
from lanescope.render.names import clean
from lanescope.render.page import PageColumn, Section
from lanescope.results import Result
from lanescope.trace.schema import MISSING

_MOST = 20
_FEW = 3
"""From so many steps on, the first is told apart: it warms up."""


@dataclass(frozen=True, slots=True)
class ProgramStep(Result):
    """One step of the program."""

    step: int | None
    """The source's own number."""
    name: str
    start_ns: int
    length_ns: int
    rows: int
    """Kernels, copies and fills that were launched in it."""
    busy_ns: int
    """Time in which any of these ran, on any device."""


@dataclass(frozen=True, slots=True)
class StepSpread(Result):
    """How lengths differ over steps."""

    count: int
    min_ns: int
    median_ns: float
    max_ns: int


@dataclass(frozen=True, slots=True)
class Steps(Result):
    """The steps of a program in their order."""

    steps: tuple[ProgramStep, ...]
    length: StepSpread | None
    """Over all steps but the first where there are three or more; None without steps."""
    busy: StepSpread | None
    first_apart: bool
    """Whether the spreads leave the first step out."""

    def __repr__(self) -> str:
        middle = "" if self.length is None else f", median {time_text(self.length.median_ns)}"
        return f"<Steps: {many_text(len(self.steps), 'step')}{middle}>"


def steps(basis: StreamBasis) -> Steps:
    """The steps of a trace; of steps that overlap, the one that began last owns a launch."""
    trace, work = basis.trace, basis.work
    table = trace.steps
    rows = np.flatnonzero((table["start_ns"] != MISSING) & (table["end_ns"] != MISSING))
    rows = rows[np.argsort(table["start_ns"][rows], kind="stable")]
    start, end = table["start_ns"][rows], table["end_ns"][rows]
    known = work.busy & work.launched
    called = work.call_start[known]
    at = np.searchsorted(start, called, side="right") - 1
    inside = (at >= 0) & (called < np.append(end, 0)[at])
    counts = np.bincount(at[inside], minlength=len(rows)).tolist()
    columns = (at[inside], work.start[known][inside], work.end[known][inside])
    busy = covered_ns(*columns, groups=len(rows)).tolist() if len(rows) else []
    names = trace.text("steps", "name")
    numbers = table["step"].tolist()
    found = tuple(
        ProgramStep(
            step=None if numbers[row] == MISSING else numbers[row],
            name=names[row],
            start_ns=int(start[k]),
            length_ns=int(end[k] - start[k]),
            rows=counts[k],
            busy_ns=busy[k],
        )
        for k, row in enumerate(rows.tolist())
    )
    apart = len(found) >= _FEW
    compared = found[1:] if apart else found
    return Steps(
        steps=found,
        length=_spread([one.length_ns for one in compared]),
        busy=_spread([one.busy_ns for one in compared]),
        first_apart=apart,
    )


def _spread(values: Sequence[int]) -> StepSpread | None:
    if not values:
        return None
    return StepSpread(len(values), min(values), float(statistics.median(values)), max(values))


def _sections(steps: Steps, answers: Answers) -> list[Section]:
    if steps.length is None or steps.busy is None:
        return []
    shown = steps.steps[:_MOST]
    whose = "Without the first step: " if steps.first_apart else ""
    lines = [
        f"{whose}{_spread_text('a step takes', steps.length)}; "
        f"{_spread_text('the devices work for it', steps.busy)}."
    ]
    names = tuple(clean(one.name) or str(one.step) for one in shown)
    notes = ["Work belongs to the step in which it was launched."]
    if len(steps.steps) > len(shown):
        notes.append(f"{many_text(len(steps.steps) - len(shown), 'more step')} in --json.")
    return [
        Section(
            title="Steps",
            lines=tuple(line[0].upper() + line[1:] for line in lines),
            columns=(
                PageColumn("step", "text", names, key=True),
                PageColumn("length", "time", tuple(one.length_ns for one in shown), scale="step"),
                PageColumn("busy", "time", tuple(one.busy_ns for one in shown), scale="step"),
                PageColumn("launched", "count", tuple(one.rows for one in shown)),
            ),
            notes=tuple(notes),
        )
    ]


def _spread_text(what: str, spread: StepSpread) -> str:
    if spread.count == 1:
        return f"{what} {time_text(spread.min_ns)}"
    ends = f"{time_text(spread.min_ns)} to {time_text(spread.max_ns)}"
    return f"{what} {ends}, median {time_text(spread.median_ns)}"


def _answer(basis: Basis) -> Steps:
    return steps(basis.of_streams())


STEPS = Analysis(
    name="steps",
    detail=True,
    question="How long did each step take, and how long did the devices work for it?",
    answer=_answer,
    sections=_sections,
    families=frozenset({"streams"}),
    place=240,
    keys="steps [step, name, start_ns, length_ns, rows, busy_ns], length and busy [count, min_ns, "
    "median_ns, max_ns] or null, first_apart",
)
