"""Pictures of a job: who worked how long in which step, and who waited how long."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from lanescope.jobs.heat import COLOURS, LIMITS, peer_ratios
from lanescope.render.cells import many_text, time_text
from lanescope.render.svg import Drawing
from lanescope.trace.table import Array

if TYPE_CHECKING:
    from lanescope.jobs.report import JobReport

_LEFT, _TOP, _RIGHT = 90, 60, 20
_WIDTH = 900
_MOST_ROWS, _MOST_COLUMNS = 128, 128


def _heat_style() -> str:
    """The colours of the heat map as a style sheet, for light and dark."""
    rules = {
        theme: " ".join(f".h{k} {{ fill: {colour}; }}" for k, colour in enumerate(colours))
        for theme, colours in COLOURS.items()
    }
    return f"\n{rules['light']}\n@media (prefers-color-scheme: dark) {{ {rules['dark']} }}\n"


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
    ratio = peer_ratios(report)
    rows, columns = _edges(len(ratio), _MOST_ROWS), _edges(ratio.shape[1], _MOST_COLUMNS)
    height = max(4.0, min(18.0, 640 / len(rows)))
    width = min(26.0, (_WIDTH - _LEFT - _RIGHT) / len(columns))
    drawing = Drawing(
        _WIDTH,
        round(_TOP + height * len(rows) + 64),
        "Work of every rank in every step, beside its peers",
        style=_heat_style(),
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
                style=f"h{int(np.searchsorted(LIMITS, value))}",
                tip=f"{whose}, {when}: {value:.2f} of the median of its peers",
            )
    _legend(drawing, _TOP + height * len(rows) + 20)
    return drawing.svg()


def _legend(drawing: Drawing, y: float) -> None:
    for k in range(len(LIMITS) + 1):
        drawing.rect(_LEFT + k * 60, y, 58, 12, style=f"h{k}")
    for k, limit in enumerate(LIMITS):
        drawing.text(_LEFT + (k + 1) * 60 - 1, y + 28, f"{limit:g}", "soft", anchor="middle")


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
