"""Sections on a terminal, drawn by rich. It gets `Text` objects, so that it reads no markup."""

from __future__ import annotations

from collections.abc import Iterable

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from lanescope.render.layout import GAP, Strip, pieces, strips
from lanescope.render.names import LINE_LIMIT, clean
from lanescope.render.page import Section

_GAP = 3
"""Letters between two cells: a padding on either side and the box's blank divider."""
_EDGES = 4
"""Letters that the box and its padding take at both edges of a table."""


def render_terminal(page: Iterable[Section], console: Console) -> None:
    """Prints every section on the console, as wide as the console is."""
    for section in page:
        _section(section, console)
        console.print()


def _section(section: Section, console: Console) -> None:
    style = "bold red" if section.is_warning else "bold"
    console.print(Text(clean(section.title, LINE_LIMIT), style=style))
    if section.facts:
        console.print(_facts(section.facts))
    for line in section.lines:
        console.print(_line(line, style=_style(section, line)))
    if section.columns:
        for piece in pieces(strips(section.columns), console.width - _EDGES, gap=_GAP):
            console.print(_table(piece))
    for note in section.notes:
        console.print(_line(note, style="dim"))


def _style(section: Section, line: str) -> str:
    """A warning is red, the verdict stands out, and that nothing was lost is seen at once."""
    if section.is_warning:
        return "red"
    if section.title == "Verdict":
        return "cyan"
    return "green" if line.startswith("Nothing lost") else ""


def _facts(facts: tuple[tuple[str, str], ...]) -> Table:
    grid = Table.grid(padding=(0, GAP, 0, 0))
    grid.pad_edge = False
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for label, value in facts:
        grid.add_row(Text("  " + label, style="dim"), Text(clean(value, LINE_LIMIT)))
    return grid


def _line(text: str, *, style: str) -> Text:
    return Text("  " + clean(text, LINE_LIMIT), style=style)


def _table(piece: list[Strip]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=True, padding=(0, 1), header_style="bold")
    for strip in piece:
        table.add_column(
            Text(strip.title), justify="left" if strip.is_left else "right", no_wrap=True
        )
    for cells in zip(*(strip.cells for strip in piece), strict=True):
        table.add_row(*map(Text, cells))
    return table
