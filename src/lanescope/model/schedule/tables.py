"""Where the cycles of a program go: per opcode, category, section, loop and line. No schedule."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lanescope.model.cost.table import CostTable
from lanescope.model.isa.parse import Program
from lanescope.model.isa.sections import Sections

Array = npt.NDArray[Any]


class Share(NamedTuple):
    """Instructions and cycles of one group, if everything ran one after the other."""

    name: str
    instructions: int
    cycles: int


class OpcodeShare(NamedTuple):
    name: str
    instructions: int
    least_cycles: int
    most_cycles: int
    """Cycles of one instruction: they differ where an operand changes the cost."""
    cycles: int
    basis: str


class LoopShare(NamedTuple):
    first_line: int
    last_line: int
    turns: int
    entered: int
    depth: int
    instructions: int
    cycles: int
    """Of the loop with all inside it."""


class HotLine(NamedTuple):
    line: int
    text: str
    instructions: int
    cycles: int


class Rows(NamedTuple):
    """Per line of the text what runs and costs; unknown lines count nothing."""

    instructions: Array
    cycles: Array


def rows_of(program: Program, table: CostTable) -> Rows:
    runs = table.known[program.which] & ~program.unknown
    instructions = np.where(runs, program.repeats, 0)
    return Rows(instructions, instructions * table.done[program.which])


def by_opcode(program: Program, table: CostTable, rows: Rows) -> list[OpcodeShare]:
    """The most expensive first."""
    names = program.isa.names
    counts = _sums(program.opcode, rows.instructions, len(names))
    cycles = _sums(program.opcode, rows.cycles, len(names))
    each: dict[int, set[int]] = {}
    for number, done in set(zip(program.numbers.tolist(), table.done.tolist(), strict=True)):
        if number >= 0 and names[number] in table.costs:
            each.setdefault(number, set()).add(done)
    found = [
        OpcodeShare(
            names[number],
            counts[number],
            min(each[number]),
            max(each[number]),
            cycles[number],
            table.costs[names[number]].basis,
        )
        for number in each
        if counts[number]
    ]
    return sorted(found, key=lambda share: (-share.cycles, share.name))


def by_category(program: Program, opcodes: Sequence[OpcodeShare]) -> list[Share]:
    return _grouped(opcodes, lambda name: program.isa.forms[name].opcode.category)


def by_type(opcodes: Sequence[OpcodeShare]) -> list[Share]:
    """By the letters in front of an opcode's first underscore."""
    return _grouped(opcodes, lambda name: name.partition("_")[0])


def by_section(sections: Sections, rows: Rows) -> list[Share]:
    counts = _sums(sections.which, rows.instructions, len(sections.names))
    cycles = _sums(sections.which, rows.cycles, len(sections.names))
    found = [Share(*row) for row in zip(sections.names, counts, cycles, strict=True) if row[1]]
    return sorted(found, key=lambda share: (-share.cycles, share.name))


def by_loop(program: Program, rows: Rows) -> list[LoopShare]:
    """The most expensive first."""
    instructions, cycles = _running(rows.instructions), _running(rows.cycles)
    found = [
        LoopShare(
            loop.start + 1,
            loop.end + 1,
            loop.turns,
            loop.entered,
            loop.depth,
            int(instructions[loop.end + 1] - instructions[loop.start]),
            int(cycles[loop.end + 1] - cycles[loop.start]),
        )
        for loop in program.loops
    ]
    return sorted(found, key=lambda loop: (-loop.cycles, loop.first_line))


def hottest_lines(program: Program, rows: Rows, most: int) -> list[HotLine]:
    order = np.argsort(-rows.cycles, kind="stable")[:most].tolist()
    return [
        HotLine(row + 1, _text(program, row), int(rows.instructions[row]), int(rows.cycles[row]))
        for row in order
        if rows.cycles[row] > 0
    ]


def _text(program: Program, row: int) -> str:
    """The instruction as it would be written."""
    line = program.at(row)
    if line.form is None:
        return ""
    operands = (
        str(value) if kind == "imm" else f"{kind}{value}"
        for kind, value in zip(line.kinds, line.values, strict=True)
    )
    return f"{line.form.name} {', '.join(operands)}"


def _grouped(opcodes: Sequence[OpcodeShare], key: Any) -> list[Share]:
    sums: dict[str, tuple[int, int]] = {}
    for share in opcodes:
        instructions, cycles = sums.get(key(share.name), (0, 0))
        sums[key(share.name)] = (instructions + share.instructions, cycles + share.cycles)
    found = [Share(name, *values) for name, values in sums.items()]
    return sorted(found, key=lambda share: (-share.cycles, share.name))


def _sums(group: Array, values: Array, groups: int) -> list[int]:
    """Exact sums of whole numbers per group; rows with a negative group are left out."""
    sums = np.zeros(groups, np.int64)
    inside = group >= 0
    np.add.at(sums, group[inside], values[inside])
    return sums.tolist()


def _running(values: Array) -> Array:
    return np.concatenate(([0], np.cumsum(values)))
