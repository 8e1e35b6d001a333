"""The distinct lines of a program as records of numbers, which the C library takes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lanescope.errors import LanescopeError
from lanescope.model.cost.table import CostTable
from lanescope.model.expression import evaluate
from lanescope.model.isa.isa import IMMEDIATE, Isa, Range
from lanescope.model.isa.parse import Line
from lanescope.native.structs import SCHEDULE_LINE

Array = npt.NDArray[Any]

NONE = -1
_VALUES = {"add": 1, "addi": 2, "sub": 3, "mul": 4, "lui": 5, "join": 6, "copy": 7}
_KINDS = {None: 1, "break": 1, "start": 2, "end": 3}
_MOST_GRANULES = 1 << 20


class RegisterNumbers(NamedTuple):
    """All registers and states of an instruction set in one numbering."""

    names: tuple[str, ...]
    """Name by number."""
    first: dict[str, int]
    """Register file or state to its first number."""
    zeros: frozenset[int]
    """Numbers of the registers that are always zero."""


def registers_of(isa: Isa) -> RegisterNumbers:
    """Number all registers of an instruction set, file by file, then its states."""
    names: list[str] = []
    first: dict[str, int] = {}
    zeros = set()
    for file, form in isa.file.registers.items():
        first[file] = len(names)
        if form.zero is not None:
            zeros.add(len(names) + form.zero)
        names += [f"{file}{number}" for number in range(form.count)]
    for state in isa.file.state:
        first[state] = len(names)
        names.append(state)
    return RegisterNumbers(tuple(names), first, frozenset(zeros))


def encode_lines(lines: tuple[Line, ...], table: CostTable, isa: Isa) -> Array:
    """One record per distinct line; a line without an instruction or a cost does nothing."""
    rows = np.zeros(len(lines), SCHEDULE_LINE)
    for field in ("target", "left", "right", "clears", "reads", "writes"):
        rows[field] = NONE
    for field in ("loads", "stores"):
        rows[field]["memory"] = NONE
    encoder = _Encoder(isa, table)
    for number, line in enumerate(lines):
        if line.form is not None and table.known[number]:
            encoder.put(rows[number], line)
    for field, values in (
        ("done", table.done),
        ("ready", table.ready),
        ("interval", table.interval),
    ):
        rows[field] = values
    return rows


class _Encoder:
    """Fills the record of one line after the other."""

    def __init__(self, isa: Isa, table: CostTable) -> None:
        self.isa = isa
        self.names = table.core.names
        self.registers = registers_of(isa)
        self.memories = list(isa.file.memories)
        self.units = list(isa.file.units)

    def put(self, row: Any, line: Line) -> None:
        """Fill the record of a line that has an instruction."""
        form = line.form
        assert form is not None
        opcode = form.opcode
        row["kind"] = _KINDS[opcode.loop]
        row["unit"] = self.units.index(opcode.unit)
        row["transfer"] = opcode.transfer
        row["value"] = _VALUES.get(opcode.value or "", 0)
        row["immediate"] = self._immediate(line, "imm")
        row["left"] = self._integer(line, "rd" if opcode.value == "copy" else "rs1")
        row["right"] = self._integer(line, "rs2")
        reads = [reg for effect in form.reads if (reg := self._register(line, effect)) != NONE]
        writes = [reg for effect in form.writes if (reg := self._register(line, effect)) != NONE]
        self._fill(row["reads"], reads)
        self._fill(row["writes"], writes)
        if opcode.clears is not None:
            row["clears"] = self.registers.first[opcode.clears]
        valued = opcode.value in ("join", "copy")
        targets = writes if valued else [reg for reg in writes if self._is_integer(reg)]
        row["target"] = targets[0] if targets else NONE
        for field, effects in (("loads", form.reads), ("stores", form.writes)):
            ranges = [self._range(line, effect) for effect in effects if isinstance(effect, Range)]
            self._fill(row[field], ranges)

    def _fill(self, target: Any, values: list[Any]) -> None:
        if len(values) > len(target):
            raise LanescopeError(
                f"the ISA {self.isa.name!r} has an opcode with more than {len(target)} effects"
            )
        for place, value in enumerate(values):
            target[place] = value

    def _register(self, line: Line, effect: str | Range) -> int:
        """Number of the register; NONE for a range, a zero register or an immediate."""
        if isinstance(effect, Range):
            return NONE
        if effect in self.isa.file.state:
            return self.registers.first[effect]
        operand = line.operand(effect)
        if operand is None or operand[0] == IMMEDIATE:
            return NONE
        number = self.registers.first[operand[0]] + operand[1]
        return NONE if number in self.registers.zeros else number

    def _range(self, line: Line, effect: Range) -> tuple[int, int, int, int, int, int]:
        base = self._address(line, effect.base)
        step = NONE if effect.step is None else self._address(line, effect.step)
        offset = 0 if effect.offset is None else self._immediate(line, effect.offset)
        count = evaluate(effect.granules, self.names)
        if not 0 <= count <= _MOST_GRANULES:
            raise LanescopeError(
                f"a range of {count:,} granules of {effect.memory} is more than any memory has"
            )
        return (self.memories.index(effect.memory), base, step, effect.part, offset, count)

    def _address(self, line: Line, role: str) -> int:
        operand = line.operand(role)
        assert operand is not None and operand[0] != IMMEDIATE
        return self.registers.first[operand[0]] + operand[1]

    def _immediate(self, line: Line, role: str) -> int:
        operand = line.operand(role)
        return operand[1] if operand is not None and operand[0] == IMMEDIATE else 0

    def _integer(self, line: Line, role: str) -> int:
        operand = line.operand(role)
        if operand is None or operand[0] == IMMEDIATE:
            return NONE
        return self.registers.first[operand[0]] + operand[1]

    def _is_integer(self, register: int) -> bool:
        for name, file in self.isa.file.registers.items():
            first = self.registers.first[name]
            if file.integer and first <= register < first + file.count:
                return True
        return False
