"""The pictures of a report: utilisation over time, durations per function, waits, roofline."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lanescope.analyze.cores.makespan import Span, makespan
from lanescope.analyze.cores.over_time import busy_over_time
from lanescope.analyze.cores.verdict import KindVerdict, verdict
from lanescope.analyze.cores.waiting import LABELS
from lanescope.analyze.tasks.durations import Histogram, durations
from lanescope.analyze.tasks.functions import FunctionCost, functions
from lanescope.render.svg import WIDTH, Drawing, shortened
from lanescope.reports.roofline import roofline_plot
from lanescope.trace.trace import Trace
from lanescope.trace.vocabulary import vocabulary

_LEFT, _RIGHT = 150, 26
"""Pixels beside the plotted area."""
_PLOT = WIDTH - _LEFT - _RIGHT
"""Width of the plotted area, in pixels."""
_BINS = 320
"""Bins of the utilisation over time."""
_MOST_FUNCTIONS = 16
"""Functions in the picture of durations."""
_LEGEND_COLUMNS = 3
_UNITS = ((1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "µs"), (1, "ns"))


def plots(trace: Trace) -> dict[str, str]:
    """File name to SVG document. A picture that would be empty is left out."""
    makers: dict[str, Callable[[Trace], str | None]] = {
        "utilisation.svg": utilisation_plot,
        "durations.svg": durations_plot,
        "waits.svg": waits_plot,
        "roofline.svg": roofline_plot,
    }
    drawn = {name: make(trace) for name, make in makers.items()}
    return {name: svg for name, svg in drawn.items() if svg is not None}


def utilisation_plot(trace: Trace) -> str | None:
    """Share of the cores of each kind that ran a task, over time; None when no task has times."""
    window = makespan(trace).window
    if window is None or window.length_ns <= 0:
        return None
    rows = busy_over_time(trace, window, _BINS)
    band = 84
    words = vocabulary(trace)
    title = f"{trace.meta.name}: {words.lane}s that ran a {words.task}"
    drawing = Drawing(WIDTH, 74 + band * len(rows), title)
    for number, row in enumerate(rows):
        top = 44 + number * band
        low = top + band - 18
        drawing.text(16, top + 26, shortened(row.kind, 14), "text")
        drawing.text(16, top + 43, f"{100 * float(row.share.mean()):.1f} % of {row.cores}", "soft")
        for share in (0.0, 0.5, 1.0):
            y = low - share * (band - 24)
            drawing.line(_LEFT, y, WIDTH - _RIGHT, y)
            drawing.text(_LEFT - 6, y + 4, f"{share:.0%}", "soft", anchor="end")
        points: list[tuple[float, float]] = [(_LEFT, low)]
        for k, value in enumerate(row.share.tolist()):
            y = low - value * (band - 24)
            points += [(_LEFT + _PLOT * k / _BINS, y), (_LEFT + _PLOT * (k + 1) / _BINS, y)]
        drawing.path([*points, (WIDTH - _RIGHT, low)], "c0")
    _time_axis(drawing, window, 44 + band * len(rows) + 6)
    return drawing.svg()


def durations_plot(trace: Trace) -> str | None:
    """A histogram of durations per function, the costliest first, on one logarithmic axis.

    None when no task has times.
    """
    shapes = durations(trace)
    rows = functions(trace).rows[:_MOST_FUNCTIONS]
    if not rows:
        return None
    mine = [shapes[row.func] for row in rows if row.func is not None]
    first = min(shape.first for shape in mine)
    last = max(shape.first + len(shape.counts) for shape in mine)
    axis = _BinAxis(first, _PLOT / (last - first))
    words = vocabulary(trace)
    whose = f"the tasks of each {words.function}" if words.family == "cores" else f"{words.task}s"
    title = f"{trace.meta.name}: how long {whose} took"
    drawing = Drawing(WIDTH, 74 + _BAND * len(rows), title)
    for number, (row, shape) in enumerate(zip(rows, mine, strict=True)):
        _histogram(drawing, row, shape, axis=axis, top=44 + number * _BAND)
    low = 44 + _BAND * len(rows) + 14
    for edge in range(first, last + 1, max((last - first) // 6, 1)):
        label = length_text(round(2 ** (edge / 4)))
        drawing.text(axis.x(edge), low, label, "soft", anchor="middle")
    return drawing.svg()


_BAND = 44
"""Height of one histogram, in pixels."""


@dataclass(frozen=True, slots=True)
class _BinAxis:
    """Where bins of durations stand in the picture."""

    first: int
    """The bin at the left edge."""
    step: float
    """Pixels per bin."""

    def x(self, bin_number: int) -> float:
        """Left edge of a bin."""
        return _LEFT + (bin_number - self.first) * self.step


def _histogram(
    drawing: Drawing, row: FunctionCost, shape: Histogram, *, axis: _BinAxis, top: int
) -> None:
    """Draws the histogram of one function with its name; `top` is the y of its upper edge."""
    low = top + _BAND - 6
    drawing.text(16, top + 20, shortened(row.name, 15), "text")
    drawing.text(16, top + 35, f"{row.count:,} tasks", "soft")
    drawing.line(_LEFT, low, WIDTH - _RIGHT, low)
    most = max(shape.counts)
    for k, count in enumerate(shape.counts):
        if count:
            tall = max(1.5, (_BAND - 12) * count / most)
            x = axis.x(shape.first + k)
            drawing.rect(x + 0.5, low - tall, max(axis.step - 1, 1), tall, style="c0")


def waits_plot(trace: Trace) -> str | None:
    """What the cores of each kind did with the window, as bars; None without a verdict.

    Only cores have such a verdict.
    """
    if vocabulary(trace).family != "cores":
        return None
    said = verdict(trace)
    if said.chip is None:
        return None
    kinds = said.kinds if len(said.kinds) > 2 else said.kinds[1:]
    shown = [what for what in LABELS if said.chip.ns(what)]
    band, lines = 46, -(-len(shown) // _LEGEND_COLUMNS)
    title = f"{trace.meta.name}: what the cores did with the window"
    drawing = Drawing(WIDTH, 66 + band * len(kinds) + 18 * lines, title)
    for number, kind in enumerate(kinds):
        _wait_bar(drawing, kind, shown, top=48 + number * band)
    _legend(drawing, shown, 48 + band * len(kinds))
    return drawing.svg()


def _wait_bar(drawing: Drawing, kind: KindVerdict, shown: list[str], *, top: int) -> None:
    drawing.text(16, top + 14, shortened(kind.kind, 14), "text")
    drawing.text(16, top + 29, f"{kind.cores} cores", "soft")
    x = float(_LEFT)
    for what in shown:
        width = kind.share(what) * _PLOT
        drawing.rect(x, top, width, 28, style=f"c{list(LABELS).index(what)}")
        if width > 44:
            style = "text" if what == "nothing" else "back"
            label = f"{100 * kind.share(what):.1f} %"
            drawing.text(x + width / 2, top + 18, label, style, anchor="middle")
        x += width


def _legend(drawing: Drawing, shown: list[str], y: float) -> None:
    step = (WIDTH - 32) / _LEGEND_COLUMNS
    for number, what in enumerate(shown):
        x, top = 16 + step * (number % _LEGEND_COLUMNS), y + 18 * (number // _LEGEND_COLUMNS)
        drawing.rect(x, top, 10, 10, style=f"c{list(LABELS).index(what)}")
        drawing.text(x + 15, top + 10, LABELS[what], "soft")


def _time_axis(drawing: Drawing, window: Span, y: float) -> None:
    for k in range(5):
        time = window.start_ns + window.length_ns * k // 4
        anchor = "start" if k == 0 else "end" if k == 4 else "middle"
        drawing.text(_LEFT + _PLOT * k / 4, y + 8, length_text(time), "soft", anchor=anchor)


def length_text(ns: int) -> str:
    """A time in ns with three digits and a unit: 12.3 ms."""
    size, unit = next((s for s in _UNITS if abs(ns) >= s[0]), _UNITS[-1])
    value = ns / size
    digits = 0 if size == 1 or abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    return f"{value:.{digits}f} {unit}"
