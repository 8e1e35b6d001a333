"""Tables as columns of text, cut into pieces that fit a width."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from lanescope.render.cells import column_text
from lanescope.render.page import PageColumn

GAP = 2
"""Spaces between two columns of plain text."""


@dataclass(frozen=True, slots=True)
class Strip:
    """One column of a table, all of it text."""

    title: str
    cells: tuple[str, ...]
    is_left: bool
    """Its text stands at the left edge; figures stand at the right one."""
    is_key: bool
    """Every piece of a table that is cut repeats it."""

    @property
    def width(self) -> int:
        """Width of the widest text in it, in letters of a terminal."""
        return max(display_width(text) for text in (self.title, *self.cells))


def strips(columns: tuple[PageColumn, ...]) -> list[Strip]:
    """The columns as text.

    A column without any known value is left out, unless it is a key or says that it is kept.
    """
    shown = [c for c in columns if c.key or c.kept or any(cell is not None for cell in c.cells)]
    made = []
    for column in shown:
        scale = [c for c in shown if c.scale and c.scale == column.scale]
        title, cells = column_text(column, scale)
        made.append(Strip(title, tuple(cells), column.type == "text", column.key))
    return made


def pieces(columns: list[Strip], width: int, *, gap: int = GAP) -> list[list[Strip]]:
    """The table cut into pieces of at most `width`; every piece begins with the key columns.

    A column that is wider than `width` alone still gets a piece.
    """
    keys = [column for column in columns if column.is_key]
    key_width = sum(column.width + gap for column in keys)
    result: list[list[Strip]] = []
    used = width + 1
    for column in columns:
        if column.is_key:
            continue
        if used + column.width > width:
            result.append(list(keys))
            used = key_width
        result[-1].append(column)
        used += column.width + gap
    return result or [keys]


def display_width(text: str) -> int:
    """Width of a text on a terminal: wide letters count two, combining marks none."""
    return len(text) if text.isascii() else sum(_letter_width(letter) for letter in text)


def _letter_width(letter: str) -> int:
    if unicodedata.combining(letter):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def pad(text: str, width: int, *, is_left: bool) -> str:
    """The text with spaces up to `width`: behind it where it stands left, else before it."""
    space = " " * (width - display_width(text))
    return text + space if is_left else space + text
