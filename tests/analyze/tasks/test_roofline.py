"""Roofs and points by hand; `tests/reports/test_roofline.py` has runs and the picture."""

from __future__ import annotations

from tests.analyze.hand import make_trace, task

from lanescope.analyze.tasks.roofline import Point, Roof, Roofline, roofline

ROOF = Roof("one aic core", 1e12, 1e10)
POINT = Point("GEMM", "one aic core", flops=4000, bytes=40, seconds=1e-6)


def test_memory_is_the_limit_below_the_ridge_and_computing_above() -> None:
    assert ROOF.ridge == 100
    assert [ROOF.at(intensity) for intensity in (10, 100, 1000)] == [1e11, 1e12, 1e12]


def test_a_point_has_an_intensity_and_a_rate() -> None:
    assert (POINT.intensity, POINT.flops_per_s) == (100, 4e9)


def test_the_dict_has_the_derived_figures() -> None:
    assert Roofline((POINT,), (ROOF,)).to_dict() == {
        "points": [
            {
                "name": "GEMM",
                "roof": "one aic core",
                "flops": 4000,
                "bytes": 40,
                "seconds": 1e-6,
                "intensity": 100.0,
                "flops_per_s": 4e9,
            }
        ],
        "roofs": [
            {"name": "one aic core", "flops_per_s": 1e12, "bytes_per_s": 1e10, "ridge": 100.0}
        ],
    }


def test_a_trace_that_does_not_say_what_it_computes_has_no_roofline() -> None:
    assert roofline(make_trace()) is None
    assert roofline(make_trace(tasks=[task(0, 0, 0, 0, 10, 10, func=3)])) is None
