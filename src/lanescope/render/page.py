"""What a report page is made of: sections of facts, sentences and one table of typed columns."""

from __future__ import annotations

from dataclasses import dataclass

Cell = str | int | float | None


@dataclass(frozen=True, slots=True)
class PageColumn:
    """One table column.

    `type` is text, count, time (nanoseconds), percent (a fraction of 1) or number; None in a
    cell is not known. Key columns are repeated when a table is too wide for one piece. Time
    columns of one table with the same `scale` are shown in one unit; "" is a scale of its own.
    """

    title: str
    type: str
    cells: tuple[Cell, ...]
    key: bool = False
    kept: bool = False
    """shown as - even when none of its values is known"""
    scale: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A title, labelled facts, sentences, a table, and notes under the table."""

    title: str
    facts: tuple[tuple[str, str], ...] = ()
    lines: tuple[str, ...] = ()
    columns: tuple[PageColumn, ...] = ()
    notes: tuple[str, ...] = ()
    is_warning: bool = False
