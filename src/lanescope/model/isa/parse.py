"""Reads the text of a program: its lines and loops, and problems with line and column.

The C library reads the lines; those that are unusual or wrong are read here, one by one.
"""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lanescope.errors import InputError, LanescopeError
from lanescope.model.isa.context import with_names
from lanescope.model.isa.isa import IMMEDIATE, Form, Isa, Operand
from lanescope.model.isa.lines import Line, LineReader
from lanescope.model.isa.loops import Loops, LoopTable, loop_table, read_loops
from lanescope.model.isa.regular_loops import LoopLines, regular_loops
from lanescope.native import assembly

Array = npt.NDArray[Any]

_MOST_BYTES = 1 << 30
_OPEN = "imm"
"""Role of the number that patterns leave open."""
_LOOPS = (None, "start", "end", "break")
"""What an opcode is to a loop."""


class Problem(NamedTuple):
    """Something in a program that has no cost; line and column count from 1."""

    line: int
    column: int
    text: str


class Program(NamedTuple):
    """A program: the patterns of its lines, which of them stands where, and its loops.

    Lines have one pattern that differ in spaces, comment and the operand `imm` at most.
    """

    path: str
    isa: Isa
    text: bytes
    patterns: Array
    """Opcode and operands of each pattern, `imm` as 0 (ASM_PATTERN)."""
    which: Array
    """Per line of the text, its number in `patterns`."""
    number: Array
    """Per line of the text: the number that is its operand `imm`; 0 without one."""
    opcode: Array
    """Per line of the text: number of its opcode; -1: no instruction, -2: one nobody can read."""
    start: Array
    """Per line of the text: its first byte in `text`."""
    column: Array
    """Per line of the text: column of its opcode, from 1."""
    comment: Array
    """Per line of the text: first visible byte of its comment, -1 without one."""
    repeats: Array
    """Per line of the text, how often it runs."""
    loops: LoopTable
    problems: tuple[Problem, ...]
    unknown: Array
    """Per line of the text: whether it has no meaning or runs an unknown number of times."""
    names: Mapping[int, Mapping[str, int | None]] = {}
    """Pattern to the values of the names that its formulas use; None: not known."""

    @property
    def source_lines(self) -> int:
        """Number of lines of the text."""
        return len(self.which)

    def kind(self, place: int) -> Array:
        """Per pattern: number of the kind of the operand in this place, as in `kinds_of`."""
        return (self.patterns["kinds"] >> np.uint64(8 * place) & np.uint64(0xFF)).astype(np.int64)

    def at(self, row: int) -> Line:
        """The line with this number, counted from 0."""
        return LineReader(self.isa).read(_to_line_end(self.text, int(self.start[row])))

    def comments(self, rows: Array) -> tuple[list[str], list[int]]:
        """The different comments of these lines, which have one each, and which one it is."""
        numbers: dict[bytes, int] = {}
        starts = self.comment[rows].tolist()
        which = [numbers.setdefault(_to_line_end(self.text, at), len(numbers)) for at in starts]
        return [raw.decode(errors="replace").strip() for raw in numbers], which


def read_program(path: str | Path, isa: Isa) -> Program:
    """Read the program in a file; its problems are collected, not raised.

    Lines may end as on any system, and a mark of the byte order may come first. A file without an
    instruction is refused.
    """
    text = program_bytes(path)
    if text.startswith(codecs.BOM_UTF8):
        text = text[len(codecs.BOM_UTF8) :]
    if b"\n" not in text:
        text = text.replace(b"\r", b"\n")
    program = parse_bytes(text, isa, path=str(path))
    if (program.opcode == -1).all():
        raise InputError(path, f"expected a program, found no instruction in {_lines(program)}")
    return program


def _lines(program: Program) -> str:
    return f"{program.source_lines:,} line{'' if program.source_lines == 1 else 's'}"


def program_bytes(path: str | Path) -> bytes:
    """The content of a program's file, which has a size that a program can have."""
    try:
        size = Path(path).stat().st_size
        if size > _MOST_BYTES:
            raise InputError(path, f"expected at most {_MOST_BYTES:,} bytes, found {size:,}")
        return Path(path).read_bytes()
    except OSError as error:
        raise InputError(path, f"cannot be read ({error.strerror or error})") from error


def parse(text: str, isa: Isa, *, path: str = "program") -> Program:
    """Read a program from its text; its problems are collected, not raised."""
    return parse_bytes(text.encode(errors="replace"), isa, path=path)


def parse_bytes(text: bytes, isa: Isa, *, path: str = "program") -> Program:
    """Read a program from the bytes of a file; lines end with a line feed."""
    if len(text) > _MOST_BYTES:
        raise InputError(path, f"expected at most {_MOST_BYTES:,} bytes, found {len(text):,}")
    rows = text.count(b"\n") + 1
    if not text[text.rfind(b"\n") + 1 :].decode(errors="replace").strip():
        rows -= 1
    lines = assembly.read_assembly(text, rows, _tables(isa))
    problems, patterns = _read_odd(text, lines, isa)
    opcode = patterns["opcode"][lines.which]
    program = Program(
        path=path,
        isa=isa,
        text=text,
        patterns=patterns,
        which=lines.which,
        number=lines.number,
        opcode=opcode,
        start=lines.start,
        column=lines.column,
        comment=lines.comment,
        repeats=opcode,
        loops=loop_table(()),
        problems=(),
        unknown=opcode == -2,
    )
    loops = _loops(program)
    problems += [Problem(*problem) for problem in loops.problems]
    return with_names(
        program._replace(
            repeats=loops.repeats,
            loops=loops.loops,
            problems=tuple(sorted(problems)),
            unknown=loops.unknown | program.unknown,
        )
    )


