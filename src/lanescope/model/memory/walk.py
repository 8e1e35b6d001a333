"""Finds the addresses of a program's transfers: it follows registers and loops, nothing else.

A register that the program loads from memory is not known. A transfer that needs it is refused
with its line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple

from lanescope.errors import InputError, LanescopeError
from lanescope.model.isa.lines import Line
from lanescope.model.isa.parse import Program
from lanescope.model.memory.access import Access, Piece

_CHUNK = 64
"""Bytes of one request to the memory: PLENA_Simulator transactional_emulator/src/dma.rs."""
_MOST_STEPS = 20_000_000
_WORD = 1 << 32
_ROWS = {
    "H_PREFETCH_M": ("PREFETCH_M_ROWS", "MLEN"),
    "H_PREFETCH_V": ("PREFETCH_V_ROWS", "VLEN"),
    "H_STORE_V": ("STORE_V_ROWS", "VLEN"),
}
_SETS = ("C_SET_ADDR_REG", "C_SET_SCALE_REG", "C_SET_STRIDE_REG")


class Transfer(NamedTuple):
    """One transfer of a program."""

    row: int
    """Its line, counted from 0."""
    cycles_before: int
    """Cycles that the program computes before it."""
    access: Access


def transfers_of(
    program: Program, names: dict[str, int], line_cycles: Sequence[int]
) -> list[Transfer]:
    """Every transfer of a program, in the order of execution.

    `names` are the sizes of the core. `line_cycles` are the cycles of one run of each line of the
    text; a transfer itself has 0.
    """
    sums = list(accumulate(line_cycles, initial=0))
    return list(_Walk(program, names, sums).run())


@dataclass
class _Walk:
    """Executes the lines that addresses depend on."""

    program: Program
    names: dict[str, int]
    cycles_to: list[int]
    """Cycles of all lines of the text before each line, as if every one ran once."""
    gp: list[int | None] = field(default_factory=lambda: [0] * 256)
    address: list[int | None] = field(default_factory=lambda: [0] * 256)
    scale: int | None = 0
    stride: int | None = 0
    loops: list[tuple[int, int]] = field(default_factory=list)
    """Row of the start and turns left, innermost last."""

    def run(self) -> Iterator[Transfer]:
        """Execute the program and give every transfer."""
        rows = [row for row in range(self.program.source_lines) if self._matters(row)]
        place, steps = 0, 0
        cycles = self.cycles_to[rows[0]] if rows else 0
        while place < len(rows):
            steps += 1
            if steps > _MOST_STEPS:
                raise LanescopeError(
                    f"{self.program.path}: expected at most {_MOST_STEPS:,} steps to find the "
                    "transfers' addresses, found more"
                )
            row = rows[place]
            line = self.program.at(row)
            assert line.form is not None
            if line.form.name in _ROWS:
                yield Transfer(row, cycles, self._transfer(row, line))
            place, after = self._step(line, place)
            cycles += self.cycles_to[row + 1] - self.cycles_to[row]
            if place < len(rows):
                cycles += self.cycles_to[rows[place]] - self.cycles_to[rows[after] + 1]

    def _matters(self, row: int) -> bool:
        line = self.program.at(row)
        if line.form is None or self.program.unknown[row]:
            return False
        form = line.form
        writes_gp = line.kinds[:1] == ("gp",) and "rd" in form.opcode.writes
        return bool(form.opcode.loop) or form.name in _ROWS or form.name in _SETS or writes_gp

    def _step(self, line: Line, place: int) -> tuple[int, int]:
        """Execute one line; the place of the next one, and the place before that in the text."""
        assert line.form is not None
        opcode, values = line.form.opcode, line.values
        if opcode.loop == "start":
            self.gp[values[0]] = values[1]
            self.loops.append((place, values[1]))
        elif opcode.loop == "end" and self.loops:
            start, left = self.loops.pop()
            self.gp[values[0]] = left - 1
            if left > 1:
                self.loops.append((start, left - 1))
                return start + 1, start
        elif line.form.name in _SETS:
            self._set(line.form.name, values)
        elif line.kinds[:1] == ("gp",) and "rd" in opcode.writes and values[0] != 0:
            self.gp[values[0]] = self._value(opcode.value, line)
        return place + 1, place

    def _set(self, name: str, values: tuple[int, ...]) -> None:
        if name == "C_SET_SCALE_REG":
            self.scale = self.gp[values[0]]
        elif name == "C_SET_STRIDE_REG":
            self.stride = self.gp[values[0]]
        else:
            high, low = self.gp[values[1]], self.gp[values[2]]
            known = high is not None and low is not None
            self.address[values[0]] = (high or 0) * _WORD + (low or 0) if known else None

    def _value(self, rule: str | None, line: Line) -> int | None:
        """Value of an integer register after the line; None where it cannot be known."""
        operands = [
            self.gp[value] if kind == "gp" else value
            for kind, value in zip(line.kinds[1:], line.values[1:], strict=True)
        ]
        if any(value is None for value in operands):
            return None
        known = [value for value in operands if value is not None]
        if rule == "lui":
            return (known[0] << 12) % _WORD
        if rule in ("add", "addi"):
            return (known[0] + known[1]) % _WORD
        if rule == "sub":
            return (known[0] - known[1]) % _WORD
        return (known[0] * known[1]) % _WORD if rule == "mul" else None

    def _transfer(self, row: int, line: Line) -> Access:
        assert line.form is not None
        rows_name, width_name = _ROWS[line.form.name]
        _, offset_register, address_register, strided, *_ = line.values
        offset, base = self.gp[offset_register], self.address[address_register]
        if offset is None or base is None or self.scale is None or self.stride is None:
            raise InputError(
                self.program.path,
                f"line {row + 1}: expected a transfer whose address the program computes, found "
                "one that depends on a value loaded from memory",
            )
        row_bytes = self.names[width_name] * self.names["ELEMENT_BITS"] // 8
        pitch = self.stride if strided == 1 else row_bytes
        pieces = _pieces(
            base, [offset + n * pitch for n in range(self.names[rows_name])],
            row_bytes=row_bytes, scales=base + self.scale, block=self.names["BLOCK"],
        )  # fmt: skip
        return Access(pieces, writes=line.form.name == "H_STORE_V")


def _pieces(
    base: int, offsets: Sequence[int], *, row_bytes: int, scales: int, block: int
) -> list[Piece]:
    """Per row the whole chunks of its elements, and one whole chunk with its scales."""
    pieces = []
    element_bytes = -(-row_bytes // _CHUNK) * _CHUNK
    for offset in offsets:
        start = (base + offset) // _CHUNK * _CHUNK
        pieces.append(Piece(start, element_bytes))
        pieces.append(Piece((scales + offset // block) // _CHUNK * _CHUNK, _CHUNK))
    return pieces
