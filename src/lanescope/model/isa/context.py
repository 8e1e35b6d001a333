"""What names of formulas mean at a line of a program, like the experts of a routing policy.

A name's value comes from an operand, or from a register whose value the program computes. Lines
with one pattern but other values get patterns of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from lanescope.model.expression import FormulaError, evaluate
from lanescope.model.isa.isa import IMMEDIATE, Isa
from lanescope.native import assembly

if TYPE_CHECKING:
    from lanescope.model.isa.lines import Line
    from lanescope.model.isa.parse import Program

Values = dict[str, int | None]
"""Name to its value; None where nobody can say."""
_WORD = 1 << 32
_PLACE = re.compile(r"\{(\w+)(?:\|(\d+))?\}")


def with_names(program: Program, given: Mapping[str, int] | None = None) -> Program:
    """The program with the values of the names that its lines use; `given` fills in unknown ones.

    A program without such lines comes back as it is.
    """
    users = [form.number for form in program.isa.forms.values() if form.opcode.uses]
    if not np.isin(program.patterns["opcode"], users).any():
        return program
    patterns, which = [program.patterns], program.which.copy()
    names: dict[int, Values] = {}
    known: dict[tuple[int, tuple[tuple[str, int | None], ...]], int] = {}
    total = len(program.patterns)
    for row, line, state in _states(program):
        values = _used(line, state, given or {})
        if not values:
            continue
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
    state = next(state for other, _, state in _states(program, also=row) if other == row)
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
    parts = [(operands.get(m[1], m[2]), m) for m in _PLACE.finditer(text)]
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

    def __init__(self, isa: Isa) -> None:
        self.isa = isa
        self.registers: dict[tuple[str, int], int | None] = {}
        self.names: Values = {}

    def operands(self, line: Line) -> Values:
        """Values of a line's operands: numbers as they stand, registers as they are."""
        assert line.form is not None
        roles = (operand.role for operand in line.form.operands)
        return {
            role: value if kind == IMMEDIATE else self.registers.get((kind, value), 0)
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


def _states(program: Program, *, also: int = -1) -> Iterator[tuple[int, Line, _State]]:
    """Every line that uses names, and the line `also`, with the state in front of it.

    In a loop only what no turn changes is known before it is written.
    """
    state = _State(program.isa)
    rows = np.flatnonzero(np.isin(program.opcode, _mattering(program.isa)))
    starts = {loop.start: loop for loop in program.loops}
    lines = _Lines(program)
    for row in np.union1d(rows, [*starts, *([also] if also >= 0 else [])]).astype(int).tolist():
        line = lines[row]
        if line.form is None:
            continue
        if line.form.opcode.uses or row == also:
            yield row, line, state
        if row in starts:
            first, last = np.searchsorted(rows, [row, starts[row].end + 1])
            for inside in {int(program.which[at]): at for at in rows[first:last].tolist()}.values():
                state.forget(lines[inside])
        else:
            state.after(line)


class _Lines(dict[int, "Line"]):
    """Lines of a program by row; each is read once for its pattern and number."""

    def __init__(self, program: Program) -> None:
        super().__init__()
        self._program = program
        self._read: dict[tuple[int, int], Line] = {}

    def __missing__(self, row: int) -> Line:
        key = int(self._program.which[row]), int(self._program.number[row])
        line = self._read.get(key)
        if line is None or key[0] < assembly.ODD + 1:
            line = self._read[key] = self._program.at(row)
        return line


def _mattering(isa: Isa) -> list[int]:
    """Numbers of the opcodes that use or set names, or write a register with a number."""
    integer = {file for file, registers in isa.file.registers.items() if registers.integer}
    numbers = []
    for form in isa.forms.values():
        roles = {operand.role for operand in form.operands if integer & set(operand.kinds)}
        if form.opcode.uses or form.opcode.sets or roles & set(form.writes):
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
