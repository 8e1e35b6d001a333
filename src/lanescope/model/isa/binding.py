"""Counts and names that a program leaves to run time, as the user binds them: `NAME=4` or `4..16`.

A loop's count is bound by writing it into the text, at its low and at its high end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from lanescope.errors import UsageError
from lanescope.model.isa.context import most_turns, with_names
from lanescope.model.isa.loops import MOST_REPEATS
from lanescope.model.isa.parse import Program, parse

_NAME = re.compile(r"[A-Za-z_]\w*")
_RANGE = re.compile(r"(\d+)(?:\.\.(\d+))?")


class Turns(NamedTuple):
    """A name with the least and the most that it stands for."""

    low: int
    high: int


class RunTimeCount(NamedTuple):
    """A count that is known at run time only, and what was taken for it."""

    name: str
    low: int
    high: int
    lines: tuple[int, ...]
    """Lines of the text that it stands in, from 1."""
    given: bool
    """Whether the user bound it; else the instruction set knows its bounds."""


class BoundProgram(NamedTuple):
    """A program with all counts at their low ends, and with all at their high ends."""

    low: Program
    high: Program
    counts: tuple[RunTimeCount, ...] = ()
    once: Program | None = None
    """With one turn for each count, as the published profiler reads it; None without counts."""

    @property
    def differ(self) -> bool:
        """Whether a count is an interval."""
        return any(count.low != count.high for count in self.counts)


def read_bindings(bind: Mapping[str, object] | Iterable[str] | None) -> dict[str, Turns]:
    """Bindings from `{"NAME": 4}` or `["NAME=4..16"]`; wrong ones are refused."""
    pairs = bind.items() if isinstance(bind, Mapping) else map(_pair, bind or ())
    bindings: dict[str, Turns] = {}
    for name, value in pairs:
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise UsageError(f"--bind: expected a name, found {str(name)!r}")
        if name in bindings:
            raise UsageError(f"--bind {name}: given twice")
        bindings[name] = _bound(name, value)
    return bindings


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise UsageError(f"--bind: expected NAME=N or NAME=LOW..HIGH, found {text!r}")
    return name.strip(), value.strip()


def _bound(name: str, value: object) -> Turns:
    ends: object = value
    if isinstance(value, str) and (match := _RANGE.fullmatch(value)) and len(value) < 40:
        ends = (int(match[1]), int(match[2] or match[1]))
    elif isinstance(value, int) and not isinstance(value, bool):
        ends = (value, value)
    match ends:
        case (int() as low, int() as high) if 1 <= low <= high <= MOST_REPEATS:
            return Turns(low, high)
    shown = str(value) if len(str(value)) <= 40 else str(value)[:39] + "…"
    raise UsageError(
        f"--bind {name}: expected a whole number of at least 1 or LOW..HIGH, found {shown}"
    )


def bind_counts(program: Program, bindings: Mapping[str, Turns]) -> BoundProgram:
    """Bind what the program leaves open; a binding that nothing asks for is refused.

    A named count without a binding stays a problem, which says what to give.
    """
    rows = program.text.decode(errors="replace").split("\n")
    loops = [*_named(program, rows), *_routed(program)]
    sizes = {name for values in program.names.values() for name in values if values[name] is None}
    _refuse_idle(program, bindings, {loop.name for loop in loops} | sizes)
    if not loops and not bindings:
        return BoundProgram(program, program)
    bounds = {loop.row: bound for loop in loops if (bound := _turns(loop, bindings))}
    left = {loop.row: loop.name for loop in loops if loop.row not in bounds}
    ends = []
    for end in (0, 1, None):
        lines = list(rows)
        for loop in loops:
            if loop.row in bounds:
                turns = 1 if end is None else bounds[loop.row][end]
                lines[loop.row] = loop.with_count(lines[loop.row], turns)
        whole = parse("\n".join(lines), program.isa, path=program.path)
        given = {name: bindings[name][end or 0] for name in sizes & set(bindings)}
        ends.append(_explained(with_names(whole, given), left))
    counts = _counts(loops, bounds, bindings)
    asked = [RunTimeCount(name, *bindings[name], (), given=True) for name in sizes & set(bindings)]
    return BoundProgram(ends[0], ends[1], (*counts, *sorted(asked)), ends[2])


class _OpenLoop(NamedTuple):
    """A loop whose count the text does not say."""

    row: int
    """Line of its start, from 0."""
    name: str
    place: tuple[int, int]
    """Where the count stands in the line, or belongs."""
    before: str = ""
    """What has to stand in front of the count."""
    least: int = 1
    most: int | None = None
    """None where only the user can say how often it turns."""

    def with_count(self, line: str, turns: int) -> str:
        """The line with a count in it."""
        first, end = self.place
        return f"{line[:first]}{self.before}{turns}{line[end:]}"


def _named(program: Program, rows: list[str]) -> list[_OpenLoop]:
    """Loops with a name, or a register, in the place of the count."""
    forms = program.isa.forms
    starts = {name for name, form in forms.items() if form.opcode.loop == "start"}
    comment = re.compile("|".join(map(re.escape, program.isa.file.comments)))
    loops = []
    for problem in program.problems:
        mark = comment.search(rows[problem.line - 1])
        body = rows[problem.line - 1][: mark.start() if mark else None]
        words = list(re.finditer(r"[^\s,]+", body))
        if len(words) == 3 and words[0][0] in starts and _NAME.fullmatch(words[2][0]):
            loops.append(_OpenLoop(problem.line - 1, words[2][0], words[2].span()))
    return loops


def _routed(program: Program) -> list[_OpenLoop]:
    """Loops that say at run time how often they turn, without a word in the text."""
    numbers = [form.number for form in program.isa.forms.values() if form.opcode.counts]
    rows = np.flatnonzero(np.isin(program.opcode, numbers)).tolist()
    lines = {row: line for row in rows if not (line := program.at(row)).values}
    most = most_turns(program, list(lines))
    loops = []
    for row, line in lines.items():
        assert line.form is not None and line.form.opcode.counts is not None
        counts = line.form.opcode.counts
        end = line.column - 1 + len(line.form.name)
        # Loops are read by register and count: the zero register stands for none.
        zero = f" {line.form.operands[0].kinds[0]}0, "
        loops.append(_OpenLoop(row, counts.name, (end, end), zero, counts.least, most[row]))
    return loops


def _turns(loop: _OpenLoop, bindings: Mapping[str, Turns]) -> Turns | None:
    """The least and most turns of a loop; None where nobody says."""
    bound = bindings.get(loop.name)
    if bound is None:
        return None if loop.most is None else Turns(loop.least, loop.most)
    if loop.most is not None and not loop.least <= bound.low <= bound.high <= loop.most:
        raise UsageError(
            f"--bind {loop.name}: the loop of line {loop.row + 1} turns {loop.least} to "
            f"{loop.most} times, found {bound.low}..{bound.high}"
        )
    return bound


def _refuse_idle(program: Program, bindings: Mapping[str, Turns], names: set[str]) -> None:
    idle = [name for name in bindings if name not in names]
    if idle:
        left = f"only {', '.join(sorted(names))} to bind"
        known = left if names else "nothing to bind: all counts are in it"
        raise UsageError(f"--bind {idle[0]}: {program.path} leaves {known}")


def _explained(program: Program, left: Mapping[int, str]) -> Program:
    """The program with problems that say what to bind."""
    problems = tuple(
        problem._replace(
            text=f"how often this loop turns is not known: give --bind {left[problem.line - 1]}=N"
        )
        if problem.line - 1 in left and program.opcode[problem.line - 1] == -2
        else problem
        for problem in program.problems
    )
    return program._replace(problems=problems)


def _counts(
    loops: list[_OpenLoop], bounds: Mapping[int, Turns], bindings: Mapping[str, Turns]
) -> list[RunTimeCount]:
    """One count per name, over all loops that it stands in."""
    counts = []
    for name in dict.fromkeys(loop.name for loop in loops if loop.row in bounds):
        rows = [loop.row for loop in loops if loop.name == name and loop.row in bounds]
        low, high = (pick(bounds[row][end] for row in rows) for end, pick in ((0, min), (1, max)))
        lines = tuple(row + 1 for row in rows)
        counts.append(RunTimeCount(name, low, high, lines, given=name in bindings))
    return counts
