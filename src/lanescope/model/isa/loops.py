"""Reads the loops of a program: their tree, and how often each line runs.

A loop's start runs as often as the loop is entered, its end once per iteration.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

MOST_REPEATS = 1 << 53
"""Counts beyond this are refused: sums of them would not be exact."""
MOST_DEPTH = 256


class Loop(NamedTuple):
    """One loop of a program; lines are counted from 0."""

    start: int
    """Line of its start."""
    end: int
    """Line of its end."""
    turns: int
    """How often it turns when it is entered once."""
    parent: int
    """Number of the loop around it, -1 without one."""
    depth: int
    """1 for an outermost loop."""
    entered: int
    """How often the loop is entered."""


@dataclass(frozen=True, eq=False)
class LoopTable:
    """The loops of a program in the order of their starts: `Loop` as columns."""

    start: Array
    end: Array
    turns: Array
    parent: Array
    depth: Array
    entered: Array

    def __len__(self) -> int:
        return len(self.start)

    def __iter__(self) -> Iterator[Loop]:
        columns = (getattr(self, name).tolist() for name in Loop._fields)
        return map(Loop._make, zip(*columns, strict=True))


def loop_table(loops: Sequence[Loop]) -> LoopTable:
    """The same loops as columns."""
    return LoopTable(*np.array(loops, np.int64).reshape(-1, len(Loop._fields)).T)


class Loops(NamedTuple):
    """All loops of a program, and what they mean for its lines."""

    loops: LoopTable
    repeats: Array
    """Per line: how often it runs."""
    unknown: Array
    """Per line: whether nobody can say how often it runs."""
    problems: tuple[tuple[int, int, str], ...]
    """Line and column, both from 1, and what is wrong."""


class _Open(NamedTuple):
    """A loop whose end has not come yet."""

    number: int
    row: int
    column: int
    register: int
    turns: int
    around: int
    """How often the loop's start runs."""


def read_loops(rows: list[tuple[int, str, tuple[int, ...], int]], total: int) -> Loops:
    """Read loops from (row, start|end|break, operands, column) of their instructions, in order."""
    return _LoopReader(total).read(rows)


class _LoopReader:
    """Follows the starts and ends of loops through a program."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.stack: list[_Open] = []
        self.loops: list[Loop] = []
        self.problems: list[tuple[int, int, str]] = []
        self.unknown = np.zeros(total, bool)
        self.positions = [0]
        self.values = [1]

    def read(self, rows: list[tuple[int, str, tuple[int, ...], int]]) -> Loops:
        """Read all loop instructions; a loop without an end reaches to the last line."""
        for row, what, operands, column in rows:
            match what:
                case "start":
                    self._start(row, operands, column)
                case "end":
                    self._end(row, operands, column)
                case _:
                    self._break(row, column)
        for left in reversed(self.stack):
            text = "the loop that starts here has no end"
            self.problems.append((left.row + 1, left.column, text))
            self.unknown[left.row :] = True
            self._close(left, self.total - 1)
        lengths = np.diff([*self.positions, self.total])
        repeats = np.repeat(np.array(self.values, np.int64), lengths)
        return Loops(loop_table(self.loops), repeats, self.unknown, tuple(self.problems))

    def _start(self, row: int, operands: tuple[int, ...], column: int) -> None:
        register, count = operands
        around = self.values[-1]
        if count <= 0:
            self._wrong(row, column, f"expected a loop count of at least 1, found {count}")
        elif around * count > MOST_REPEATS:
            self._wrong(row, column, f"expected at most 2^53 repeats, found {around} × {count}")
            count = 0
        elif len(self.stack) >= MOST_DEPTH:
            self._wrong(row, column, f"expected loops at most {MOST_DEPTH} deep")
            count = 0
        parent = self.stack[-1].number if self.stack else -1
        self.stack.append(_Open(len(self.loops), row, column, register, max(count, 0), around))
        self.loops.append(Loop(row, row, max(count, 0), parent, len(self.stack), around))
        # A loop whose count means nothing is walked once, all of it marked as unknown.
        self._from(row + 1, around * max(count, 1))

    def _end(self, row: int, operands: tuple[int, ...], column: int) -> None:
        if not self.stack:
            self._wrong(row, column, "an end without a loop that it could end")
            self.unknown[row] = True
            return
        open_ = self.stack.pop()
        if open_.register != operands[0]:
            text = f"expected the end of the loop of line {open_.row + 1} with register number "
            self._wrong(row, column, f"{text}{open_.register}, found {operands[0]}")
            self.unknown[open_.row : row + 1] = True
        if open_.turns <= 0:
            self.unknown[open_.row : row + 1] = True
        self._close(open_, row)

    def _break(self, row: int, column: int) -> None:
        if not self.stack:
            return
        text = "a break inside a loop: how often the rest of the loop runs is not known"
        self._wrong(row, column, text)
        open_ = self.stack[-1]
        self.stack[-1] = open_._replace(turns=0)

    def _close(self, open_: _Open, row: int) -> None:
        self.loops[open_.number] = self.loops[open_.number]._replace(end=row)
        self._from(row + 1, open_.around)

    def _from(self, row: int, repeats: int) -> None:
        self.positions.append(min(row, self.total))
        self.values.append(repeats)

    def _wrong(self, row: int, column: int, text: str) -> None:
        self.problems.append((row + 1, column, text))
