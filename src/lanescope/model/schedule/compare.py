"""Predictions side by side, two by their difference, and their transfers on other memories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lanescope.model.schedule.interval import interval_notes
from lanescope.model.schedule.page import memory_sections, titled
from lanescope.model.schedule.prediction import TOP, Prediction
from lanescope.render.cells import many_text, percent_text
from lanescope.render.page import PageColumn, Section
from lanescope.results import Result

if TYPE_CHECKING:
    from lanescope.model.schedule.difference import CycleChange, PredictionDifference


@dataclass(frozen=True, eq=False)
class Comparison(Result):
    """Several predictions side by side."""

    predictions: tuple[Prediction, ...]

    def to_dict(self, *, top: int = TOP) -> dict[str, Any]:
        """Every prediction in full; of its hottest lines the first `top`."""
        return {"predictions": [one.to_dict(top=top) for one in self.predictions]}

    def page(self) -> list[Section]:
        """One table with a row per prediction, and the memories that were asked for."""
        return [*comparison_page(self.predictions), *memory_sections(self.predictions)]

    def text(self) -> str:
        """The page as plain text."""
        from lanescope.render.plain import render_sections

        return render_sections(self.page())


def comparison_page(predictions: Sequence[Prediction]) -> list[Section]:
    """One table with a row per prediction."""
    overlapped = [each.overlapped for each in predictions]
    bounds = [each.bound_by() for each in predictions]
    columns = (
        PageColumn("program", "text", tuple(p.name for p in predictions), key=True),
        PageColumn("board", "text", tuple(p.board_name or "-" for p in predictions), key=True),
        PageColumn("costs", "text", tuple(p.table.source.name for p in predictions), key=True),
        PageColumn("serial", "count", tuple(p.serial for p in predictions)),
        PageColumn("overlapped", "count", tuple(o.cycles if o else None for o in overlapped)),
        PageColumn("busiest unit", "count", tuple(max(p.busy.values()) for p in predictions)),
        PageColumn(
            "critical path", "count", tuple(o.critical_path if o else None for o in overlapped)
        ),
        PageColumn("time", "time", tuple(p.time_ns(p.best) for p in predictions)),
        PageColumn("bytes", "count", tuple(p.traffic.traffic_bytes for p in predictions)),
        PageColumn(
            "bound by", "text", tuple(f"{b.name} ({percent_text(b.share)})" for b in bounds)
        ),
    )
    left_out = [
        f"{p.name}, {p.table.source.name}: {many_text(p.unknown.lines, 'line')} left out"
        for p in predictions
        if p.unknown.lines
    ]
    between = [note for p in predictions for note in interval_notes(p)]
    time = "cycles, but for time (of the overlapped figure, else the serial one)"
    notes = (time, *between, *left_out)
    return [Section(title="Predictions side by side", columns=columns, notes=notes)]


def difference_page(difference: PredictionDifference, top: int) -> list[Section]:
    """Both predictions side by side, then a table for each grouping that differs."""
    pages = comparison_page([difference.first, difference.second])
    tables = (
        ("opcode", difference.opcodes),
        ("region", difference.regions),
        ("section", difference.sections),
    )
    pages += [_changes(f"What differs, by {title}", rows, top) for title, rows in tables if rows]
    if len(pages) == 1:
        pages.append(Section(title="What differs", lines=("nothing, by opcode or section",)))
    return pages


def _changes(title: str, rows: Sequence[CycleChange], top: int) -> Section:
    shown = rows[:top]
    return Section(
        title=titled(title, len(shown), len(rows)),
        columns=(
            PageColumn("name", "text", tuple(row.name for row in shown), key=True),
            PageColumn("count before", "count", tuple(row.instructions[0] for row in shown)),
            PageColumn("after", "count", tuple(row.instructions[1] for row in shown)),
            PageColumn("cycles before", "count", tuple(row.cycles[0] for row in shown)),
            PageColumn("after", "count", tuple(row.cycles[1] for row in shown)),
            PageColumn("change", "count", tuple(row.more_cycles for row in shown)),
        ),
    )
