"""A predicted program against the same program as an emulator ran it, instruction by instruction.

The n-th execution of an instruction (by its pc) is held against the n-th on the other side. Cycles
are compared, not times: the prediction's are those of the board's clock, the emulator's its own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lanescope.analyze.columns.groups import group_by
from lanescope.analyze.compare.program_figures import ProgramFigure, program_figures
from lanescope.analyze.tasks.functions import function_labels
from lanescope.analyze.units.cycles import moments
from lanescope.errors import LanescopeError
from lanescope.results import Result
from lanescope.trace.numbering import find, nth
from lanescope.trace.schema import MISSING, MISSING32
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace
from lanescope.trace.vocabulary import vocabulary

MOST_LINES = 1000
"""Lines that a comparison keeps; those with the largest differences."""
_PREDICTED = "predicted"


@dataclass(frozen=True, slots=True)
class InstructionDiff(Result):
    """The instructions of one opcode, or of one line of the program, on both sides.

    Cycles are those of executions that both sides have.
    """

    DERIVED = ("difference", "predicted_mean", "emulated_mean")

    opcode: str
    pc: int | None
    """Number of the instruction in the program; None for all of an opcode."""
    line: int | None
    """Its line in the program's text."""
    predicted_count: int
    emulated_count: int
    matched: int
    """Executions that both sides have."""
    predicted_cycles: int
    emulated_cycles: int
    share: float | None
    """Its part of the differences of all, without their signs; None where nothing differs."""

    @property
    def difference(self) -> int:
        """Cycles that the emulator took more than predicted."""
        return self.emulated_cycles - self.predicted_cycles

    @property
    def predicted_mean(self) -> float | None:
        """Cycles of one execution, as predicted."""
        return self.predicted_cycles / self.matched if self.matched else None

    @property
    def emulated_mean(self) -> float | None:
        """Cycles of one execution, as emulated."""
        return self.emulated_cycles / self.matched if self.matched else None


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


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """The instructions of one trace, in the order in which they ran."""

    pc: Array
    func: Array
    line: Array
    cycles: Array
    names: dict[int, str]
    unlisted: dict[str, int]


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
    sides = _side(predicted), _side(emulated)
    known = all(len(side.pc) for side in sides)
    opcodes, lines = _compared(*sides, predicted, emulated) if known else ([], [])
    different = sorted((row for row in lines if row.difference), key=_order)
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
        notes=emulated.meta.notes,
    )


def _order(row: InstructionDiff) -> tuple[int, str, int]:
    return -abs(row.difference), row.opcode, row.pc or 0


def _shared(rows: list[InstructionDiff]) -> list[InstructionDiff]:
    """The rows with their parts of the whole difference."""
    whole = sum(abs(row.difference) for row in rows)
    return [replace(row, share=abs(row.difference) / whole if whole else None) for row in rows]


def _side(trace: Trace) -> _Side:
    tasks = trace.tasks
    rows = np.flatnonzero(trace.ran() & (tasks["pc"] != MISSING32))
    rows = rows[np.argsort(tasks["task"][rows], kind="stable")]
    start, end = (moments(trace, name, rows) for name in ("start", "end"))
    rows, start, end = (values[start != MISSING] for values in (rows, start, end))
    func = tasks["func"][rows]
    used = np.unique(func)
    labels = function_labels(trace, used)
    facts = trace.meta.schedule
    return _Side(
        pc=tasks["pc"][rows],
        func=func,
        line=tasks["line"][rows],
        cycles=end - start,
        names={int(f): label.name.upper() for f, label in zip(used, labels, strict=True)},
        unlisted={} if facts is None else facts.unlisted,
    )


def _compared(
    left: _Side, right: _Side, predicted: Trace, emulated: Trace
) -> tuple[list[InstructionDiff], list[InstructionDiff]]:
    """Rows by opcode and by line."""
    lines = _lines(left, right)
    _require_same_program(left, right, f"{predicted.meta.name} and {emulated.meta.name}")
    by_opcode: dict[str, list[InstructionDiff]] = {}
    for row in lines:
        by_opcode.setdefault(row.opcode, []).append(row)
    return [_together(opcode, rows) for opcode, rows in by_opcode.items()], lines


def _require_same_program(left: _Side, right: _Side, both: str) -> None:
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


def _codes(side: _Side, number: dict[str, int]) -> Array:
    """The opcode of every instruction as a number that both sides share."""
    funcs = np.array(list(side.names), np.int64)
    codes = np.array([number[name] for name in side.names.values()], np.int64)
    found: Array = codes[find(funcs, side.func.astype(np.int64))]
    return found


def _lines(left: _Side, right: _Side) -> list[InstructionDiff]:
    """A row per instruction of the program that ran on either side."""
    pcs = np.union1d(left.pc, right.pc)
    counts = [np.bincount(np.searchsorted(pcs, s.pc), minlength=len(pcs)) for s in (left, right)]
    first = [_first(side, pcs) for side in (left, right)]
    name = [
        left.names[int(left.func[a])] if a >= 0 else right.names[int(right.func[b])]
        for a, b in zip(*(part.tolist() for part in first), strict=True)
    ]
    free = _free(name, counts, right.unlisted)
    matched = np.where(free, counts[0], np.minimum(*counts))
    limits = [matched, np.where(free, counts[1], matched)]
    cycles = [_sums(s, pcs, most) for s, most in zip((left, right), limits, strict=True)]
    line = [int(left.line[a]) if a >= 0 else MISSING32 for a in first[0].tolist()]
    columns = [pcs, line, counts[0], np.where(free, counts[0], counts[1]), matched]
    return [
        InstructionDiff(
            opcode=name[k],
            pc=pc,
            line=None if line == MISSING32 else line,
            predicted_count=before,
            emulated_count=after,
            matched=both,
            predicted_cycles=cycles[0][k],
            emulated_cycles=cycles[1][k],
            share=None,
        )
        for k, (pc, line, before, after, both) in enumerate(
            zip(*(np.asarray(column).tolist() for column in columns), strict=True)
        )
    ]


def _first(side: _Side, pcs: Array) -> Array:
    """Where each pc is first executed; -1 where it never is."""
    return find(side.pc.astype(np.int64), pcs.astype(np.int64))


def _free(name: list[str], counts: list[Array], unlisted: dict[str, int]) -> Array:
    """Of which pcs the emulator lists some executions only, because the others took no time.

    It says so by opcode: all that are missing of the opcode must be among those.
    """
    missing = np.maximum(counts[0] - counts[1], 0)
    stated = {opcode.upper(): count for opcode, count in unlisted.items()}
    of_opcode: dict[str, int] = {}
    for opcode, count in zip(name, missing.tolist(), strict=True):
        of_opcode[opcode] = of_opcode.get(opcode, 0) + count
    good = {opcode for opcode, count in of_opcode.items() if 0 < count <= stated.get(opcode, 0)}
    free: Array = (missing > 0) & np.array([opcode in good for opcode in name], bool)
    return free


def _sums(side: _Side, pcs: Array, most: Array) -> list[int]:
    """Cycles of the first `most` executions of each pc."""
    place = np.searchsorted(pcs, side.pc)
    counted = np.where(nth(place) < most[place], side.cycles, 0)
    groups = group_by(place)
    sums = dict(zip(groups.keys.tolist(), groups.sums(counted), strict=True))
    return [sums.get(k, 0) for k in range(len(pcs))]


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
