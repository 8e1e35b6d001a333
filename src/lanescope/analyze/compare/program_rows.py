"""The instructions of two traces of one program: a row per line with the cycles of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lanescope.analyze.columns.groups import group_by
from lanescope.analyze.tasks.functions import function_labels
from lanescope.analyze.units.cycles import moments
from lanescope.results import Result
from lanescope.trace.numbering import find, nth
from lanescope.trace.schema import MISSING, MISSING32
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace


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
    behind: int | None = None
    """Cycles by which the emulated run fell further behind the predicted one until this line's
    instructions started; None where the order of execution differs, or the run was serial."""

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


@dataclass(frozen=True, slots=True, eq=False)
class ProgramSide:
    """The instructions of one trace, in the order in which they ran."""

    pc: Array
    func: Array
    line: Array
    start: Array
    cycles: Array
    names: dict[int, str]
    unlisted: dict[str, int]
    serial: bool
    """Whether all instructions are on one lane."""


def program_side(trace: Trace) -> ProgramSide:
    """The instructions of a trace that have a pc and times; none where it has only the whole."""
    tasks = trace.tasks
    rows = np.flatnonzero(trace.ran() & (tasks["pc"] != MISSING32))
    rows = rows[np.argsort(tasks["task"][rows], kind="stable")]
    start, end = (moments(trace, name, rows) for name in ("start", "end"))
    rows, start, end = (values[start != MISSING] for values in (rows, start, end))
    func = tasks["func"][rows]
    used = np.unique(func)
    labels = function_labels(trace, used)
    facts = trace.meta.schedule
    return ProgramSide(
        pc=tasks["pc"][rows],
        func=func,
        line=tasks["line"][rows],
        start=start,
        cycles=end - start,
        names={int(f): label.name.upper() for f, label in zip(used, labels, strict=True)},
        unlisted={} if facts is None else facts.unlisted,
        serial=len(trace.cores) == 1,
    )


def line_rows(left: ProgramSide, right: ProgramSide) -> list[InstructionDiff]:
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
    behind = _behind(left, right, pcs, matched)
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
            behind=behind[k],
        )
        for k, (pc, line, before, after, both) in enumerate(
            zip(*(np.asarray(column).tolist() for column in columns), strict=True)
        )
    ]


def _behind(
    left: ProgramSide, right: ProgramSide, pcs: Array, matched: Array
) -> Sequence[int | None]:
    """Per pc, how much later its executions started, less what those before them were late.

    In order means that the times between starts add up to the whole run.
    """
    orders, starts = [], []
    for side in (left, right):
        place = np.searchsorted(pcs, side.pc)
        kept = nth(place) < matched[place]
        orders.append(place[kept])
        starts.append(side.start[kept])
    if right.serial or not np.array_equal(orders[0], orders[1]):
        return [None] * len(pcs)
    late = np.diff(starts[1] - starts[0], prepend=0)
    groups = group_by(orders[0])
    sums = dict(zip(groups.keys.tolist(), groups.sums(late), strict=True))
    return [sums.get(k) for k in range(len(pcs))]


def _first(side: ProgramSide, pcs: Array) -> Array:
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


def _sums(side: ProgramSide, pcs: Array, most: Array) -> list[int]:
    """Cycles of the first `most` executions of each pc."""
    place = np.searchsorted(pcs, side.pc)
    counted = np.where(nth(place) < most[place], side.cycles, 0)
    groups = group_by(place)
    sums = dict(zip(groups.keys.tolist(), groups.sums(counted), strict=True))
    return [sums.get(k, 0) for k in range(len(pcs))]
