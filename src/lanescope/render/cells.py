"""Values as text: times, counts and percentages; `names.py` has names that came from a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lanescope.render.names import LINE_LIMIT, NAME_LIMIT, clean
from lanescope.render.page import Cell, PageColumn

UNKNOWN = "-"
"""What stands in the place of a value that is not known."""


@dataclass(frozen=True, slots=True)
class _Unit:
    """A unit of time: its name, its length in nanoseconds, and the decimals that are shown."""

    name: str
    ns: int
    decimals: int


_UNITS = (_Unit("ns", 1, 0), _Unit("µs", 10**3, 2), _Unit("ms", 10**6, 3), _Unit("s", 10**9, 3))
_COLUMN_HEADROOM = 100
"""How much larger the values of a column may be before it takes the next unit, so that its small
values keep their digits."""


def count_text(value: int) -> str:
    """A whole number with commas: 1,234."""
    return f"{value:,}"


def many_text(number: int, thing: str) -> str:
    """A number and the thing that is counted: 1 lane, 2 lanes."""
    return f"{count_text(number)} {thing}{'' if number == 1 else 's'}"


def more_text(number: int, thing: str) -> str:
    """The words behind a shortened list: and 3 more lanes. Empty where nothing is left out."""
    return f"and {many_text(number, f'more {thing}')}" if number > 0 else ""


def percent_text(fraction: float | None) -> str:
    """A fraction of 1 as a percentage: 12.3%. A dash where it is not known."""
    return UNKNOWN if fraction is None else f"{100 * fraction:.1f}%"


def time_text(ns: float | None) -> str:
    """A time in nanoseconds with the unit that suits it: 12.34 µs. A dash where it is not known."""
    if ns is None:
        return UNKNOWN
    unit = _unit_for([ns], 1)
    return f"{_in_unit(ns, unit)} {unit.name}"


def column_text(column: PageColumn, scale: Sequence[PageColumn] = ()) -> tuple[str, list[str]]:
    """Title and cells of a column as text; the title of a time column ends in its unit.

    The unit suits the largest time in the column and in the columns of `scale`.
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


def _cells(column: PageColumn, form: Callable[[float], str]) -> list[str]:
    limit = LINE_LIMIT if column.type == "figure" else NAME_LIMIT
    return [
        form(cell) if isinstance(cell, (int, float)) else _text(cell, limit)
        for cell in column.cells
    ]


def _text(cell: Cell, limit: int) -> str:
    return UNKNOWN if cell is None else clean(str(cell), limit)


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
