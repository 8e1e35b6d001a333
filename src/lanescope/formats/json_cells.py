"""What columns `json_rows.py` reads from rows of JSON: a Cell per column, by its key and type.

A column that is not required holds MISSING (numbers of `number`: NaN) where the value is absent or
null. A lenient one also does where the value is not of its type, too small or too large. Of a key
that stands twice in a row either value may count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum


class CellType(IntEnum):
    """How a value is read; the numbers are those of `ls_json_type` in native/src/native.h."""

    INT = 0
    MICRO = 1
    INTS = 2
    TEXT = 3
    SPAN = 4
    ID = 5
    NUMBER = 6
    OBJECT = 7
    FIRST = 8


@dataclass(frozen=True, slots=True)
class Cell:
    """How to read one column: its key (in array rows only its name), its type, its limits."""

    key: str
    type: CellType = CellType.INT
    count: int = 1
    required: bool = True
    min: int = 0
    texts: int = 1 << 12
    """how many different texts a text column may have; a power of two"""
    word: bool = False
    """whether every text must be a short string"""
    lenient: bool = False
    """whether a value that is not of the type is missing instead of an error"""
    inner: tuple[Cell, ...] = ()
    """the columns that are read from the keys of an object"""

    def __post_init__(self) -> None:
        if self.lenient:
            object.__setattr__(self, "required", False)


def integer(key: str, *, required: bool = True, low: int = 0, lenient: bool = False) -> Cell:
    """A column of whole numbers, plain or quoted, not below `low`."""
    return Cell(key, CellType.INT, required=required, min=low, lenient=lenient)


def identity(key: str, *, required: bool = True) -> Cell:
    """A column of 64-bit ids without sign, plain or quoted; `trace/task_ids.py` says how."""
    return Cell(key, CellType.ID, required=required)


def micros(key: str, *, required: bool = True, low: int = 0, lenient: bool = False) -> Cell:
    """A column of microseconds with decimals, plain or quoted, in nanoseconds.

    What is finer than a nanosecond is rounded, halves to the even one.
    """
    return Cell(key, CellType.MICRO, required=required, min=low, lenient=lenient)


def exact_micros(key: str, *, required: bool = True, low: int = 0, lenient: bool = False) -> Cell:
    """The same, not rounded: two numbers per row, for `exact_times.py` to add and to round."""
    return Cell(key, CellType.MICRO, 2, required, low, lenient=lenient)


def number(key: str, *, required: bool = True, lenient: bool = False) -> Cell:
    """A column of numbers, plain or quoted, as float64."""
    return Cell(key, CellType.NUMBER, required=required, lenient=lenient)


def integers(
    key: str, count: int, *, required: bool = True, low: int = 0, lenient: bool = False
) -> Cell:
    """A column of arrays of exactly `count` whole numbers."""
    return Cell(key, CellType.INTS, count, required, low, lenient=lenient)


def text(key: str, *, required: bool = True, texts: int = 1 << 12) -> Cell:
    """A column of values with few different texts: a code per row, and the decoded values."""
    return Cell(key, CellType.TEXT, required=required, texts=texts)


def word(key: str, *, required: bool = True) -> Cell:
    """A column of short strings out of a few, such as a kind."""
    return Cell(key, CellType.TEXT, required=required, word=True)


def first_word(key: str) -> Cell:
    """A column of strings of which only the first word is kept, out of a few: a code per row."""
    return Cell(key, CellType.FIRST)


def span(key: str, *, required: bool = True) -> Cell:
    """A column of any values: offset and length of the text within the piece that is read."""
    return Cell(key, CellType.SPAN, 2, required)


def nested(key: str, cells: Sequence[Cell]) -> Cell:
    """Columns from an object inside each row, called "key.inner key"; all of them may be missing.

    They are all missing where the value is no object.
    """
    inner = tuple(replace(cell, required=False) for cell in cells)
    return Cell(key, CellType.OBJECT, 0, required=False, inner=inner)
