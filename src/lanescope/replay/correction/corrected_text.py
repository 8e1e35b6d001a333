"""The corrected figures as sections: what recording cost, and the timeline without it."""

from __future__ import annotations

from lanescope.render.cells import percent_text, time_text
from lanescope.render.names import clean
from lanescope.render.page import PageColumn, Section
from lanescope.render.plain import render_sections
from lanescope.replay.correction.corrected import Corrected
from lanescope.replay.correction.figure import Figure

_MOST_FIGURES = 40
"""So many rows are shown; all figures are in the JSON."""

FAR_OFF = 0.05
"""A replay that misses the recording by a larger part makes intervals wide."""


def corrected_text(name: str, answer: Corrected) -> str:
    """The page of a run with this name. It ends in a newline."""
    return render_sections([_removed(name, answer), _timeline(answer)])


def _removed(name: str, answer: Corrected) -> Section:
    rows, costs = answer.removed, answer.costs
    interval = costs.basis != "known"
    return Section(
        title=f"What recording cost in {clean(name)}",
        facts=(
            ("costs", f"{costs.basis}: {clean(costs.note, 200)}"),
            ("protocol", clean(costs.protocol) or "not known"),
        ),
        columns=(
            PageColumn("record", "text", tuple(row.kind for row in rows), key=True),
            PageColumn("records", "count", tuple(row.records for row in rows)),
            PageColumn("ns each", "number", tuple(row.cost.ns for row in rows)),
            PageColumn(
                "from", "number", tuple(row.cost.low_ns if interval else None for row in rows)
            ),
            PageColumn(
                "to", "number", tuple(row.cost.high_ns if interval else None for row in rows)
            ),
            PageColumn("in all", "time", tuple(row.total_ns for row in rows)),
            PageColumn("paid by", "text", tuple(row.paid_by for row in rows)),
        ),
    )


def _timeline(answer: Corrected) -> Section:
    shown = answer.figures[:_MOST_FIGURES]
    lines = [f"Note: {clean(note, 200)}." for note in answer.notes]
    if abs(answer.honesty) > FAR_OFF:
        lines.append(
            f"The unchanged replay is more than {100 * FAR_OFF:.0f} % off, so it leaves out what "
            "decided this run; the intervals are wide for that reason."
        )
    notes = [
        "From and to hold every replay over what the records and the costs leave open, and the "
        f"distance of the unchanged replay ({100 * answer.honesty:+.2f}%).",
        "Tasks, start to end, are as recorded: their records lie behind them. Time in phases is "
        "that of the recorded run; an unrecorded one would find other batches.",
    ]
    hidden = len(answer.figures) - len(shown)
    if hidden:
        notes.append(f"{hidden:,} more functions are in the JSON.")
    return Section(
        title="Without the profiler",
        lines=tuple(lines),
        columns=(
            PageColumn("figure", "text", tuple(row.name for row in shown), key=True),
            PageColumn("of", "text", tuple(row.of for row in shown), key=True),
            PageColumn("recorded", "text", tuple(_text(row, row.recorded) for row in shown)),
            PageColumn("corrected", "text", tuple(_text(row, row.corrected) for row in shown)),
            PageColumn("from", "text", tuple(_text(row, row.low) for row in shown)),
            PageColumn("to", "text", tuple(_text(row, row.high) for row in shown)),
            PageColumn("change", "text", tuple(_change(row) for row in shown)),
        ),
        notes=tuple(notes),
    )


def _text(row: Figure, value: float) -> str:
    return percent_text(value) if row.is_share else time_text(value)


def _change(row: Figure) -> str:
    return f"{100 * (row.corrected / row.recorded - 1):+.2f}%" if row.recorded else ""
