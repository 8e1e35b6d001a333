"""Traces and tables as HTML, for notebooks. Every name that comes from a file is escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from lanescope.trace.picture import picture
from lanescope.trace.summary import facts, rows_per_table, short, times_text

if TYPE_CHECKING:
    from lanescope.trace.table import Table
    from lanescope.trace.trace import Trace

_ROWS = 8
_CELL_LIMIT = 60
_NOTES = 5
_NOTE_LIMIT = 400


def trace_html(trace: Trace) -> str:
    """A summary of the trace, its picture, and the first notes that a reader should know."""
    name = escape(short(trace.meta.name))
    notes = [_paragraph(short(note, _NOTE_LIMIT)) for note in trace.meta.notes[:_NOTES]]
    more = len(trace.meta.notes) - _NOTES
    if more > 0:
        notes.append(_paragraph(f"and {more} more in trace.meta.notes"))
    return (
        f"<div><p><b>{name}</b>: {escape(facts(trace))}</p>"
        f"{_paragraph(rows_per_table(trace))}{_paragraph(times_text(trace))}"
        f"{picture(trace)}{''.join(notes)}</div>"
    )


def table_html(table: Table) -> str:
    """The first eight rows as an HTML table; a missing value is an empty cell.

    A table that is read on demand reads all its columns for this.
    """
    first = table.rows(slice(0, _ROWS)).to_dict()
    head = "".join(f"<th>{escape(name)}</th>" for name in first)
    rows = "".join(
        "<tr>" + "".join(f"<td>{_cell(value)}</td>" for value in row) + "</tr>"
        for row in zip(*first.values(), strict=True)
    )
    title = f"{escape(table.schema.name)}: {len(table):,} rows"
    left = f", the first {_ROWS}" if len(table) > _ROWS else ""
    return (
        f"<div><p><b>{title}</b>{left}</p><table><thead><tr>{head}</tr></thead>"
        f"<tbody>{rows}</tbody></table></div>"
    )


def _cell(value: object) -> str:
    return "" if value is None else escape(short(str(value), _CELL_LIMIT))


def _paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>" if text else ""
