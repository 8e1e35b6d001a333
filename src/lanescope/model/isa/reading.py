"""Reads a program of text or of words, with what the user binds of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from lanescope.errors import UsageError
from lanescope.model.isa.binding import BoundProgram, bind_counts, read_bindings
from lanescope.model.isa.isa import load_isa
from lanescope.model.isa.mem import BASE, holds_words, read_words
from lanescope.model.isa.operations import read_operations
from lanescope.model.isa.parse import Program, parse, read_program


def read_ends(
    path: str | Path,
    *,
    isa: str | Path | None = None,
    operations: str | Path | None = None,
    bind: Mapping[str, object] | Iterable[str] | None = None,
) -> BoundProgram:
    """Read a program; where a count is an interval, at both of its ends.

    Without `isa` a text is read as the base set; a program of words is refused where its numbers
    mean different things, unless `operations` says which.
    """
    bindings = read_bindings(bind)
    chosen = None if isa is None else load_isa(isa)
    words = None
    if holds_words(path):
        table = None if operations is None else read_operations(operations)
        words = read_words(path, chosen, table)
        program = parse(words.text, words.isa, path=str(path))
    elif operations is not None:
        raise UsageError(f"--operations is for programs of words (.mem), but {path} is text")
    else:
        program = read_program(path, chosen or load_isa(BASE))
    ends = BoundProgram(program, program)
    if bindings or _leaves_open(program):
        ends = bind_counts(program, bindings)
    if words is None:
        return ends
    return ends._replace(low=words.explained(ends.low), high=words.explained(ends.high))


def _leaves_open(program: Program) -> bool:
    """Whether a loop of the program may have a count that its text does not say."""
    counted = [form.number for form in program.isa.forms.values() if form.opcode.counts]
    return bool(program.problems) or bool(np.isin(program.opcode, counted).any())
