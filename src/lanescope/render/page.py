"""What a page is made of: sections, each with facts, sentences and one table of typed columns."""

from __future__ import annotations

from dataclasses import dataclass

Cell = str | int | float | None
"""A value in a table; None is not known."""


@dataclass(frozen=True, slots=True)
class PageColumn:
    """One column of the table in a section."""

    title: str
    type: str
    """text, count, time (nanoseconds), percent (a fraction of 1), number, or figure.

    A figure is a ready-made text such as "1.2 ± 0.3", aligned to the right.
    """
    cells: tuple[Cell, ...]
    key: bool = False
    """Every piece of a table that is too wide for one repeats it."""
    kept: bool = False
    """It is shown even when none of its values is known."""
    scale: str = ""
    """Time columns of a table with the same scale have one unit; "" shares with none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of a page under one title. Its parts stand in the order of the fields."""

    title: str
    facts: tuple[tuple[str, str], ...] = ()
    """Label and value, one line each."""
    lines: tuple[str, ...] = ()
    """Sentences above the table."""
    columns: tuple[PageColumn, ...] = ()
    """The table; all columns have the same number of cells."""
    notes: tuple[str, ...] = ()
    """Sentences below the table."""
    is_warning: bool = False
    """It is marked, because the reader must see it first."""
