"""The patterns of a program's lines as records of numbers, which the C library takes.

Patterns with one opcode and one kind of operand in each place are filled together.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lanescope.errors import LanescopeError
from lanescope.model.cost.table import CostTable
from lanescope.model.expression import evaluate
from lanescope.model.isa.isa import IMMEDIATE, Form, Isa, Range
from lanescope.model.isa.parse import Program, kinds_of, open_place
from lanescope.native.structs import SCHEDULE_LINE

Array = npt.NDArray[Any]

NONE = -1
_VALUES = {
    "add": 1, "addi": 2, "sub": 3, "mul": 4, "lui": 5, "join": 6, "copy": 7,
    "sll": 8, "slli": 9, "srl": 10, "srli": 11, "div": 12, "rem": 13,
}  # fmt: skip
_KINDS = {None: 1, "break": 1, "start": 2, "end": 3}
_MOST_GRANULES = 1 << 20
_BYTES = np.dtype((np.void, SCHEDULE_LINE.itemsize))


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


def encode_patterns(program: Program, table: CostTable) -> Array:
    """One record per pattern; a pattern without an instruction or a cost does nothing.

    The start or end of a loop without a cost still turns the loop.
    """
    rows = np.empty(len(program.patterns), SCHEDULE_LINE)
    # numpy copies a record field by field; as plain bytes it is one copy.
    records = rows.view(_BYTES)
    records[:] = _nothing().view(_BYTES)
    encoder = _Encoder(program.isa, table)
    forms, names = tuple(program.isa.forms.values()), kinds_of(program.isa)
    turning = _turning(program, table)
    for members in (*_alike(program, table), *turning):
        one = program.patterns[members[0]]
        kinds = [names[kind] for kind in int(one["kinds"]).to_bytes(8, "little") if kind]
        group = _Group(forms[one["opcode"]], kinds, program.patterns["values"][members])
        block = records[members].view(SCHEDULE_LINE)
        encoder.own = program.names.get(int(members[0]), {})
        encoder.put(block, group)
        records[members] = block.view(_BYTES)
    for members in turning:
        rows["unit"][members] = NONE
    for field, values in (
        ("done", table.done),
        ("ready", table.ready),
        ("interval", table.interval),
    ):
        rows[field] = values
    return rows


def _nothing() -> Array:
    """The record of a pattern that does nothing."""
    row = np.zeros(1, SCHEDULE_LINE)
    for field in ("target", "left", "right", "clears", "reads", "writes"):
        row[field] = NONE
    for field in ("loads", "stores"):
        row[field]["memory"] = NONE
    return row


def _alike(program: Program, table: CostTable) -> list[Array]:
    """The numbers of the patterns that have a cost, by opcode and kinds of operands.

    A pattern with names of its own is alone.
    """
    own = sorted(program.names)
    alone = [np.array([number]) for number in own if table.known[number]]
    known = np.setdiff1d(np.flatnonzero(table.known), own) if own else np.flatnonzero(table.known)
    opcode, kinds = program.patterns["opcode"][known], program.patterns["kinds"][known]
    order = np.lexsort((kinds, opcode))
    changes = (np.diff(opcode[order]) != 0) | (np.diff(kinds[order]) != 0)
    return alone + (np.split(known[order], np.flatnonzero(changes) + 1) if len(known) else [])


def _turning(program: Program, table: CostTable) -> list[Array]:
    """The patterns that start or end a loop and have no cost, each alone."""
    forms = program.isa.forms.values()
    turns = np.array([*(form.opcode.loop in ("start", "end") for form in forms), False])
    opcode = np.maximum(program.patterns["opcode"], -1)
    return [np.array([number]) for number in np.flatnonzero(turns[opcode] & ~table.known).tolist()]


class _Group(NamedTuple):
    """Patterns with one opcode and one kind of operand in each place."""

    form: Form
    kinds: list[str]
    """By place: a register file's name, or `imm`; none for operands that were left out."""
    values: Array
    """A row per pattern: register numbers and immediates by place."""

    def place(self, role: str) -> int | None:
        """Place of the operand with this role; None where it was left out."""
        roles = [operand.role for operand in self.form.operands[: len(self.kinds)]]
        return roles.index(role) if role in roles else None


