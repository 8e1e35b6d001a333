"""What names of formulas mean at a line of a program, like the experts of a routing policy.

A name's value comes from an operand, or from a register whose value the program computes. Lines
with one pattern but other values get patterns of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lanescope.model.isa.isa import IMMEDIATE, OPEN, OPERAND_NUMBER, Form, Isa
from lanescope.model.isa.register_state import RegisterState, Values, filled

if TYPE_CHECKING:
    from lanescope.model.isa.lines import Line
    from lanescope.model.isa.parse import Program

Array = npt.NDArray[Any]

_WORD = re.compile(r"\w+")


def with_names(program: Program, given: Mapping[str, int] | None = None) -> Program:
    """The program with the values of the names that its lines use; `given` fills in unknown ones.

    A program without such lines comes back as it is.
    """
    users = _users(program)
    if not users.any():
        return program
    patterns, which = [program.patterns], program.which.copy()
    names: dict[int, Values] = {}
    known: dict[tuple[int, tuple[tuple[str, int | None], ...]], int] = {}
    total = len(program.patterns)
    for row, line, state in _states(program, np.flatnonzero(users[program.which])):
        values = _used(line, state, given or {})
        pattern = int(program.which[row])
        key = (pattern, tuple(values.items()))
        if key not in known and pattern not in names:
            known[key] = pattern
        elif key not in known:
            known[key] = total
            total += 1
            patterns.append(program.patterns[[pattern]])
        names[known[key]] = values
        which[row] = known[key]
    return program._replace(patterns=np.concatenate(patterns), which=which, names=names)


def most_turns(program: Program, rows: list[int]) -> dict[int, int]:
    """By row of its start: the most turns of each loop whose count is known at run time only."""
    turns = {}
    for row, line, state in _states(program, np.array(rows)) if rows else ():
        assert line.form is not None and line.form.opcode.counts is not None
        most = state.evaluate(line.form.opcode.counts.most)
        assert most is not None, "loading an ISA checks that the most of a count has a value"
        turns[row] = most
    return turns


def _used(line: Line, state: RegisterState, given: Mapping[str, int]) -> Values:
    """Values of the names that a line uses; those of an operand that was left out have none."""
    assert line.form is not None
    values: Values = {}
    for name, stands_for in line.form.opcode.uses.items():
        text = filled(stands_for, line)
        if text is not None:
            value = state.evaluate(text, operands=state.operands(line), bounded=False)
            values[name] = given.get(name) if value is None else value
    return values


def _users(program: Program) -> Array:
    """Per pattern: whether it uses names, with the operands that it has."""
    users = np.zeros(len(program.patterns), bool)
    for form in program.isa.forms.values():
        if not form.opcode.uses:
            continue
        mine = program.patterns["opcode"] == form.number
        if not mine.any():
            continue
        roles = [operand.role for operand in form.operands]
        named = [OPERAND_NUMBER.findall(text) for text in form.opcode.uses.values()]
        # A name without operands, or with such as have a number when left out, is always used.
        places = [
            max((roles.index(role) for role, number in found if not number), default=-1)
            for found in named
        ]
        users |= mine if min(places) < 0 else mine & (program.kind(min(places)) > 0)
    return users


def _states(program: Program, wanted: Array) -> Iterator[tuple[int, Line, RegisterState]]:
    """The wanted lines with the state in front of each, which is only good until the next one.

    In a loop only what no turn changes is known before it is written.
    """
    state, lines = RegisterState(program.isa), _Lines(program)
    writing = np.flatnonzero(np.isin(program.opcode, _writing(program.isa)))
    if not _depends(program, wanted, lines):
        writing = writing[:0]
    starts = {loop.start: loop.end for loop in program.loops}
    asked = set(wanted.tolist())
    rows = np.union1d(np.union1d(writing, wanted), list(starts)).astype(int)
    for row in rows[: np.searchsorted(rows, wanted[-1], "right")].tolist():
        line = lines[row]
        if row in asked:
            yield row, line, state
        if row in starts:
            first, last = np.searchsorted(writing, [row, starts[row] + 1])
            patterns = np.unique(program.which[writing[first:last]], return_index=True)[1]
            for inside in writing[first:last][patterns].tolist():
                state.forget(lines[inside])
        else:
            state.after(line)


def _depends(program: Program, wanted: Array, lines: _Lines) -> bool:
    """Whether a wanted line uses a name that the program sets; else it need not be followed."""
    forms = program.isa.forms.values()
    setting = [form.number for form in forms if form.opcode.sets]
    asking = set(program.opcode[wanted].tolist())
    by_register = any(form.number in asking and _uses_registers(form) for form in forms)
    if not by_register and not np.isin(program.opcode, setting).any():
        return False
    nothing = RegisterState(program.isa, first=None)
    first = np.unique(program.which[wanted], return_index=True)[1]
    values = [_used(lines[row], nothing, {}) for row in wanted[first].tolist()]
    return not all(values) or any(value is None for used in values for value in used.values())


def _uses_registers(form: Form) -> bool:
    """Whether what a name stands for at a line depends on what a register holds."""
    roles = {operand.role for operand in form.operands if set(operand.kinds) - {IMMEDIATE}}
    texts = [OPERAND_NUMBER.sub("", text) for text in form.opcode.uses.values()]
    return any(roles & set(_WORD.findall(text)) for text in texts)


class _Lines:
    """Lines of a program by row; one of each pattern is read, the others have another number."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._read: dict[int, tuple[Line, int]] = {}

    def __getitem__(self, row: int) -> Line:
        pattern = int(self._program.which[row])
        if pattern not in self._read:
            line = self._program.at(row)
            roles = [] if line.form is None else [o.role for o in line.form.operands]
            place = roles.index(OPEN) if OPEN in roles[: len(line.values)] else -1
            self._read[pattern] = line, place
        line, place = self._read[pattern]
        if place < 0:
            return line
        number = int(self._program.number[row])
        return line._replace(values=(*line.values[:place], number, *line.values[place + 1 :]))


def _writing(isa: Isa) -> list[int]:
    """Numbers of the opcodes that set names, or write a register that holds a number."""
    integer = {file for file, registers in isa.file.registers.items() if registers.integer}
    numbers = []
    for form in isa.forms.values():
        roles = {operand.role for operand in form.operands if integer & set(operand.kinds)}
        if form.opcode.sets or roles & set(form.writes):
            numbers.append(form.number)
    return numbers
