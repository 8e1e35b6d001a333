"""What names of formulas mean at a line of a program, like the experts of a routing policy.

A name's value comes from an operand, or from a register whose value the program computes. Lines
with one pattern but other values get patterns of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lanescope.model.expression import FormulaError, evaluate
from lanescope.model.isa.isa import IMMEDIATE, OPEN, OPERAND_NUMBER, Isa

if TYPE_CHECKING:
    from lanescope.model.isa.lines import Line
    from lanescope.model.isa.parse import Program

Array = npt.NDArray[Any]
Values = dict[str, int | None]
"""Name to its value; None where nobody can say."""
_WORD = 1 << 32


def with_names(program: Program, given: Mapping[str, int] | None = None) -> Program:
    """The program with the values of the names that its lines use; `given` fills in unknown ones.

    A program without such lines comes back as it is.
    """
    users = _users(program)
    if not users.any():
        return program
    patterns, which = [program.patterns], program.which.copy()
    names: dict[int, Values] = {}
    known: dict[tuple[int, tuple[tuple[str, int | None], ...]], int] = {}
    total = len(program.patterns)
    for row, line, state in _states(program, np.flatnonzero(users[program.which])):
        values = _used(line, state, given or {})
        pattern = int(program.which[row])
        key = (pattern, tuple(values.items()))
        if key not in known and pattern not in names:
            known[key] = pattern
        elif key not in known:
            known[key] = total
            total += 1
            patterns.append(program.patterns[[pattern]])
        names[known[key]] = values
        which[row] = known[key]
    return program._replace(patterns=np.concatenate(patterns), which=which, names=names)


def most_turns(program: Program, row: int) -> int:
    """The most turns of a loop whose count is known at run time only."""
    form = program.at(row).form
    assert form is not None and form.opcode.counts is not None
    [(_, _, state)] = _states(program, np.array([row]))
    most = state.evaluate(form.opcode.counts.most)
    assert most is not None, "the ISA's file has no most for a name of this formula"
    return most


def _used(line: Line, state: _State, given: Mapping[str, int]) -> Values:
    """Values of the names that a line uses; those of an operand that was left out have none."""
    assert line.form is not None
    values: Values = {}
    for name, stands_for in line.form.opcode.uses.items():
        text = _filled(stands_for, line)
        if text is not None:
            value = state.evaluate(text, operands=state.operands(line), bounded=False)
            values[name] = given.get(name) if value is None else value
    return values


def _filled(text: str | int, line: Line) -> str | int | None:
    """The text with the numbers of operands in it, `{role}` or `{role|number}` if it was left out.

    None where an operand was left out and the text says no number.
    """
    if isinstance(text, int) or "{" not in text:
        return text
    assert line.form is not None
    roles = (operand.role for operand in line.form.operands)
    operands = dict(zip(roles, map(str, line.values), strict=False))
    parts = [(operands.get(m[1], m[2]), m) for m in OPERAND_NUMBER.finditer(text)]
    if any(value is None for value, _ in parts):
        return None
    for value, match in parts:
        text = text.replace(match[0], value or "")
    return text


class _Meanings(Mapping[str, int]):
    """Names to values: operands, then what the program set, then what the ISA's file says."""

    def __init__(self, state: _State, operands: Values, *, bounded: bool) -> None:
        self._state, self._operands, self._bounded = state, operands, bounded

    def __getitem__(self, name: str) -> int:
        file = self._state.isa.file
        value = self._operands.get(name)
        if value is None:
            value = self._state.names.get(name)
        if value is None and name in file.names:
            value = self._state.evaluate(file.names[name], bounded=self._bounded)
        if value is None and self._bounded:
            value = file.most.get(name)
        if value is None:
            raise KeyError(name)
        return value

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


class _State:
    """Registers and names in front of a line; a value that nobody can say is None."""

    def __init__(self, isa: Isa, first: int | None = 0) -> None:
        self.isa = isa
        self.first = first
        """What registers hold that nobody wrote."""
        self.registers: dict[tuple[str, int], int | None] = {}
        self.names: Values = {}

    def operands(self, line: Line) -> Values:
        """Values of a line's operands: numbers as they stand, registers as they are."""
        assert line.form is not None
        roles = (operand.role for operand in line.form.operands)
        return {
            role: value if kind == IMMEDIATE else self.registers.get((kind, value), self.first)
            for role, kind, value in zip(roles, line.kinds, line.values, strict=False)
        }

    def evaluate(
        self, formula: str | int, *, operands: Values | None = None, bounded: bool = True
    ) -> int | None:
        """Value of a formula; where a name is not known the most it can be, or None."""
        try:
            return evaluate(formula, _Meanings(self, operands or {}, bounded=bounded))
        except (FormulaError, RecursionError):
            return None

    def after(self, line: Line) -> None:
        """Take over what a line does to registers and names."""
        form = line.form
        assert form is not None
        operands = self.operands(line)
        for name, formula in form.opcode.sets.items():
            target, text = _filled(name, line), _filled(formula, line)
            if target is not None and text is not None:
                self.names[str(target)] = self.evaluate(text, operands=operands, bounded=False)
        for place in _written(line, self.isa):
            self.registers[place] = _value(form.opcode.value, operands)

    def forget(self, line: Line) -> None:
        """Take over that a line may do something at a time that is not known."""
        assert line.form is not None
        for name in line.form.opcode.sets:
            self.names[str(_filled(name, line))] = None
        for place in _written(line, self.isa):
            self.registers[place] = None


