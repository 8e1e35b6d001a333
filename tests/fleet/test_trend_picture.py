"""A trend as a picture, shape by shape."""

from __future__ import annotations

from dataclasses import replace

from tests.fleet.test_pages import POINTS, TREND
from tests.reports.pictures import shapes

from lanescope.fleet.measured import COUNT
from lanescope.fleet.trend import TrendSeries
from lanescope.fleet.trend_picture import trend_picture

PICTURE = [
    "760 x 354",
    "text text title 16 26 makespan by date",
    "text text 16 56 matmul",
    "line line 92 160 740 160",
    "text soft 84 164 end 100.0 ns",
    "line line 92 68 740 68",
    "text soft 84 72 end 300.0 ns",
    "polyline s2 92.00,137 416.00,137",
    "polyline s2 740.00,68 740.00,68",
    "circle c0 92 160 2.5",
    "circle c0 416 114 2.5",
    "circle c0 740 68 2.5",
    "polyline s1 578.00,68 578.00,160",
    "text soft 578 190 2026-01-03",
    "text soft 92 176 2026-01-01",
    "text soft 740 176 end 2026-01-03",
    "text text 16 206 fan",
    "line line 92 310 740 310",
    "text soft 84 314 end 50.0 ns",
    "line line 92 218 740 218",
    "text soft 84 222 end 150.0 ns",
    "circle c0 416 264 2.5",
    "text soft 92 326 2026-01-01",
]
"""Three points of 100, 200 and 300 ns with a change before the last one, and one point alone."""


def test_a_panel_has_its_points_the_medians_and_the_changes() -> None:
    assert shapes(trend_picture(TREND)) == PICTURE


def test_a_trend_of_nothing_says_so() -> None:
    assert shapes(trend_picture(replace(TREND, series=(), group="function", name="QK"))) == [
        "760 x 204",
        "text text title 16 26 function/QK by date",
        "text soft 16 64 No trace has this measure.",
    ]


def test_a_dozen_panels_are_drawn_and_the_others_counted() -> None:
    series = tuple(TrendSeries(f"s{k}", POINTS[:1], ()) for k in range(14))
    lines = shapes(trend_picture(replace(TREND, series=series)))
    assert lines[0] == "760 x 1854"
    assert lines[-1] == "text soft 744 26 end 2 more series are not drawn"
    assert sum(one.startswith("circle") for one in lines) == 12
    twelve = shapes(trend_picture(replace(TREND, series=series[:12])))
    assert not any("not drawn" in one for one in twelve)


def test_values_that_are_all_0_lie_between_a_half_below_and_above() -> None:
    zero = tuple(replace(one, value=0.0) for one in POINTS)
    lines = shapes(trend_picture(replace(TREND, unit=COUNT, series=(TrendSeries("a", zero, ()),))))
    assert [one for one in lines if " end " in one][:2] == [
        "text soft 84 164 end -0.5",
        "text soft 84 72 end 0.5",
    ]
    assert [one for one in lines if one.startswith("circle")] == [
        f"circle c0 {x} 114 2.5" for x in (92, 416, 740)
    ]
