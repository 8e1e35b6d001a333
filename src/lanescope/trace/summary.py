"""What a trace is, in a few lines: what Python prints for it and what a notebook shows first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lanescope.render.names import printable
from lanescope.trace.tables import SCHEMA

if TYPE_CHECKING:
    from lanescope.trace.trace import Trace

_NAME_LIMIT = 60


def summary_lines(trace: Trace) -> list[str]:
    """At most four lines: name, origin, chip and level; rows per table; times; notes.

    The times come from `Table.bounds`, so no column of a lazily opened trace is read.
    """
    lines = [f"Trace {short(trace.meta.name)!r}: {facts(trace)}", f"  {rows_per_table(trace)}"]
    times = times_text(trace)
    if times:
        lines.append(f"  {times}")
    if trace.meta.notes:
        lines.append(f"  notes: {len(trace.meta.notes)}, see trace.meta.notes")
    return lines


def facts(trace: Trace) -> str:
    """Where the trace comes from: origin, chip where it is known, and level."""
    meta = trace.meta
    chip = f"chip {short(meta.chip)}, " if meta.chip else ""
    return f"{short(meta.origin)}, {chip}level {meta.level}"


def rows_per_table(trace: Trace) -> str:
    """Each table's name and number of rows."""
    sizes = {name: len(trace.table(name)) for name, schema in SCHEMA.items() if not schema.since}
    sizes |= {name: rows for name in SCHEMA if (rows := len(trace.table(name)))}
    return ", ".join(f"{name} {rows:,}" for name, rows in sizes.items())


def times_text(trace: Trace) -> str:
    """From when to when the tasks ran, else from when to when other rows are; empty without."""
    span = tasks_span(trace)
    if span is not None:
        return f"tasks from {span[0]:,} ns to {span[1]:,} ns"
    span = _span(trace, [name for name in SCHEMA if name != "tasks"])
    return "" if span is None else f"from {span[0]:,} ns to {span[1]:,} ns; no task has a time"


def tasks_span(trace: Trace) -> tuple[int, int] | None:
    """Earliest and latest time of any task in ns, dispatch and finish included; None without."""
    return _span(trace, ["tasks"])


def short(text: str, limit: int = _NAME_LIMIT) -> str:
    """One printable line of at most `limit` characters; a cut one ends in an ellipsis."""
    line = printable(text[: limit + 1])
    return line if len(line) <= limit else line[: limit - 1] + "…"


def _span(trace: Trace, tables: list[str]) -> tuple[int, int] | None:
    bounds = [
        table.bounds(column.name)
        for table in map(trace.table, tables)
        for column in table.present()
        if column.name.endswith("_ns")
    ]
    known = [ends for ends in bounds if ends is not None]
    return (min(low for low, _ in known), max(high for _, high in known)) if known else None