class _Encoder:
    """Fills the records of one group of patterns after the other."""

    def __init__(self, isa: Isa, table: CostTable) -> None:
        self.isa = isa
        self.names = isa.file.most | table.core.names
        self.own: Mapping[str, int | None] = {}
        """Values of the names that a pattern has of its own."""
        self.registers = registers_of(isa)
        self.memories = list(isa.file.memories)
        self.units = list(isa.file.units)
        self.zeros = np.array(sorted(self.registers.zeros), np.int64)
        self.integers = np.zeros(len(self.registers.names), bool)
        for name, file in isa.file.registers.items():
            first = self.registers.first[name]
            self.integers[first : first + file.count] = file.integer

    def put(self, rows: Array, group: _Group) -> None:
        """Fill the records of patterns that have an instruction."""
        form, opcode = group.form, group.form.opcode
        rows["kind"] = _KINDS[opcode.loop]
        rows["unit"] = self.units.index(opcode.unit)
        rows["transfer"] = opcode.transfer
        rows["value"] = _VALUES.get(opcode.value or "", 0)
        rows["left"] = self._register(group, "rd" if opcode.value == "copy" else "rs1")
        rows["right"] = self._register(group, "rs2")
        reads = [self._effect(group, effect) for effect in form.reads if isinstance(effect, str)]
        writes = [self._effect(group, effect) for effect in form.writes if isinstance(effect, str)]
        self._fill(rows["reads"], reads)
        self._fill(rows["writes"], writes)
        if opcode.clears is not None:
            rows["clears"] = self.registers.first[opcode.clears]
        for written in reversed(writes):
            known = written != NONE
            if opcode.value not in ("join", "copy"):
                known &= self.integers[written]
            rows["target"] = np.where(known, written, rows["target"])
        for field, effects in (("loads", form.reads), ("stores", form.writes)):
            ranges = [effect for effect in effects if isinstance(effect, Range)]
            self._check(len(ranges), rows[field].shape[1])
            for place, effect in enumerate(ranges):
                self._range(rows[field][:, place], group, effect)

    def _check(self, effects: int, most: int) -> None:
        if effects > most:
            raise LanescopeError(
                f"the ISA {self.isa.name!r} has an opcode with more than {most} effects"
            )

    def _fill(self, target: Array, columns: list[Array]) -> None:
        """Put registers into a list each, one after the other; NONE takes no place."""
        used = np.zeros(len(target), np.int64)
        for column in columns:
            rows = np.flatnonzero(column != NONE)
            self._check(int(used[rows].max(initial=0)) + bool(len(rows)), target.shape[1])
            target[rows, used[rows]] = column[rows]
            used[rows] += 1

    def _effect(self, group: _Group, effect: str) -> Array:
        """Numbers of the registers; NONE for a zero register or an immediate."""
        if effect in self.isa.file.state:
            return np.full(len(group.values), self.registers.first[effect])
        numbers = self._register(group, effect)
        return np.where(np.isin(numbers, self.zeros), NONE, numbers)

    def _register(self, group: _Group, role: str) -> Array:
        """Numbers of the registers with this role; NONE for an immediate or none."""
        place = group.place(role)
        if place is None or group.kinds[place] == IMMEDIATE:
            return np.full(len(group.values), NONE)
        numbers: Array = self.registers.first[group.kinds[place]] + group.values[:, place]
        return numbers

    def _range(self, ranges: Array, group: _Group, effect: Range) -> None:
        own = {name: value for name, value in self.own.items() if value is not None}
        count = evaluate(effect.granules, self.names | own)
        if not 0 <= count <= _MOST_GRANULES:
            raise LanescopeError(
                f"a range of {count:,} granules of {effect.memory} is more than any memory has"
            )
        ranges["memory"] = self.memories.index(effect.memory)
        ranges["base"] = self._register(group, effect.base)
        assert (ranges["base"] != NONE).all()
        ranges["step"] = NONE if effect.step is None else self._register(group, effect.step)
        ranges["part"] = effect.part
        ranges["count"] = count
        place = None if effect.offset is None else group.place(effect.offset)
        if place is not None and group.kinds[place] == IMMEDIATE:
            ranges["offset"] = group.values[:, place]
            ranges["open"] = place == open_place(group.form)
