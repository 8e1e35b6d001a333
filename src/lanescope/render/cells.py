"""Values as text: times in one unit per column, counts, percents, and names made harmless.

Names come from files: control and format characters go, length is limited, and nothing in
them is ever read as markup.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lanescope.render.page import Cell, Column

NAME_LIMIT = 40
LINE_LIMIT = 1000
UNKNOWN = "-"


@dataclass(frozen=True, slots=True)
class _Unit:
    name: str
    ns: int
    decimals: int


_UNITS = (_Unit("ns", 1, 0), _Unit("µs", 10**3, 2), _Unit("ms", 10**6, 3), _Unit("s", 10**9, 3))
_COLUMN_HEADROOM = 100
"""A column keeps the smaller unit this much longer, so that its small values keep digits."""


def printable(text: str) -> str:
    """One line of any length; every control character, also a line's end, is replaced."""
    return "".join(c if c.isprintable() else "�" for c in text.replace("\n", " "))


def clean(text: str, limit: int = NAME_LIMIT) -> str:
    """One printable line of at most `limit` characters; a cut one ends in an ellipsis."""
    kept = "".join(c if c.isprintable() else " " for c in text[: 4 * limit])
    line = " ".join(kept.split())
    if len(line) <= limit and len(text) <= 4 * limit:
        return line
    return line[: limit - 1] + "…"


def clean_end(text: str, limit: int) -> str:
    """Like `clean`, but keeps the end: for paths, which differ there."""
    line = clean(text[-4 * limit :], 4 * limit)
    if len(line) <= limit and len(text) <= 4 * limit:
        return line
    return "…" + line[1 - limit :]


def count_text(value: int) -> str:
    return f"{value:,}"


def many_text(number: int, thing: str) -> str:
    """A number and its thing: 1 lane, 2 lanes."""
    return f"{count_text(number)} {thing}{'' if number == 1 else 's'}"


def more_text(number: int, thing: str) -> str:
    """What a shortened list leaves out: and 3 more lanes; empty where nothing is left out."""
    return f"and {many_text(number, f'more {thing}')}" if number > 0 else ""


def percent_text(fraction: float | None) -> str:
    return UNKNOWN if fraction is None else f"{100 * fraction:.1f}%"


def time_text(ns: float | None) -> str:
    """One time with its unit: 12.34 µs, 1.234 ms."""
    if ns is None:
        return UNKNOWN
    unit = _unit_for([ns], 1)
    return f"{_in_unit(ns, unit)} {unit.name}"


def column_text(column: Column, scale: Sequence[Column] = ()) -> tuple[str, list[str]]:
    """The title, with the unit where all cells share one, and the cells.

    The unit of times suits the largest value in the column and in the columns of its scale.
    """
    title = clean(column.title)
    if column.type == "time":
        cells = [cell for member in (column, *scale) for cell in member.cells]
        known = [cell for cell in cells if isinstance(cell, (int, float))]
        unit = _unit_for(known, _COLUMN_HEADROOM)
        return f"{title} {unit.name}", _cells(column, lambda cell: _in_unit(cell, unit))
    return title, _cells(column, _FORMATS.get(column.type, str))


_FORMATS: dict[str, Callable[[float], str]] = {
    "count": lambda cell: count_text(int(cell)),
    "percent": percent_text,
    "number": lambda cell: f"{cell:,.2f}",
}


def _cells(column: Column, form: Callable[[float], str]) -> list[str]:
    return [form(cell) if isinstance(cell, (int, float)) else _text(cell) for cell in column.cells]


def _text(cell: Cell) -> str:
    return UNKNOWN if cell is None else clean(str(cell))


def _unit_for(values: Sequence[float], headroom: int) -> _Unit:
    largest = max((abs(value) for value in values), default=0)
    for unit in _UNITS[:-1]:
        limit = 10_000 if unit.ns == 1 and headroom > 1 else 1000 * headroom * unit.ns
        if largest < limit:
            return unit
    return _UNITS[-1]


def _in_unit(ns: float, unit: _Unit) -> str:
    decimals = 1 if unit.ns == 1 and isinstance(ns, float) else unit.decimals
    return f"{ns / unit.ns:,.{decimals}f}"


def bytes_text(size_bytes: float) -> str:
    """A size with its unit, in powers of 1000 as bandwidths have them: 1.50 GB, 12.34 kB."""
    for unit, factor in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if abs(size_bytes) >= factor:
            return f"{size_bytes / factor:,.2f} {unit}"
    return f"{size_bytes:,.0f} B"


def seconds_text(seconds: float) -> str:
    """An estimated time with three digits and its unit: 12.3 ms."""
    for unit, factor in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= factor:
            return f"{seconds / factor:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def rate_text(per_second: float) -> str:
    """An estimated rate without its unit: four digits, or a whole number from 1,000 on."""
    return f"{per_second:,.0f}" if per_second >= 1000 else f"{per_second:.4g}"
