"""What registers and names hold in front of a line of a program, as far as the program says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from lanescope.model.expression import FormulaError, evaluate
from lanescope.model.isa.isa import IMMEDIATE, OPEN, OPERAND_NUMBER, Isa

if TYPE_CHECKING:
    from lanescope.model.isa.lines import Line

Values = dict[str, int | None]
"""Name to its value; None where nobody can say."""
_WORD = 1 << 32


def filled(text: str | int, line: Line) -> str | int | None:
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

    def __init__(self, state: RegisterState, operands: Values, *, bounded: bool) -> None:
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


class RegisterState:
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
            target, text = filled(name, line), filled(formula, line)
            if target is not None and text is not None:
                self.names[str(target)] = self.evaluate(text, operands=operands, bounded=False)
        for place in _written(line, self.isa):
            self.registers[place] = _value(form.opcode.value, operands)

    def forget(self, line: Line) -> None:
        """Take over that a line may do something at a time that is not known."""
        assert line.form is not None
        for name in line.form.opcode.sets:
            self.names[str(filled(name, line))] = None
        for place in _written(line, self.isa):
            self.registers[place] = None


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
    """What an integer register holds after an instruction; the same as in schedule.c."""
    left, right, number = (operands.get(role) for role in ("rs1", "rs2", OPEN))
    if rule == "lui" and number is not None:
        return (number << 12) % _WORD
    other = number if rule in ("addi", "slli", "srli") else right
    if left is None or other is None:
        return None
    match rule:
        case "add" | "addi":
            return (left + other) % _WORD
        case "sub":
            return (left - other) % _WORD
        case "mul":
            return left * other % _WORD
        case "sll" | "slli" if 0 <= other < 32:
            return (left << other) % _WORD
        case "srl" | "srli" if 0 <= other < 32:
            return left >> other
        case "div" | "rem" if other:
            return left // other if rule == "div" else left % other
    return None
