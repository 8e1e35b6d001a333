"""Reads one line of a program with care: its words, their places, and what is wrong with them.

The lines of a whole program are read in C (parse.py). This is for those that are unusual or wrong,
and for the few that somebody wants to see in words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from lanescope.model.isa.isa import IMMEDIATE, Form, Isa
from lanescope.model.isa.variants import unknown_opcode

_TOKEN = re.compile(r"[^\s,]+")
_NUMBER = re.compile(r"-?(?:0[xX][0-9a-fA-F]+|\d+)")
_REGISTER = re.compile(r"([A-Za-z]+)(\d+)")
_MOST_NUMBER = 1 << 63
_MOST_DIGITS = 19
"""Digits of the largest number, without zeros in front."""


class Line(NamedTuple):
    """The meaning of one line."""

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


class LineReader:
    """Reads single lines of an instruction set. Bytes that are no UTF-8 become U+FFFD."""

    def __init__(self, isa: Isa) -> None:
        self._isa = isa
        marks = [re.escape(mark.encode()) for mark in isa.file.comments if mark]
        self._mark = re.compile(b"|".join(marks)) if marks else None

    def mark(self, line: bytes) -> tuple[int, int]:
        """Where the comment's mark begins and ends; the line's end, twice, without a comment."""
        mark = self._mark.search(line) if self._mark else None
        return mark.span() if mark else (len(line), len(line))

    def read(self, line: bytes) -> Line:
        """Read a line; a wrong one has a problem."""
        end, after = self.mark(line)
        comment = line[after:].decode(errors="replace").strip()
        tokens = list(_TOKEN.finditer(line[:end].decode(errors="replace")))
        if not tokens:
            return Line(None, comment=comment)
        first, *rest = tokens
        column = first.start() + 1
        form = self._isa.forms.get(first.group())
        if form is None:
            problem = unknown_opcode(_shown(first.group()), self._isa)
            return Line(None, (), (), comment, column, problem, column)
        try:
            pairs = list(_checked(form, rest, self._isa, column=column))
        except _Wrong as wrong:
            return Line(None, (), (), comment, column, wrong.text, wrong.column)
        kinds, values = tuple(kind for kind, _ in pairs), tuple(value for _, value in pairs)
        return Line(form, values, kinds, comment, column)


class _Wrong(Exception):
    """An operand that cannot stand where it stands."""

    def __init__(self, text: str, column: int) -> None:
        super().__init__(text)
        self.text = text
        self.column = column


def _checked(
    form: Form, tokens: list[re.Match[str]], isa: Isa, *, column: int
) -> Iterator[tuple[str, int]]:
    for place, operand in enumerate(form.operands):
        if place >= len(tokens):
            if operand.optional:
                return
            wanted = "|".join(operand.kinds)
            raise _Wrong(f"{form.name}: expected {operand.role} ({wanted}), found none", column)
        token = tokens[place]
        given = _operand(token.group(), isa)
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
    """Kind and value of an operand; None where it is neither a number nor a register."""
    if _NUMBER.fullmatch(text):
        value = int(text, 16) if "x" in text.lower() else _decimal(text)
        return None if value is None or abs(value) >= _MOST_NUMBER else (IMMEDIATE, value)
    match = _REGISTER.fullmatch(text)
    if match is None or match[1] not in isa.file.registers:
        return None
    number = _decimal(match[2])
    fits = number is not None and number < isa.file.registers[match[1]].count
    return (match[1], number) if number is not None and fits else None


def _decimal(text: str) -> int | None:
    """The number; None where it has more digits than any number may have."""
    sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text)
    digits = digits.lstrip("0") or "0"
    return int(sign + digits) if len(digits) <= _MOST_DIGITS else None


def _shown(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"
