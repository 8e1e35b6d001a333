"""The picture of the roofline: operations per second over operations per byte, both logarithmic."""

from __future__ import annotations

import math
from dataclasses import dataclass

from lanescope.analyze.tasks.roofline import Roof, Roofline, roofline
from lanescope.render.svg import WIDTH, Drawing, shortened
from lanescope.trace.trace import Trace

_LEFT, _RIGHT, _TOP, _BOTTOM = 82, 262, 52, 334
_NEAR = 14
"""Points nearer than so many pixels share a label."""
_MOST_ENTRIES = 15
"""Points that the list at the right names."""
_PREFIXES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))


@dataclass(frozen=True, slots=True)
class _Axes:
    """Where rates and intensities stand in the picture; the edges are powers of ten."""

    least_x: int
    most_x: int
    least_y: int
    most_y: int

    def x(self, intensity: float) -> float:
        """Pixels from the left for operations per byte."""
        share = (math.log10(intensity) - self.least_x) / (self.most_x - self.least_x)
        return _LEFT + share * (WIDTH - _RIGHT - _LEFT)

    def y(self, rate: float) -> float:
        """Pixels from the top for operations per second."""
        share = (math.log10(rate) - self.least_y) / (self.most_y - self.least_y)
        return _BOTTOM - share * (_BOTTOM - _TOP)


@dataclass(frozen=True, slots=True)
class PointLabel:
    """The number of a point, or the numbers of several, and the place that it belongs to."""

    x: float
    y: float
    text: str


def roofline_plot(trace: Trace) -> str | None:
    """The picture; None where the trace does not say what its functions compute and move."""
    figures = roofline(trace)
    if figures is None:
        return None
    axes = _axes(figures)
    title = f"{trace.meta.name}: operations per second against operations per byte"
    drawing = Drawing(WIDTH, _BOTTOM + 54, title)
    _grid(drawing, axes)
    styles = {roof.name: k % 4 for k, roof in enumerate(figures.roofs)}
    for roof in figures.roofs:
        _roof(drawing, axes, roof, style=f"s{styles[roof.name]}")
    places = [(axes.x(point.intensity), axes.y(point.flops_per_s)) for point in figures.points]
    for point, (x, y) in zip(figures.points, places, strict=True):
        drawing.circle(x, y, 4.5, f"c{styles[point.roof]}")
    for label in labels_of(places):
        drawing.text(label.x + 8, label.y + 4, label.text, "text")
    _entries(drawing, figures, styles)
    return drawing.svg()


def labels_of(places: list[tuple[float, float]]) -> list[PointLabel]:
    """Labels with the numbers 1, 2, … of points (x, y).

    Points that lie on each other have one label together, at the rightmost of them.
    """
    groups: list[list[int]] = []
    for number, place in enumerate(places):
        near = next((g for g in groups if math.dist(places[g[0]], place) < _NEAR), None)
        if near is None:
            groups.append([number])
        else:
            near.append(number)
    return [PointLabel(*max(places[k] for k in group), _numbers(group)) for group in groups]


def _numbers(group: list[int]) -> str:
    """Rising numbers from 0 as text that counts from 1: 1–3, 5."""
    runs: list[list[int]] = []
    for number in group:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    said = [f"{r[0] + 1}" if len(r) == 1 else f"{r[0] + 1}–{r[-1] + 1}" for r in runs]
    return ", ".join(said)


def _axes(figures: Roofline) -> _Axes:
    """Axes that hold all points, and the ridge of every roof."""
    ridges = [roof.ridge for roof in figures.roofs]
    xs = [*ridges, *(point.intensity for point in figures.points)]
    ys = [*(roof.flops_per_s for roof in figures.roofs), *(p.flops_per_s for p in figures.points)]
    least_x = math.floor(math.log10(min(xs)))
    most_x = math.ceil(math.log10(max(xs)) + 0.1)
    least_y, most_y = math.floor(math.log10(min(ys)) - 0.3), math.ceil(math.log10(max(ys)) + 0.1)
    return _Axes(least_x, most_x, least_y, most_y)


def _grid(drawing: Drawing, axes: _Axes) -> None:
    for power in range(axes.least_x, axes.most_x + 1):
        x = axes.x(10.0**power)
        drawing.line(x, _TOP, x, _BOTTOM)
        drawing.text(x, _BOTTOM + 17, f"{10.0**power:g}", "soft", anchor="middle")
    for power in range(axes.least_y, axes.most_y + 1):
        y = axes.y(10.0**power)
        drawing.line(_LEFT, y, WIDTH - _RIGHT, y)
        drawing.text(_LEFT - 6, y + 4, rate_text(10.0**power), "soft", anchor="end")
    middle = (_LEFT + WIDTH - _RIGHT) / 2
    drawing.text(middle, _BOTTOM + 36, "operations per byte of memory", "soft", anchor="middle")


def _roof(drawing: Drawing, axes: _Axes, roof: Roof, *, style: str) -> None:
    """Draws a roof from where its slope enters the picture to the right edge, with its name."""
    first = max(10.0**axes.least_x, 10.0**axes.least_y / roof.bytes_per_s)
    corners = (first, roof.ridge, 10.0**axes.most_x)
    drawing.polyline([(axes.x(x), axes.y(roof.at(x))) for x in corners], style)
    x, y = axes.x(10.0**axes.most_x), axes.y(roof.flops_per_s)
    drawing.text(x - 4, y - 6, f"{roof.name}: {rate_text(roof.flops_per_s)}", "soft", anchor="end")


def _entries(drawing: Drawing, figures: Roofline, styles: dict[str, int]) -> None:
    """Lists the points by number: name, rate, and rate / height of the roof above the point."""
    roofs = {roof.name: roof for roof in figures.roofs}
    x = WIDTH - _RIGHT + 20
    drawing.text(WIDTH - 16, _TOP - 6, "of its roof", "soft", anchor="end")
    for number, point in enumerate(figures.points[:_MOST_ENTRIES]):
        y = _TOP + 14 + 18 * number
        share = point.flops_per_s / roofs[point.roof].at(point.intensity)
        drawing.circle(x, y - 4, 4, f"c{styles[point.roof]}")
        drawing.text(x + 10, y, f"{number + 1}  {shortened(point.name, 14)}", "text")
        drawing.text(WIDTH - 62, y, rate_text(point.flops_per_s), "soft", anchor="end")
        drawing.text(WIDTH - 16, y, f"{share:.0%}", "text", anchor="end")
    more = len(figures.points) - _MOST_ENTRIES
    if more > 0:
        drawing.text(x + 10, _TOP + 14 + 18 * _MOST_ENTRIES, f"and {more} more", "soft")


def rate_text(rate: float) -> str:
    """A rate in operations per second with two or three digits and a unit: 15 Top/s."""
    size, prefix = next((p for p in _PREFIXES if rate >= p[0]), _PREFIXES[-1])
    value = rate / size
    return f"{value:.0f} {prefix}op/s" if value >= 10 else f"{value:.2g} {prefix}op/s"
