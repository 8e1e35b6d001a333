"""Reads the text of a program: its lines and loops, and problems with line and column.

Equal lines are read once: a program of ten thousands of lines has a thousand different ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lanescope.errors import InputError
from lanescope.model.isa.context import with_names
from lanescope.model.isa.isa import IMMEDIATE, Form, Isa
from lanescope.model.isa.loops import Loop, read_loops
from lanescope.model.isa.variants import unknown_opcode

Array = npt.NDArray[Any]

_TOKEN = re.compile(r"[^\s,]+")
_NUMBER = re.compile(r"-?(?:0[xX][0-9a-fA-F]+|\d+)")
_REGISTER = re.compile(r"([A-Za-z]+)(\d+)")
_MOST_BYTES = 1 << 30
_MOST_NUMBER = 1 << 63


class Line(NamedTuple):
    """The meaning of one line's text, wherever it stands."""

    form: Form | None
    """The opcode; None for a line without an instruction or with an unknown one."""
    values: tuple[int, ...] = ()
    """Operands in order: register numbers and immediates."""
    kinds: tuple[str, ...] = ()
    """What each operand is: a register file's name, or `imm`."""
    comment: str = ""
    column: int = 1
    """Column of the opcode, from 1."""
    problem: str = ""
    """Why nobody can read the line; empty where somebody can."""
    problem_column: int = 1

    def operand(self, role: str) -> tuple[str, int] | None:
        """Kind and value of the operand with this role; None where it was left out."""
        assert self.form is not None
        for operand, kind, value in zip(self.form.operands, self.kinds, self.values, strict=False):
            if operand.role == role:
                return kind, value
        return None


class Problem(NamedTuple):
    """Something in a program that has no cost; line and column count from 1."""

    line: int
    column: int
    text: str


class Program(NamedTuple):
    """A program: its distinct lines, which of them stands where, and its loops."""

    path: str
    isa: Isa
    lines: tuple[Line, ...]
    """The distinct lines."""
    numbers: Array
    """Per distinct line: number of its opcode; -1: no instruction, -2: one nobody can read."""
    which: Array
    """Per line of the text, its number in `lines`."""
    opcode: Array
    """`numbers`, per line of the text."""
    repeats: Array
    """Per line of the text, how often it runs."""
    loops: tuple[Loop, ...]
    problems: tuple[Problem, ...]
    unknown: Array
    """Per line of the text: whether it has no meaning or runs an unknown number of times."""
    names: Mapping[int, Mapping[str, int | None]] = {}
    """Distinct line to the values of the names that its formulas use; None: not known."""

    @property
    def source_lines(self) -> int:
        """Number of lines of the text."""
        return len(self.which)

    def at(self, row: int) -> Line:
        """The line with this number, counted from 0."""
        return self.lines[int(self.which[row])]


def read_program(path: str | Path, isa: Isa) -> Program:
    """Read the program in a file; its problems are collected, not raised."""
    try:
        size = Path(path).stat().st_size
        if size > _MOST_BYTES:
            raise InputError(path, f"expected at most {_MOST_BYTES:,} bytes, found {size:,}")
        content = Path(path).read_bytes()
    except OSError as error:
        raise InputError(path, f"cannot be read ({error.strerror or error})") from error
    return parse(content.decode(errors="replace"), isa, path=str(path))


def parse(text: str, isa: Isa, *, path: str = "program") -> Program:
    """Read a program from its text; its problems are collected, not raised."""
    reader = _LineReader(isa)
    rows = text.split("\n")
    if rows and not rows[-1].strip():
        rows.pop()
    which = np.fromiter(map(reader.__getitem__, rows), np.int32, len(rows))
    lines = tuple(reader.lines)
    numbers = np.array([_number(line) for line in lines], np.int32)
    opcode = numbers[which] if len(which) else which
    problems = [
        Problem(row + 1, lines[which[row]].problem_column, lines[which[row]].problem)
        for row in np.flatnonzero(opcode == -2).tolist()
    ]
    starts = opcodes_of(isa, "start", "end", "break")
    loops = read_loops(
        [
            (row, line.form.opcode.loop or "", line.values, line.column)
            for row in np.flatnonzero(np.isin(opcode, starts)).tolist()
            if (line := lines[which[row]]).form is not None
        ],
        len(rows),
    )
    problems += [Problem(*problem) for problem in loops.problems]
    program = Program(
        path=path,
        isa=isa,
        lines=lines,
        numbers=numbers,
        which=which,
        opcode=opcode,
        repeats=loops.repeats,
        loops=loops.loops,
        problems=tuple(sorted(problems)),
        unknown=loops.unknown | (opcode == -2),
    )
    return with_names(program)


