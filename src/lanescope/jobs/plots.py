"""Pictures of a job: who worked how long in which step, and who waited how long."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from lanescope.render.cells import many_text, time_text
from lanescope.render.svg import Drawing
from lanescope.trace.table import Array

if TYPE_CHECKING:
    from lanescope.jobs.report import JobReport

_LEFT, _TOP, _RIGHT = 90, 60, 20
_WIDTH = 900
_MOST_ROWS, _MOST_COLUMNS = 128, 128
_LIMITS = (0.8, 0.9, 0.95, 0.98, 1.02, 1.05, 1.1, 1.3)
"""Between these ratios to its peers a cell has one colour."""
_HEAT = """
.h0 { fill: #2a5caa; } .h1 { fill: #5f8fd0; } .h2 { fill: #9dbde6; } .h3 { fill: #d3e0f2; }
.h4 { fill: #eef0f2; } .h5 { fill: #f8ddc6; } .h6 { fill: #f0b183; } .h7 { fill: #dd7345; }
.h8 { fill: #b5301f; } .h9 { fill: none; }
@media (prefers-color-scheme: dark) {
.h0 { fill: #78a9f5; } .h1 { fill: #5a86cc; } .h2 { fill: #42639a; } .h3 { fill: #2f4668; }
.h4 { fill: #262c35; } .h5 { fill: #553c2c; } .h6 { fill: #8a5635; } .h7 { fill: #cf6f43; }
.h8 { fill: #ff6a50; }
}
"""


def job_plots(report: JobReport) -> dict[str, str]:
    """File name to picture."""
    pictures = {}
    if len(report.matrix.step) and len(report.job.ranks):
        pictures["ranks-steps.svg"] = _heat(report)
    if report.waits.collectives:
        pictures["ranks-waits.svg"] = _bars(report)
    return pictures


def _heat(report: JobReport) -> str:
    """A row per rank, a column per step: work beside the median of the role in that step."""
    ratio = _ratios(report)
    rows, columns = _edges(len(ratio), _MOST_ROWS), _edges(ratio.shape[1], _MOST_COLUMNS)
    height = max(4.0, min(18.0, 640 / len(rows)))
    width = min(26.0, (_WIDTH - _LEFT - _RIGHT) / len(columns))
    drawing = Drawing(
        _WIDTH,
        round(_TOP + height * len(rows) + 64),
        "Work of every rank in every step, beside its peers",
        style=_HEAT,
    )
    drawing.text(16, 46, "columns: steps; rows: ranks; red: longer than peers", "soft")
    numbers, steps = report.job.numbers, report.matrix.step.tolist()
    every = max(1, round(16 / height))
    for row, (low, high) in enumerate(rows):
        y = _TOP + row * height
        if row % every == 0:
            name = f"rank {numbers[low]}"
            drawing.text(_LEFT - 8, y + min(height, 12), name, "soft", anchor="end")
        for column, (first, last) in enumerate(columns):
            value = _worst(ratio[low:high, first:last])
            if value is None:
                continue
            whose = (
                f"ranks {numbers[low]} to {numbers[high - 1]}"
                if high - low > 1
                else (f"rank {numbers[low]}")
            )
            when = (
                f"steps {steps[first]} to {steps[last - 1]}"
                if last - first > 1
                else (f"step {steps[first]}")
            )
            drawing.cell(
                _LEFT + column * width,
                y,
                width - (1 if width > 6 else 0),
                height - (1 if height > 6 else 0),
                style=f"h{int(np.searchsorted(_LIMITS, value))}",
                tip=f"{whose}, {when}: {value:.2f} of the median of its peers",
            )
    _legend(drawing, _TOP + height * len(rows) + 20)
    return drawing.svg()


def _legend(drawing: Drawing, y: float) -> None:
    for k in range(len(_LIMITS) + 1):
        drawing.rect(_LEFT + k * 60, y, 58, 12, style=f"h{k}")
    for k, limit in enumerate(_LIMITS):
        drawing.text(_LEFT + (k + 1) * 60 - 1, y + 28, f"{limit:g}", "soft", anchor="middle")


def _ratios(report: JobReport) -> Array:
    """Work by rank and step beside the median of the role in the step; NaN where there is none."""
    role = np.array([one.role for one in sorted(report.stragglers.ranks, key=lambda r: r.rank)])
    work = report.matrix.work
    ratio = np.full(work.shape, np.nan)
    for one in np.unique(role).tolist():
        mine = np.flatnonzero(role == one)
        known = ~np.isnan(work[mine]).all(axis=0)
        middle = np.full(work.shape[1], np.nan)
        middle[known] = np.nanmedian(work[mine][:, known], axis=0)
        ratio[mine] = work[mine] / np.where(middle > 0, middle, np.nan)
    return ratio


def _edges(count: int, most: int) -> list[tuple[int, int]]:
    """Stretches of rows or columns that are drawn as one."""
    cuts = np.linspace(0, count, min(count, most) + 1).astype(int).tolist()
    return list(itertools.pairwise(cuts))


def _worst(values: Array) -> float | None:
    """The value of a stretch that is farthest from 1."""
    known = values[~np.isnan(values)]
    return float(known[np.abs(known - 1).argmax()]) if len(known) else None


def _bars(report: JobReport) -> str:
    """A bar per rank: waiting and transfer in collectives; those that wait least come first."""
    found = sorted(report.waits.ranks, key=lambda one: one.wait_ns)
    shown = found if len(found) <= 40 else [*found[:20], *found[-20:]]
    most = max(one.wait_ns + one.transfer_ns for one in shown) or 1
    drawing = Drawing(
        _WIDTH, _TOP + 18 * len(shown) + 30, "Waiting and transfer in collectives, by rank"
    )
    drawing.rect(_LEFT, 36, 12, 12, style="c1")
    drawing.text(_LEFT + 18, 46, "waiting for others", "soft")
    drawing.rect(_LEFT + 150, 36, 12, 12, style="c0")
    drawing.text(_LEFT + 168, 46, "transfer", "soft")
    if len(found) > len(shown):
        told = f"the 20 ranks that wait least and the 20 that wait most of {len(found):,}"
        drawing.text(_LEFT + 250, 46, told, "soft")
    room = _WIDTH - _LEFT - _RIGHT - 150
    for row, one in enumerate(shown):
        y = _TOP + 18 * row
        wait, moved = (room * max(ns, 0) / most for ns in (one.wait_ns, one.transfer_ns))
        drawing.text(_LEFT - 8, y + 11, f"rank {one.rank}", "soft", anchor="end")
        drawing.rect(_LEFT, y, wait, 14, style="c1")
        drawing.rect(_LEFT + wait, y, moved, 14, style="c0")
        told = f"{time_text(one.wait_ns)}, last {many_text(one.times_last, 'time')}"
        drawing.text(_LEFT + wait + moved + 6, y + 11, told, "soft")
    return drawing.svg()
