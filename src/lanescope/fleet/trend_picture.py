"""A trend as an SVG picture: a panel per series, points, the medians between changes."""

from __future__ import annotations

from lanescope.fleet.measured import NANOSECONDS
from lanescope.fleet.trend import Trend, TrendSeries
from lanescope.render.cells import time_text
from lanescope.render.svg import WIDTH, Drawing, shortened

_PANEL, _HEAD, _LEFT, _RIGHT = 150, 44, 92, 20
_MOST = 12
"""Series that are drawn."""


def trend_picture(trend: Trend) -> str:
    """The picture; more than a dozen series are cut, and it says so."""
    shown = trend.series[:_MOST]
    height = _HEAD + _PANEL * max(len(shown), 1) + 10
    name = trend.name if trend.group == "run" else f"{trend.group}/{trend.name}"
    drawing = Drawing(WIDTH, height, f"{name} by {trend.order}")
    for place, series in enumerate(shown):
        _panel(drawing, series, _HEAD + place * _PANEL, trend.unit)
    if not shown:
        drawing.text(16, _HEAD + 20, "No trace has this measure.", "soft")
    hidden = len(trend.series) - len(shown)
    if hidden > 0:
        drawing.text(WIDTH - 16, 26, f"{hidden} more series are not drawn", "soft", anchor="end")
    return drawing.svg()


def _panel(drawing: Drawing, series: TrendSeries, top: float, unit: str) -> None:
    values = [point.value for point in series.points]
    low, high = min(values), max(values)
    if low == high:
        low, high = low - 0.5 * (abs(low) or 1), high + 0.5 * (abs(high) or 1)
    upper, lower = top + 24, top + _PANEL - 34

    def x(place: float) -> float:
        share = place / max(len(values) - 1, 1) if len(values) > 1 else 0.5
        return _LEFT + share * (WIDTH - _LEFT - _RIGHT)

    def y(value: float) -> float:
        return lower - (value - low) / (high - low) * (lower - upper)

    drawing.text(16, top + 12, shortened(series.name, 80), "text")
    for value in (low, high):
        drawing.line(_LEFT, y(value), WIDTH - _RIGHT, y(value))
        drawing.text(_LEFT - 8, y(value) + 4, _value(value, unit), "soft", anchor="end")
    edges = [0, *(one.index for one in series.changes), len(values)]
    medians = [one.before for one in series.changes] + [one.after for one in series.changes[-1:]]
    for first, last, median in zip(edges[:-1], edges[1:], medians or [], strict=False):
        drawing.polyline([(x(first), y(median)), (x(last - 1), y(median))], "s2")
    for place, value in enumerate(values):
        drawing.circle(x(place), y(value), 2.5, "c0")
    for one in series.changes:
        drawing.polyline([(x(one.index - 0.5), upper), (x(one.index - 0.5), lower)], "s1")
        drawing.text(x(one.index - 0.5), lower + 30, series.points[one.index].at, "soft")
    drawing.text(_LEFT, lower + 16, series.points[0].at, "soft")
    if len(values) > 1:
        drawing.text(WIDTH - _RIGHT, lower + 16, series.points[-1].at, "soft", anchor="end")


def _value(value: float, unit: str) -> str:
    return time_text(value) if unit == NANOSECONDS else f"{value:,.4g}"
