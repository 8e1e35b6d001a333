"""Tables as aligned text, cut into pieces side by side that fit a width."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from lanescope.render.cells import column_text
from lanescope.render.page import PageColumn

GAP = 2


@dataclass(frozen=True, slots=True)
class Strip:
    """One column ready to print."""

    title: str
    cells: tuple[str, ...]
    is_left: bool
    is_key: bool

    @property
    def width(self) -> int:
        return max(display_width(text) for text in (self.title, *self.cells))


def strips(columns: tuple[PageColumn, ...]) -> list[Strip]:
    """The columns as text; those without any known value are left out unless they are kept."""
    shown = [c for c in columns if c.key or c.kept or any(cell is not None for cell in c.cells)]
    made = []
    for column in shown:
        scale = [c for c in shown if c.scale and c.scale == column.scale]
        title, cells = column_text(column, scale)
        made.append(Strip(title, tuple(cells), column.type == "text", column.key))
    return made


def pieces(columns: list[Strip], width: int, *, gap: int = GAP) -> list[list[Strip]]:
    """Split a table that is too wide; every piece repeats the key columns."""
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
    """Columns a terminal uses for the text: wide letters take two, combining marks none."""
    if text.isascii():
        return len(text)
    return sum(_letter_width(letter) for letter in text)


def _letter_width(letter: str) -> int:
    if unicodedata.combining(letter):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def pad(text: str, width: int, *, is_left: bool) -> str:
    space = " " * (width - display_width(text))
    return text + space if is_left else space + text
