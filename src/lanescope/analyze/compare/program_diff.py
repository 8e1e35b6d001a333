"""A predicted program against the same program as an emulator ran it, instruction by instruction.

The n-th execution of an instruction (by its pc) is held against the n-th on the other side. Cycles
are compared, not times: the prediction's are those of the board's clock, the emulator's its own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lanescope.analyze.compare.program_figures import ProgramFigure, program_figures
from lanescope.analyze.compare.program_rows import (
    InstructionDiff,
    ProgramSide,
    line_rows,
    program_side,
)
from lanescope.errors import LanescopeError
from lanescope.results import Result
from lanescope.trace.numbering import find
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace
from lanescope.trace.vocabulary import vocabulary

MOST_LINES = 1000
"""Lines that a comparison keeps; those with the largest differences."""
_PREDICTED = "predicted"


@dataclass(frozen=True, slots=True)
class ProgramDiff(Result):
    """Where a prediction is off, by opcode and by line."""

    predicted: str
    """Name of the predicted trace."""
    emulated: str
    predicted_hz: int | None
    """Rate of the prediction's clock."""
    emulated_hz: int | None
    figures: tuple[ProgramFigure, ...]
    """The run as a whole on both sides."""
    matched: int
    """Executions that both sides have; 0 where one side is known as a whole only."""
    opcodes: tuple[InstructionDiff, ...]
    """The largest difference first."""
    lines: tuple[InstructionDiff, ...]
    """Lines that differ, the largest difference first, at most 1,000."""
    lines_different: int
    """How many lines differ."""
    behind: tuple[InstructionDiff, ...]
    """Lines before which the emulated run fell behind or caught up, the most cycles first, at most
    1,000. Their cycles add up to how much later the last instruction started."""
    notes: tuple[str, ...]
    """What the emulated trace says about itself."""

    @property
    def difference(self) -> int:
        """Cycles that all instructions together took more than predicted."""
        return sum(row.difference for row in self.opcodes)

    def __repr__(self) -> str:
        found = f"{self.matched:,} instructions, {self.difference:+,} cycles"
        return f"<ProgramDiff of {self.predicted} and {self.emulated}: {found}>"

    def changes(self) -> dict[str, float]:
        """Relative changes from predicted to emulated: of every figure and opcode."""
        pairs = {one.name: (one.predicted, one.emulated) for one in self.figures}
        pairs |= {one.opcode: (one.predicted_cycles, one.emulated_cycles) for one in self.opcodes}
        return {
            name: emulated / predicted - 1
            for name, (predicted, emulated) in pairs.items()
            if predicted and emulated is not None
        }


def prediction_pair(base: Trace, new: Trace) -> tuple[Trace, Trace] | None:
    """The predicted and the emulated one of two traces of units; None where they are no pair."""
    both = sorted((base, new), key=lambda trace: trace.meta.origin != _PREDICTED)
    if any(vocabulary(trace).family != "units" for trace in both):
        return None
    kinds = [trace.meta.origin == _PREDICTED for trace in both]
    return (both[0], both[1]) if kinds == [True, False] else None


def program_diff(predicted: Trace, emulated: Trace) -> ProgramDiff:
    """Compare a prediction with an emulated run of the same program.

    Raises LanescopeError where an instruction has another opcode on the other side.
    """
    sides = program_side(predicted), program_side(emulated)
    known = all(len(side.pc) for side in sides)
    opcodes, lines = _compared(*sides, predicted, emulated) if known else ([], [])
    different = sorted((row for row in lines if row.difference), key=_order)
    moved = sorted((row for row in lines if row.behind), key=lambda row: -abs(row.behind or 0))
    return ProgramDiff(
        predicted=predicted.meta.name,
        emulated=emulated.meta.name,
        predicted_hz=predicted.meta.clock_hz,
        emulated_hz=emulated.meta.clock_hz,
        figures=program_figures(predicted, emulated),
        matched=sum(row.matched for row in opcodes),
        opcodes=tuple(_shared(sorted(opcodes, key=_order))),
        lines=tuple(_shared(different)[:MOST_LINES]),
        lines_different=len(different),
        behind=tuple(moved[:MOST_LINES]),
        notes=emulated.meta.notes,
    )


def _order(row: InstructionDiff) -> tuple[int, str]:
    return -abs(row.difference), row.opcode


def _shared(rows: list[InstructionDiff]) -> list[InstructionDiff]:
    """The rows with their parts of the whole difference."""
    whole = sum(abs(row.difference) for row in rows)
    return [replace(row, share=abs(row.difference) / whole if whole else None) for row in rows]


def _compared(
    left: ProgramSide, right: ProgramSide, predicted: Trace, emulated: Trace
) -> tuple[list[InstructionDiff], list[InstructionDiff]]:
    """Rows by opcode and by line."""
    _require_same_program(left, right, f"{predicted.meta.name} and {emulated.meta.name}")
    lines = line_rows(left, right)
    by_opcode: dict[str, list[InstructionDiff]] = {}
    for row in lines:
        by_opcode.setdefault(row.opcode, []).append(row)
    return [_together(opcode, rows) for opcode, rows in by_opcode.items()], lines


def _require_same_program(left: ProgramSide, right: ProgramSide, both: str) -> None:
    """Each pc must have one opcode, the same on both sides."""
    pc = np.concatenate([left.pc, right.pc])
    names = sorted({*left.names.values(), *right.names.values()})
    code = np.concatenate(
        [_codes(side, {name: k for k, name in enumerate(names)}) for side in (left, right)]
    )
    order = np.argsort(pc, kind="stable")
    pc, code = pc[order], code[order]
    wrong = np.flatnonzero((pc[1:] == pc[:-1]) & (code[1:] != code[:-1]))
    if len(wrong):
        at = int(wrong[0])
        raise LanescopeError(
            f"{both} are different programs: instruction {int(pc[at]):,} is "
            f"{names[code[at]]} in one and {names[code[at + 1]]} in the other; compare traces of "
            "the same program"
        )
    if not np.isin(left.pc, right.pc).any():
        raise LanescopeError(
            f"{both} are different programs: they have no instruction in common; compare traces "
            "of the same program"
        )


def _codes(side: ProgramSide, number: dict[str, int]) -> Array:
    """The opcode of every instruction as a number that both sides share."""
    funcs = np.array(list(side.names), np.int64)
    codes = np.array([number[name] for name in side.names.values()], np.int64)
    found: Array = codes[find(funcs, side.func.astype(np.int64))]
    return found


def _together(opcode: str, rows: list[InstructionDiff]) -> InstructionDiff:
    """All lines of one opcode as one row."""
    return InstructionDiff(
        opcode=opcode,
        pc=None,
        line=None,
        predicted_count=sum(row.predicted_count for row in rows),
        emulated_count=sum(row.emulated_count for row in rows),
        matched=sum(row.matched for row in rows),
        predicted_cycles=sum(row.predicted_cycles for row in rows),
        emulated_cycles=sum(row.emulated_cycles for row in rows),
        share=None,
    )