def _users(program: Program) -> Array:
    """Per pattern: whether it uses names, with the operands that it has."""
    users = np.zeros(len(program.patterns), bool)
    for form in program.isa.forms.values():
        if not form.opcode.uses:
            continue
        mine = program.patterns["opcode"] == form.number
        if not mine.any():
            continue
        roles = [operand.role for operand in form.operands]
        named = [OPERAND_NUMBER.findall(text) for text in form.opcode.uses.values()]
        # A name without operands, or with such as have a number when left out, is always used.
        places = [
            max((roles.index(role) for role, number in found if not number), default=-1)
            for found in named
        ]
        users |= mine if min(places) < 0 else mine & (program.kind(min(places)) > 0)
    return users


def _states(program: Program, wanted: Array) -> Iterator[tuple[int, Line, _State]]:
    """The wanted lines with the state in front of each, which is only good until the next one.

    In a loop only what no turn changes is known before it is written.
    """
    state, lines = _State(program.isa), _Lines(program)
    writing = np.flatnonzero(np.isin(program.opcode, _writing(program.isa)))
    if not _depends(program, wanted, lines):
        writing = writing[:0]
    starts = {loop.start: loop.end for loop in program.loops}
    asked = set(wanted.tolist())
    rows = np.union1d(np.union1d(writing, wanted), list(starts)).astype(int)
    for row in rows[: np.searchsorted(rows, wanted[-1], "right")].tolist():
        line = lines[row]
        if line.form is None:
            continue
        if row in asked:
            yield row, line, state
        if row in starts:
            first, last = np.searchsorted(writing, [row, starts[row] + 1])
            patterns = np.unique(program.which[writing[first:last]], return_index=True)[1]
            for inside in writing[first:last][patterns].tolist():
                state.forget(lines[inside])
        else:
            state.after(line)


def _depends(program: Program, wanted: Array, lines: _Lines) -> bool:
    """Whether a wanted line uses a name that the program sets; else it need not be followed."""
    nothing = _State(program.isa, first=None)
    first = np.unique(program.which[wanted], return_index=True)[1]
    values = [_used(lines[row], nothing, {}) for row in wanted[first].tolist()]
    return not all(values) or any(value is None for used in values for value in used.values())


class _Lines:
    """Lines of a program by row; one of each pattern is read, the others have another number."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._read: dict[int, tuple[Line, int]] = {}

    def __getitem__(self, row: int) -> Line:
        pattern = int(self._program.which[row])
        if pattern not in self._read:
            line = self._program.at(row)
            roles = [] if line.form is None else [o.role for o in line.form.operands]
            place = roles.index(OPEN) if OPEN in roles[: len(line.values)] else -1
            self._read[pattern] = line, place
        line, place = self._read[pattern]
        if place < 0:
            return line
        number = int(self._program.number[row])
        return line._replace(values=(*line.values[:place], number, *line.values[place + 1 :]))


def _writing(isa: Isa) -> list[int]:
    """Numbers of the opcodes that set names, or write a register that holds a number."""
    integer = {file for file, registers in isa.file.registers.items() if registers.integer}
    numbers = []
    for form in isa.forms.values():
        roles = {operand.role for operand in form.operands if integer & set(operand.kinds)}
        if form.opcode.sets or roles & set(form.writes):
            numbers.append(form.number)
    return numbers


def _written(line: Line, isa: Isa) -> list[tuple[str, int]]:
    """The integer registers that a line writes; one that is always zero is none."""
    assert line.form is not None
    written = []
    for effect in line.form.writes:
        operand = line.operand(effect) if isinstance(effect, str) else None
        if operand is None or operand[0] == IMMEDIATE:
            continue
        file = isa.file.registers[operand[0]]
        if file.integer and operand[1] != file.zero:
            written.append(operand)
    return written


def _value(rule: str | None, operands: Values) -> int | None:
    """What an integer register holds after an instruction."""
    left, right, number = (operands.get(role) for role in ("rs1", "rs2", "imm"))
    if rule == "lui" and number is not None:
        return (number << 12) % _WORD
    other = number if rule == "addi" else right
    if left is None or other is None:
        return None
    if rule in ("add", "addi"):
        return (left + other) % _WORD
    if rule == "sub":
        return (left - other) % _WORD
    return left * other % _WORD if rule == "mul" else None
