"""Where the cycles of a program go, by opcode, category, section, loop and line.

Cycles are those of the serial sum: no schedule is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lanescope.model.cost.table import CostTable
from lanescope.model.isa.parse import Program
from lanescope.model.isa.sections import Sections
from lanescope.model.memory.program import ChargedTransfers

Array = npt.NDArray[Any]


class CycleShare(NamedTuple):
    """Instructions and cycles of one group of lines."""

    name: str
    instructions: int
    cycles: int


class OpcodeShare(NamedTuple):
    """Instructions and cycles of one opcode."""

    name: str
    instructions: int
    least_cycles: int
    """Fewest cycles of one instruction."""
    most_cycles: int
    """Most cycles of one instruction: an operand may change the cost."""
    cycles: int
    basis: str
    """`published`, `measured`, `assumed`, or `memory model` where that charged it."""


class LoopShare(NamedTuple):
    """Instructions and cycles of one loop with all inside it."""

    first_line: int
    last_line: int
    turns: int
    """How often the loop turns when it is entered once."""
    entered: int
    """How often the loop is entered."""
    depth: int
    """1 for an outermost loop."""
    instructions: int
    cycles: int


class HotLine(NamedTuple):
    """Instructions and cycles of one line of the text."""

    line: int
    """Number of the line, from 1."""
    text: str
    instructions: int
    cycles: int


class LineCosts(NamedTuple):
    """What each line of a program's text costs; an unknown line costs nothing."""

    instructions: Array
    """Per line: how often its instruction runs."""
    cycles: Array
    """Per line: cycles of all its runs together."""
    busy: Array
    """Per line: cycles in which its unit takes nothing else, of all its runs together."""
    issued: Array
    """Per line: runs that take a cycle of the front end."""
    charged: dict[int, tuple[int, int]]
    """Opcode that a memory charged to its fewest and most cycles; others are as the table says."""


def line_costs(program: Program, table: CostTable) -> LineCosts:
    """Multiply the cost of every line by how often it runs."""
    runs = table.known[program.which] & ~program.unknown
    instructions = np.where(runs, program.repeats, 0)
    done, interval = table.done[program.which], table.interval[program.which]
    issued = np.where(done > 0, instructions, 0)
    return LineCosts(instructions, instructions * done, instructions * interval, issued, {})


def charged_costs(program: Program, costs: LineCosts, charged: ChargedTransfers) -> LineCosts:
    """The same with every transfer at the cycles that a memory took for it."""
    rows, lines = np.unique(charged.row), len(costs.cycles)
    cycles, issued, busy = costs.cycles.copy(), costs.issued.copy(), costs.busy.copy()
    cycles[rows] = busy[rows] = np.bincount(charged.row, charged.cycles, lines)[rows]
    issued[rows] = np.bincount(charged.row[charged.cycles > 0], minlength=lines)[rows]
    each = {}
    for number in np.unique(program.opcode[rows]).tolist():
        of_opcode = charged.cycles[program.opcode[charged.row] == number]
        each[number] = (int(of_opcode.min()), int(of_opcode.max()))
    return costs._replace(cycles=cycles, issued=issued, busy=busy, charged=each)


def by_opcode(program: Program, table: CostTable, costs: LineCosts) -> list[OpcodeShare]:
    """A row per opcode that runs, the most cycles first."""
    names = program.isa.names
    counts = _sums(program.opcode, costs.instructions, len(names))
    cycles = _sums(program.opcode, costs.cycles, len(names))
    used = program.patterns["opcode"][table.known]
    least, most = np.full(len(names), np.iinfo(np.int64).max), np.zeros(len(names), np.int64)
    np.minimum.at(least, used, table.done[table.known])
    np.maximum.at(most, used, table.done[table.known])
    for number, ends in costs.charged.items():
        least[number], most[number] = ends
    shares = [
        OpcodeShare(
            name,
            counts[number],
            int(least[number]),
            int(most[number]),
            cycles[number],
            "memory model" if number in costs.charged else table.costs[name].basis,
        )
        for number, name in enumerate(names)
        if counts[number]
    ]
    return sorted(shares, key=lambda share: (-share.cycles, share.name))


