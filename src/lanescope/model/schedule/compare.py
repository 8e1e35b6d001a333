"""Predictions side by side, two by their difference, and their transfers on other memories."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lanescope.model.schedule.detail import difference
from lanescope.model.schedule.page import titled
from lanescope.model.schedule.predict import Prediction
from lanescope.render.cells import percent_text
from lanescope.render.page import PageColumn, Section

if TYPE_CHECKING:
    from lanescope.model.memory.program import MemoryRun


def comparison_page(predictions: Sequence[Prediction]) -> list[Section]:
    """One row per case."""
    overlapped = [each.overlapped for each in predictions]
    bounds = [each.bound_by() for each in predictions]
    boards = [each.machine.board for each in predictions]
    columns = (
        PageColumn(
            "program", "text", tuple(Path(p.program.path).name for p in predictions), key=True
        ),
        PageColumn("board", "text", tuple(b.name if b else "-" for b in boards), key=True),
        PageColumn("costs", "text", tuple(p.table.source.name for p in predictions), key=True),
        PageColumn("serial", "count", tuple(p.serial for p in predictions)),
        PageColumn("overlapped", "count", tuple(o.cycles if o else None for o in overlapped)),
        PageColumn("busiest unit", "count", tuple(max(p.busy.values()) for p in predictions)),
        PageColumn(
            "critical path", "count", tuple(o.critical_path if o else None for o in overlapped)
        ),
        PageColumn("time", "time", tuple(p.time_ns(p.best) for p in predictions)),
        PageColumn("bytes", "count", tuple(p.traffic.traffic_bytes for p in predictions)),
        PageColumn("bound by", "text", tuple(f"{n} ({percent_text(s)})" for n, s in bounds)),
    )
    left_out = [
        f"{Path(p.program.path).name}, {p.table.source.name}: {p.unknown.lines:,} lines left out"
        for p in predictions
        if p.unknown.lines
    ]
    notes = ("cycles, but for time (of the overlapped figure, else the serial one)", *left_out)
    return [Section(title="Predictions side by side", columns=columns, notes=notes)]


def memory_section(prediction: Prediction, run: MemoryRun) -> Section:
    """The transfers on another memory than the one that the figures above charge."""
    board = prediction.machine.board
    name = f"{Path(prediction.program.path).name} on {board.name if board else 'no board'}"
    return Section(title=f"Memory model: {run.regime} ({name})", lines=tuple(run.lines()))


def diff_page(first: Prediction, second: Prediction, top: int) -> list[Section]:
    found = difference(first, second)
    pages = [comparison_page([first, second])[0]]
    for title, key in (("opcode", "opcodes"), ("region", "regions"), ("section", "sections")):
        rows = found[key]
        if rows:
            pages.append(_change_section(f"What differs, by {title}", rows, top))
    if len(pages) == 1:
        pages.append(Section(title="What differs", lines=("nothing, by opcode or section",)))
    return pages


def _change_section(title: str, rows: Sequence[dict[str, Any]], top: int) -> Section:
    shown = rows[:top]
    return Section(
        title=titled(title, len(shown), len(rows)),
        columns=(
            PageColumn("name", "text", tuple(row["name"] for row in shown), key=True),
            PageColumn("count before", "count", tuple(row["instructions"][0] for row in shown)),
            PageColumn("after", "count", tuple(row["instructions"][1] for row in shown)),
            PageColumn("cycles before", "count", tuple(row["cycles"][0] for row in shown)),
            PageColumn("after", "count", tuple(row["cycles"][1] for row in shown)),
            PageColumn(
                "change", "count", tuple(row["cycles"][1] - row["cycles"][0] for row in shown)
            ),
        ),
    )
