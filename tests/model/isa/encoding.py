"""Instructions to words, for tests: the other way round than words.py, by the same layouts."""

from __future__ import annotations

import random

from lanescope.model.isa.isa import IMMEDIATE, Form, Isa
from lanescope.model.isa.lines import LineReader
from lanescope.model.isa.words import Field, layouts


def encode(text: str, isa: Isa) -> int:
    """The word of a line of text."""
    line = LineReader(isa).read(text.encode())
    assert line.form is not None, line.problem
    values = {
        operand.role: value for operand, value in zip(line.form.operands, line.values, strict=False)
    }
    for layout in layouts(line.form):
        word = _word(line.form, layout, values)
        if word is not None:
            return word
    raise AssertionError(f"no layout of {line.form.name} holds {text!r}")


def _word(form: Form, layout: list[Field], values: dict[str, int]) -> int | None:
    """The word; None where a given operand has no place in this layout."""
    if set(values) - {field.name for field in layout} - _unheld(form):
        return None
    word = form.opcode.code
    for field in layout:
        if field.name.isdigit():
            word |= int(field.name) << field.low
        elif field.name in values:
            value = values[field.name] + field.plus
            assert 0 <= value < 1 << field.high - field.low + 1, (form.name, field, value)
            word |= value << field.low
        elif field.given and not field.plus:
            return None
    return word


def _unheld(form: Form) -> set[str]:
    """Operands that no layout of the form holds: the assembler drops them."""
    held = {field.name for layout in layouts(form) for field in layout}
    return {operand.role for operand in form.operands} - held


def random_line(form: Form, isa: Isa, rng: random.Random) -> str:
    """A line in the way that words are read: without operands that are left out, or are 0 there."""
    layout = rng.choice(layouts(form))
    fields = {field.name: field for field in layout}
    operands: list[str] = []
    given = 0
    for operand in form.operands:
        field = fields.get(operand.role)
        if field is None:
            break
        kind = operand.kinds[0]
        most = (1 << field.high - field.low + 1) - field.plus
        if kind != IMMEDIATE:
            most = min(most, isa.file.registers[kind].count)
        value = rng.choice(field.allowed or range(most))
        if kind == IMMEDIATE and len(operand.kinds) > 1 and value:
            kind = operand.kinds[1]
        operands.append(str(value) if kind == IMMEDIATE else f"{kind}{value}")
        if not operand.optional or field.given or value:
            given = len(operands)
    return f"{form.name} {', '.join(operands[:given])}".strip()
