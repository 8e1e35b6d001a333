"""Instructions as 32-bit words: where operands are, and a word as the text of its instruction.

A layout is `NAME=HIGH:LOW` for every operand, with alternatives between `|`. `7=25:22` are bits
that hold 7, `?=17:14` bits that mean nothing. `slot<4=17:14` is below 4, `policy@0,15=21:18` is 0
or 15. `view+1=25:22` holds one more than the operand, and 0 where it was left out. `view!=30:29` is
given even where it is 0, which else means that an optional operand was left out. `imm=-` is an
operand that no word holds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from lanescope.errors import LanescopeError
from lanescope.model.isa.isa import IMMEDIATE, Form, Isa

OPCODES = 64
"""Numbers that the opcode of a word can have: its lowest six bits."""
_OPCODE = OPCODES - 1
_FIELD = re.compile(r"(\w+|\?)(\+1|!)?(?:<(\d+)|@([\d,]+))?=(?:(\d+):(\d+)|-)")
_PLACES = {
    "rd": (9, 6),
    "rs1": (13, 10),
    "rs2": (17, 14),
    **dict.fromkeys(("rs3", "rmask", "rstride", "policy", "token"), (21, 18)),
    **dict.fromkeys(("rorder", "precision"), (25, 22)),
    "imm": (31, 14),
}
"""Where operands are in most words."""


class Field(NamedTuple):
    """Some bits of a word."""

    name: str
    """Role of an operand, a number that the bits must hold, or `?`."""
    high: int
    low: int
    plus: int = 0
    """1: they hold one more than the operand, and 0 where it was left out."""
    given: bool = False
    """Whether 0 is a value of an optional operand."""
    allowed: Sequence[int] | None = None
    """What the operand can be; None: anything."""

    @property
    def mask(self) -> int:
        """The bits in their place."""
        return (1 << self.high + 1) - (1 << self.low)

    def of(self, word: int) -> int:
        """What the bits hold."""
        return (word & self.mask) >> self.low


class WrongWord(Exception):
    """A word that is no instruction of the set; the text says why."""


class WordReader:
    """Reads words by the numbers of an instruction set, or by those of an operation table."""

    def __init__(self, isa: Isa, operations: Mapping[int, str] | None = None) -> None:
        self.isa = isa
        self.operations = operations
        self._texts: dict[int, str] = {}

    @cached_property
    def forms(self) -> dict[int, list[Form]]:
        """Number of an opcode to its forms, in the order of the instruction set."""
        forms: dict[int, list[Form]] = {}
        named = {name: code for code, name in (self.operations or {}).items()}
        for form in self.isa.forms.values():
            if self.operations is None:
                forms.setdefault(form.opcode.code, []).append(form)
                continue
            for name in table_names(form):
                if name in named:
                    forms.setdefault(named[name], []).append(form)
        return forms

    def text(self, word: int) -> str:
        """The instruction of a word, as a line of a program; raises WrongWord."""
        text = self._texts.get(word)
        if text is None:
            text = self._texts[word] = self._read(word)
        return text

    def _read(self, word: int) -> str:
        code = word & _OPCODE
        forms = self.forms.get(code)
        if not forms:
            if self.operations is not None and code not in self.operations:
                raise WrongWord(f"the opcode {code:#04x} is not in the operation table")
            name = "" if self.operations is None else f"{self.operations[code]} of "
            raise WrongWord(f"{name}the opcode {code:#04x} is not in the ISA {self.isa.name}")
        reasons = []
        for form in forms:
            for layout in layouts(form):
                wrong = _wrong(word, layout)
                if not wrong:
                    return _text(word, form, layout)
                reasons.append(f"{form.name}: {wrong}")
        raise WrongWord("; ".join(reasons))


def table_names(form: Form) -> tuple[str, ...]:
    """What operation tables call the number of a form."""
    return tuple((form.opcode.called or form.name).split("|"))


def layouts(form: Form) -> list[list[Field]]:
    """The layouts that a form's words have; a LanescopeError where its file gives none."""
    return [_layout(form, text) for text in form.opcode.word.split("|")]


def _layout(form: Form, text: str) -> list[Field]:
    fields: dict[str, Field | None] = {}
    others = []
    for part in text.split():
        match = _FIELD.fullmatch(part)
        if match is None:
            raise LanescopeError(f"{form.name}: expected NAME=HIGH:LOW as word, found {part!r}")
        name, plus, below, listed, high, low = match.groups()
        if high is None:
            fields[name] = None
            continue
        allowed: Sequence[int] | None = range(int(below)) if below else None
        if listed:
            allowed = [int(number) for number in listed.split(",") if number]
        field = Field(name, int(high), int(low), int(plus == "+1"), bool(plus), allowed)
        if name.isdigit() or name == "?":
            others.append(field)
        else:
            fields[name] = field
    for operand in form.operands:
        if operand.role not in fields:
            if operand.role not in _PLACES:
                raise LanescopeError(f"{form.name}: no word holds {operand.role}: say where")
            fields[operand.role] = Field(operand.role, *_PLACES[operand.role])
    return _checked(form, [*(field for field in fields.values() if field), *others])


def _checked(form: Form, fields: list[Field]) -> list[Field]:
    """The fields, if each has its own bits of a word."""
    taken = _OPCODE
    for field in fields:
        if not field.low <= field.high < 32 or taken & field.mask:
            place = f"{field.high}:{field.low}"
            raise LanescopeError(f"{form.name}: {field.name}={place} is outside of its word")
        taken |= field.mask
    return fields


def _wrong(word: int, layout: list[Field]) -> str:
    """Why a word does not have this layout; empty where it has."""
    free = 0xFFFF_FFFF & ~_OPCODE
    for field in layout:
        free &= ~field.mask
        value = field.of(word)
        place = f"bits {field.high} to {field.low}"
        if field.name.isdigit() and value != int(field.name):
            return f"expected {field.name} in {place}, found {value}"
        given = value or not field.plus
        if field.allowed is not None and given and value - field.plus not in field.allowed:
            wanted = ", ".join(map(str, field.allowed))
            return f"expected {field.name} of {wanted} in {place}, found {value}"
    if word & free:
        return f"it does not use the bits {word & free:#010x}, which are set"
    return ""


def _text(word: int, form: Form, layout: list[Field]) -> str:
    fields = {field.name: field for field in layout}
    operands: list[str] = []
    given = 0
    for operand in form.operands:
        field = fields.get(operand.role)
        value = -1 if field is None else field.of(word) - field.plus
        kind = operand.kinds[0]
        if kind == IMMEDIATE and len(operand.kinds) > 1 and value > 0:
            kind = operand.kinds[1]
        operands.append(str(max(value, 0)) if kind == IMMEDIATE else f"{kind}{max(value, 0)}")
        least = 0 if not operand.optional or (field and field.given) else 1
        if value >= least:
            given = len(operands)
    return f"{form.name} {', '.join(operands[:given])}".strip()
