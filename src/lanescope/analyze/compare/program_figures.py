"""A predicted and an emulated run as a whole: cycles, instructions, bytes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.results import Result
from lanescope.trace.schema import MISSING
from lanescope.trace.trace import Trace
from lanescope.trace.vocabulary import vocabulary

CYCLES, SERIAL = "cycles", "cycles one after the other"
_INSTRUCTIONS = "instructions"
_BYTES = ("read bytes", "written bytes")


@dataclass(frozen=True, slots=True)
class ProgramFigure(Result):
    """One figure of the whole run on both sides; None where a side does not have it."""

    DERIVED = ("difference",)

    name: str
    predicted: float | None
    emulated: float | None

    @property
    def difference(self) -> float | None:
        """What the emulator has more than predicted."""
        if self.predicted is None or self.emulated is None:
            return None
        return self.emulated - self.predicted


def program_figures(predicted: Trace, emulated: Trace) -> tuple[ProgramFigure, ...]:
    """Figures that at least one side has.

    An emulated run on one lane, of which nobody says why instructions waited, waits for every one,
    so its cycles are those of one instruction after the other.
    """
    sides = [_figures(trace) for trace in (predicted, emulated)]
    facts = emulated.meta.schedule
    if len(emulated.cores) == 1 and not (facts is not None and facts.waits):
        sides[1].setdefault(SERIAL, sides[1].get(CYCLES))
    rows = [
        ProgramFigure(name, sides[0].get(name), sides[1].get(name))
        for name in (CYCLES, SERIAL, _INSTRUCTIONS, *_BYTES)
    ]
    return tuple(row for row in rows if not row.predicted is row.emulated is None)


def _figures(trace: Trace) -> dict[str, float | None]:
    facts = trace.meta.schedule
    figures: dict[str, float | None] = {}
    if facts is not None:
        figures[CYCLES] = facts.cycles
        if facts.serial_cycles is not None:
            figures[SERIAL] = facts.serial_cycles
    if vocabulary(trace).task == "instruction":
        listed = int(np.count_nonzero(trace.ran()))
        figures[_INSTRUCTIONS] = listed + sum(facts.unlisted.values() if facts else ())
    stated = _totals(trace)
    figures.setdefault(_INSTRUCTIONS, stated.get(_INSTRUCTIONS, stated.get("ops")))
    return {**figures, **{name: stated[name] for name in _BYTES if name in stated}}


def _totals(trace: Trace) -> dict[str, float]:
    """Counters of the whole run: stated as such, or the last value of a series."""
    table = trace.counters
    whole = (table["task"] == MISSING) & (table["site"] < 0) & np.isfinite(table["value"])
    rows = table.rows(whole)
    return dict(zip(rows.text("name"), rows["value"].tolist(), strict=True))