def _to_line_end(text: bytes, start: int) -> bytes:
    end = text.find(b"\n", start)
    return text[start:] if end < 0 else text[start:end]


def kinds_of(isa: Isa) -> tuple[str, ...]:
    """What the operands of patterns are, by number: nothing, `imm`, and the register files."""
    return ("", IMMEDIATE, *isa.file.registers)


def open_place(form: Form) -> int:
    """Place of the operand whose number patterns leave open; -1 without one."""
    return _open_place(form.operands)


def _open_place(operands: tuple[Operand, ...]) -> int:
    roles = [operand.role for operand in operands]
    return roles.index(_OPEN) if _OPEN in roles else -1


def _tables(isa: Isa) -> assembly.AsmTables:
    """The words of an instruction set, as the C library takes them."""
    if len(isa.file.registers) > assembly.KINDS - assembly.REGISTER or any(
        len(form.operands) > assembly.OPERANDS for form in isa.forms.values()
    ):
        raise LanescopeError(
            f"the ISA {isa.name!r} has more than {assembly.KINDS - assembly.REGISTER} register "
            f"files, or an opcode with more than {assembly.OPERANDS} operands"
        )
    # The reader takes letters before digits for a register: another name never stands in a text.
    counts = {
        name: file.count if name.isascii() and name.isalpha() else 0
        for name, file in isa.file.registers.items()
    }
    marks = [mark for mark in isa.file.comments if mark]
    operands = tuple(form.operands for form in isa.forms.values())
    return assembly.AsmTables(isa.names, _asm_forms(operands, kinds_of(isa)), counts, marks)


@lru_cache(8)
def _asm_forms(opcodes: tuple[tuple[Operand, ...], ...], kinds: tuple[str, ...]) -> Array:
    """What may stand behind each opcode, by its operands (ASM_FORM)."""
    forms = np.zeros(len(opcodes), assembly.ASM_FORM)
    for number, operands in enumerate(opcodes):
        allowed = [0] * assembly.OPERANDS
        for place, operand in enumerate(operands):
            allowed[place] = sum(1 << n for n, kind in enumerate(kinds) if kind in operand.kinds)
        enough = [place for place, operand in enumerate(operands) if operand.optional]
        complete = sum(1 << count for count in (*enough, len(operands)))
        forms[number] = (allowed, complete, _open_place(operands))
    return forms


def _read_odd(text: bytes, lines: assembly.AsmLines, isa: Isa) -> tuple[list[Problem], Array]:
    """Read the lines that the C library left; the problems, and all patterns."""
    reader, read = LineReader(isa), dict[bytes, Line]()
    problems: list[Problem] = []
    extra: list[tuple[list[int], int, int, int]] = []
    for row in np.flatnonzero(lines.which == assembly.ODD).tolist():
        start = int(lines.start[row])
        raw = _to_line_end(text, start)
        line = read[raw] if raw in read else read.setdefault(raw, reader.read(raw))
        lines.column[row] = line.column
        lines.comment[row] = start + reader.mark(raw)[1] if line.comment else -1
        if line.problem:
            problems.append(Problem(row + 1, line.problem_column, line.problem))
        elif line.form is None:
            lines.which[row] = assembly.NOTHING
        else:
            lines.which[row] = len(lines.patterns) + len(extra)
            pattern, lines.number[row] = _pattern(line, isa)
            extra.append(pattern)
    if not extra:
        return problems, lines.patterns
    return problems, np.append(lines.patterns, np.array(extra, assembly.ASM_PATTERN))


def _pattern(line: Line, isa: Isa) -> tuple[tuple[list[int], int, int, int], int]:
    """Pattern of a line that has an instruction, and the number that the pattern leaves open."""
    assert line.form is not None
    values = [*line.values, *[0] * (assembly.OPERANDS - len(line.values))]
    names = kinds_of(isa)
    kinds = sum(names.index(kind) << 8 * place for place, kind in enumerate(line.kinds))
    place, number = open_place(line.form), 0
    if 0 <= place < len(line.values) and line.kinds[place] == IMMEDIATE:
        number, values[place] = values[place], 0
    return (values, kinds, line.form.number, 0), number


def _loops(program: Program) -> Loops:
    """The loops of a program whose lines are read."""
    forms, which = program.isa.forms.values(), program.which
    # The last two are of lines without an opcode, whose numbers are -1 and -2.
    kinds = np.array([*(_LOOPS.index(form.opcode.loop) for form in forms), 0, 0])
    rows = np.flatnonzero(kinds[program.opcode])
    opcode = program.opcode[rows]
    opens = np.array([open_place(form) for form in forms], np.int64)[opcode]
    register, count = (
        program.patterns["values"][which[rows], place]
        + np.where(opens == place, program.number[rows], 0)
        for place in (0, 1)
    )
    kind = kinds[opcode]
    if not (kind == _LOOPS.index("break")).any():
        lines = LoopLines(rows, kind == _LOOPS.index("start"), register, count)
        regular = regular_loops(lines, len(which))
        if regular is not None:
            return regular
    operands = zip(register.tolist(), count.tolist(), strict=True)
    columns = rows.tolist(), [_LOOPS[number] or "" for number in kind.tolist()], operands
    return read_loops(list(zip(*columns, program.column[rows].tolist(), strict=True)), len(which))
