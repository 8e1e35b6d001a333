"""The transfers of a program with the bytes that each moves, in the order of execution.

The schedule's own walk through the program gives their addresses. A transfer whose address
depends on a value that the program loads from memory is refused with its line.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lanescope.errors import InputError
from lanescope.model.cost.table import CostTable
from lanescope.model.expression import evaluate
from lanescope.model.isa.parse import Program
from lanescope.model.memory.access import Access
from lanescope.model.memory.statistics import CHUNK
from lanescope.model.schedule.overlap import executed_transfers

Array = npt.NDArray[Any]


class Transfer(NamedTuple):
    """One transfer of a program."""

    row: int
    """Its line, counted from 0."""
    cycles_before: int
    """Cycles that the program computes before it."""
    access: Access


class _Rows(NamedTuple):
    """The rows of the board's memory that the transfers of one line move."""

    number: int
    row_bytes: int
    scale_bytes: int
    strided: bool
    writes: bool


def transfers_of(program: Program, table: CostTable) -> Iterator[Transfer]:
    """Every transfer of a program; `table` has the sizes of the core and the cycles of lines."""
    executed = executed_transfers(program, table)
    _refuse_unknown(program, executed)
    names = table.core.names
    block = names["BLOCK"]
    of_line = {row: _rows(program, row, names) for row in np.unique(executed["row"]).tolist()}
    for before, base, offset, scale, stride, row, *_ in executed.tolist():
        rows = of_line[row]
        pitch = stride if rows.strided else rows.row_bytes
        here = offset + np.arange(rows.number, dtype=np.int64) * pitch
        moved = _pieces(base, here, base + scale, rows=rows, block=block)
        yield Transfer(row, before, Access(moved, writes=rows.writes, reads_first=rows.writes))


def _refuse_unknown(program: Program, executed: Array) -> None:
    unknown = executed["row"][executed["known"] == 0]
    if len(unknown):
        raise InputError(
            program.path,
            f"line {int(unknown[0]) + 1}: expected a transfer whose address the program computes, "
            "found one that depends on a value loaded from memory; --memory-model hbm needs none",
        )


def _rows(program: Program, row: int, names: dict[str, int]) -> _Rows:
    line = program.at(row)
    assert line.form is not None
    opcode = line.form.opcode
    if opcode.rows is None or opcode.row_elements is None:
        raise InputError(
            program.path,
            f"line {row + 1}: the ISA {program.isa.name} does not say which rows "
            f"{line.form.name} moves (rows, row_elements); --memory-model hbm needs none",
        )
    strided = line.operand("rstride")
    elements = evaluate(opcode.row_elements, names)
    return _Rows(
        evaluate(opcode.rows, names),
        -(-elements * names["ELEMENT_BITS"] // 8),
        -(-elements * names["SCALE_BITS"] // (8 * names["BLOCK"])),
        strided is not None and strided[1] == 1,
        opcode.stores,
    )


def _pieces(base: int, here: Array, scales: int, *, rows: _Rows, block: int) -> Array:
    """Per row the whole chunks of its elements, and those of its scales where it has some."""
    pieces = np.empty((len(here), 2, 2), np.int64)
    pieces[:, 0, 0] = (base + here) // CHUNK * CHUNK
    pieces[:, 0, 1] = -(-rows.row_bytes // CHUNK) * CHUNK
    pieces[:, 1, 0] = (scales + here // block) // CHUNK * CHUNK
    pieces[:, 1, 1] = -(-rows.scale_bytes // CHUNK) * CHUNK
    return pieces[:, : 2 if rows.scale_bytes else 1].reshape(-1, 2)