def opcodes_of(isa: Isa, *loop: str) -> list[int]:
    """Numbers of the opcodes that start, end or break a loop, as named."""
    return [form.number for form in isa.forms.values() if form.opcode.loop in loop]


def _number(line: Line) -> int:
    if line.form is not None:
        return line.form.number
    return -2 if line.problem else -1


class _Operands(dict[str, "tuple[str, int] | None"]):
    """Text of an operand to its kind and value; None where it is neither register nor number."""

    def __init__(self, isa: Isa) -> None:
        super().__init__()
        self._isa = isa

    def __missing__(self, text: str) -> tuple[str, int] | None:
        operand = self[text] = _operand(text, self._isa)
        return operand


class _LineReader(dict[str, int]):
    """Text of a line to its number among the different lines; reads it when it is new."""

    def __init__(self, isa: Isa) -> None:
        super().__init__()
        self.lines: list[Line] = []
        self._isa = isa
        self._forms = isa.forms
        self._operands = _Operands(isa)
        self._comment = re.compile("|".join(map(re.escape, isa.file.comments)))
        self._good: set[tuple[int, tuple[str, ...]]] = set()
        """Opcodes with kinds of operands that were checked before and are right."""

    def __missing__(self, text: str) -> int:
        number = self[text] = len(self.lines)
        self.lines.append(self._read(text))
        return number

    def _read(self, text: str) -> Line:
        mark = self._comment.search(text)
        comment = text[mark.end() :].strip() if mark else ""
        body = text[: mark.start()] if mark else text
        words = body.replace(",", " ").split()
        if not words:
            return Line(None, comment=comment)
        column = len(body) - len(body.lstrip(" \t,")) + 1
        form = self._forms.get(words[0])
        operands = [self._operands[word] for word in words[1:]]
        if form is not None and None not in operands:
            kinds, values = zip(*operands, strict=True) if operands else ((), ())
            if (form.number, kinds) in self._good:
                return Line(form, values, kinds, comment, column)
        return self._read_carefully(body, comment)

    def _read_carefully(self, body: str, comment: str) -> Line:
        """Read a line of a form not met before, or a wrong one, with the places of its words."""
        first, *rest = _TOKEN.finditer(body)
        column = first.start() + 1
        form = self._forms.get(first.group())
        if form is None:
            problem = unknown_opcode(_shown(first.group()), self._isa)
            return Line(None, (), (), comment, column, problem, column)
        try:
            pairs = list(_checked(form, rest, self._operands, column=column))
        except _Wrong as wrong:
            return Line(None, (), (), comment, column, wrong.text, wrong.column)
        kinds, values = tuple(kind for kind, _ in pairs), tuple(value for _, value in pairs)
        self._good.add((form.number, kinds))
        return Line(form, values, kinds, comment, column)


class _Wrong(Exception):
    """An operand that cannot stand where it stands."""

    def __init__(self, text: str, column: int) -> None:
        super().__init__(text)
        self.text = text
        self.column = column


def _checked(
    form: Form, tokens: list[re.Match[str]], operands: _Operands, *, column: int
) -> Iterator[tuple[str, int]]:
    for place, operand in enumerate(form.operands):
        if place >= len(tokens):
            if operand.optional:
                return
            wanted = "|".join(operand.kinds)
            raise _Wrong(f"{form.name}: expected {operand.role} ({wanted}), found none", column)
        token = tokens[place]
        given = operands[token.group()]
        if given is None or given[0] not in operand.kinds:
            wanted = " or ".join(operand.kinds)
            text = f"{form.name}: expected {operand.role} ({wanted}), found {_shown(token.group())}"
            raise _Wrong(text, token.start() + 1)
        yield given
    if len(tokens) > len(form.operands):
        token = tokens[len(form.operands)]
        text = f"{form.name}: expected {len(form.operands)} operands, found also "
        raise _Wrong(text + _shown(token.group()), token.start() + 1)


def _operand(text: str, isa: Isa) -> tuple[str, int] | None:
    if text.isascii() and text.isdigit() and len(text) < 19:
        return IMMEDIATE, int(text)
    if _NUMBER.fullmatch(text):
        value = int(text, 0) if "x" in text.lower() else int(text)
        return (IMMEDIATE, value) if abs(value) < _MOST_NUMBER else None
    match = _REGISTER.fullmatch(text)
    if match is None or match[1] not in isa.file.registers:
        return None
    number = int(match[2])
    return (match[1], number) if number < isa.file.registers[match[1]].count else None


def _shown(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"