def by_category(program: Program, opcodes: Sequence[OpcodeShare]) -> list[CycleShare]:
    """A row per category of the instruction set, the most cycles first."""
    return _grouped(opcodes, lambda name: program.isa.forms[name].opcode.category)


def by_type(opcodes: Sequence[OpcodeShare]) -> list[CycleShare]:
    """A row per type, which is what stands before an opcode's first underscore."""
    return _grouped(opcodes, lambda name: name.partition("_")[0])


def by_section(sections: Sections, costs: LineCosts) -> list[CycleShare]:
    """A row per section in which something runs, the most cycles first."""
    counts = _sums(sections.which, costs.instructions, len(sections.names))
    cycles = _sums(sections.which, costs.cycles, len(sections.names))
    shares = [
        CycleShare(*row) for row in zip(sections.names, counts, cycles, strict=True) if row[1]
    ]
    return sorted(shares, key=lambda share: (-share.cycles, share.name))


def by_loop(program: Program, costs: LineCosts) -> list[LoopShare]:
    """A row per loop, the most cycles first."""
    loops = program.loops
    instructions, cycles = (
        sums[loops.end + 1] - sums[loops.start]
        for sums in map(_running, (costs.instructions, costs.cycles))
    )
    order = np.lexsort((loops.start, -cycles))
    places = (loops.start + 1, loops.end + 1, loops.turns, loops.entered, loops.depth)
    columns = (*places, instructions, cycles)
    rows = zip(*(column[order].tolist() for column in columns), strict=True)
    # There may be thousands of loops: this is `LoopShare(*row)` at a third of the time.
    return list(map(tuple.__new__, repeat(LoopShare), rows))


def hottest_lines(program: Program, costs: LineCosts, most: int) -> list[HotLine]:
    """The lines with the most cycles, at most `most` of them."""
    order = _largest(costs.cycles, most)
    return [
        HotLine(row + 1, _text(program, row), int(costs.instructions[row]), int(costs.cycles[row]))
        for row in order
        if costs.cycles[row] > 0
    ]


def _largest(values: Array, most: int) -> list[int]:
    """Places of the largest values, the largest first; of equal ones the first first."""
    places = np.arange(len(values))[:most]
    if 0 < most < len(values):
        least = np.partition(values, -most)[-most]
        above, equal = np.flatnonzero(values > least), np.flatnonzero(values == least)
        places = np.append(above, equal[: most - len(above)])
    order: list[int] = places[np.argsort(-values[places], kind="stable")].tolist()
    return order


def _text(program: Program, row: int) -> str:
    """The instruction of a line, written out."""
    line = program.at(row)
    if line.form is None:
        return ""
    operands = (
        str(value) if kind == "imm" else f"{kind}{value}"
        for kind, value in zip(line.kinds, line.values, strict=True)
    )
    return f"{line.form.name} {', '.join(operands)}"


def _grouped(opcodes: Sequence[OpcodeShare], key: Any) -> list[CycleShare]:
    """Sums over the opcodes with the same key, the most cycles first."""
    sums: dict[str, tuple[int, int]] = {}
    for share in opcodes:
        instructions, cycles = sums.get(key(share.name), (0, 0))
        sums[key(share.name)] = (instructions + share.instructions, cycles + share.cycles)
    shares = [CycleShare(name, *values) for name, values in sums.items()]
    return sorted(shares, key=lambda share: (-share.cycles, share.name))


def _sums(group: Array, values: Array, groups: int) -> list[int]:
    """Exact sums of whole numbers per group; a line with a negative group is left out."""
    sums = np.zeros(groups, np.int64)
    inside = group >= 0
    np.add.at(sums, group[inside], values[inside])
    return sums.tolist()


def _running(values: Array) -> Array:
    """Sums of all values before each place, and of all."""
    return np.concatenate(([0], np.cumsum(values)))
