"""The roofline: figures by hand, simulated kernels under their roofs, a predicted program."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.analyze.hand import make_trace, task
from tests.analyze.simulated import a2a3, changed, simulated
from tests.reports.pictures import shapes
from tests.reports.test_plots import SVG, drawn

import lanescope
from lanescope.analyze.tasks.roofline import Roof, roofline
from lanescope.cli import main
from lanescope.reports.plots import plots
from lanescope.reports.roofline import PointLabel, labels_of, rate_text
from lanescope.trace.meta import FunctionWork, RoofFacts, WorkFacts
from lanescope.workloads import build_workload

WORK = WorkFacts(
    roofs=(RoofFacts("one aic core", flops_per_s=1e12, bytes_per_s=1e10),),
    functions=(FunctionWork(func=3, roof="one aic core", flops=4000, bytes=40),),
)


def test_a_functions_mean_run_is_a_point() -> None:
    trace = make_trace(
        {"work": WORK},
        tasks=[task(0, 0, 0, 0, 10, 10, func=3), task(0, 10, 10, 10, 40, 40, func=3)],
        functions=[{"func": 3, "name": "GEMM"}],
    )
    found = roofline(trace)
    assert found is not None
    (point,) = found.points
    assert (point.name, point.intensity, point.flops_per_s) == ("GEMM", 100, 4000 / 20e-9)
    assert found.roofs == (Roof("one aic core", flops_per_s=1e12, bytes_per_s=1e10),)
    assert (found.roofs[0].ridge, found.roofs[0].at(10), found.roofs[0].at(1e6)) == (
        100,
        1e11,
        1e12,
    )


def test_a_trace_that_does_not_know_its_work_has_none() -> None:
    assert roofline(make_trace(tasks=[task(0, 0, 0, 0, 10, 10, func=3)])) is None


@pytest.mark.parametrize("workload", ["decode_layer", "matmul_add", "vector"])
def test_simulated_kernels_stay_under_their_roofs(workload: str) -> None:
    trace = simulated(build_workload(workload, {}), a2a3())
    found = roofline(trace)
    assert found is not None
    roofs = {roof.name: roof for roof in found.roofs}
    for point in found.points:
        reached = point.flops_per_s / roofs[point.roof].at(point.intensity)
        assert 0.1 < reached < 1


def test_the_chips_memory_lowers_the_roof() -> None:
    slow = changed(a2a3(), "memory", hbm_bytes_per_s=10**9)
    found = roofline(simulated(build_workload("vector", {"tiles": 2}), slow))
    assert found is not None
    assert [roof.bytes_per_s for roof in found.roofs] == [10**9]


def test_a_matmul_counts_its_multiply_adds() -> None:
    settings = {"rows": 1, "columns": 1, "tile": 64, "depth": 100}
    work = simulated(build_workload("matmul_add", settings), a2a3()).meta.work
    assert work is not None
    assert work.functions[0] == FunctionWork(
        func=0,
        roof="one aic core",
        flops=2 * 64 * 64 * 100,
        bytes=2 * (2 * 64 * 100 + 64 * 64),
    )


def test_a_predicted_program_is_one_point(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = Path(__file__).parents[2] / "examples" / "tile.asm"
    stored = tmp_path / "tile.lanes"
    assert main(["predict", str(program), "--board", "v80", "--trace", str(stored)]) == 0
    capsys.readouterr()
    found = roofline(lanescope.load(stored))
    assert found is not None
    (point,), (roof,) = found.points, found.roofs
    assert (point.name, point.flops, point.bytes) == ("whole program", 544_896, 32_768)
    assert (roof.name, roof.bytes_per_s) == ("v80", 819_200_000_000)


def test_the_picture_names_points_and_roofs() -> None:
    svg = plots(simulated(build_workload("matmul_add", {}), a2a3()))["roofline.svg"]
    texts = [text.text or "" for text in drawn(svg).iter(f"{SVG}text")]
    assert any(text.startswith("one aic core: 15 Top/s") for text in texts)
    assert len(list(drawn(svg).iter(f"{SVG}polyline"))) == 2
    assert len(list(drawn(svg).iter(f"{SVG}circle"))) == 4


def test_points_on_each_other_have_one_label() -> None:
    places = [(0.0, 0.0), (3.0, 1.0), (100.0, 0.0), (4.0, 0.0)]
    assert labels_of(places) == [PointLabel(4.0, 0.0, "1–2, 4"), PointLabel(100.0, 0.0, "3")]


@pytest.mark.parametrize(
    ("rate", "text"),
    [
        (0.0, "0 op/s"),
        (0.5, "0.5 op/s"),
        (5.0, "5 op/s"),
        (9.96, "10 op/s"),
        (2.5e3, "2.5 kop/s"),
        (1.5e13, "15 Top/s"),
    ],
)
def test_rates_have_a_unit(rate: float, text: str) -> None:
    assert rate_text(rate) == text


CORES = WorkFacts(
    roofs=(
        RoofFacts("one aic core", flops_per_s=1e12, bytes_per_s=1e10),
        RoofFacts("one aiv core", flops_per_s=1e11, bytes_per_s=1e10),
    ),
    functions=(
        FunctionWork(func=3, roof="one aic core", flops=4000, bytes=40),
        FunctionWork(func=4, roof="one aiv core", flops=200, bytes=200),
        FunctionWork(func=5, roof="one aiv core", flops=202, bytes=200),
    ),
)
PICTURE = [
    "760 x 388",
    "text text title 16 26 hand: operations per second against operations per byte",
    "line line 82 52 82 334",
    "text soft 82 351 middle 1",
    "line line 220.67 52 220.67 334",
    "text soft 220.67 351 middle 10",
    "line line 359.33 52 359.33 334",
    "text soft 359.33 351 middle 100",
    "line line 498 52 498 334",
    "text soft 498 351 middle 1000",
    "line line 82 334 498 334",
    "text soft 76 338 end 1 Gop/s",
    "line line 82 263.5 498 263.5",
    "text soft 76 267.5 end 10 Gop/s",
    "line line 82 193 498 193",
    "text soft 76 197 end 100 Gop/s",
    "line line 82 122.5 498 122.5",
    "text soft 76 126.5 end 1 Top/s",
    "line line 82 52 498 52",
    "text soft 76 56 end 10 Top/s",
    "text soft 290 370 middle operations per byte of memory",
    "polyline s0 82.00,263.5 359.33,122.5 498.00,122.5",
    "text soft 494 116.5 end one aic core: 1 Top/s",
    "polyline s1 82.00,263.5 220.67,193 498.00,193",
    "text soft 494 187 end one aiv core: 100 Gop/s",
    "circle c0 359.33 171.78 4.5",
    "circle c1 82.6 312.47 4.5",
    "circle c1 82 312.78 4.5",
    "text text 367.33 175.78 1",
    "text text 90.6 316.47 2–3",
    "text soft 744 46 end of its roof",
    "circle c0 518 62 4",
    "text text 528 66 1  GEMM",
    "text soft 698 66 end 200 Gop/s",
    "text text 744 66 end 20%",
    "circle c1 518 80 4",
    "text text 528 84 2  ADD 2",
    "text soft 698 84 end 2 Gop/s",
    "text text 744 84 end 20%",
    "circle c1 518 98 4",
    "text text 528 102 3  ADD a long na…",
    "text soft 698 102 end 2 Gop/s",
    "text text 744 102 end 20%",
]


def test_the_picture_has_a_line_per_roof_and_a_point_per_function() -> None:
    """200 Gop/s where the roof is 1 Top/s, and twice 2 Gop/s where it is 10: 20 % each."""
    trace = make_trace(
        {"work": CORES},
        tasks=[
            task(0, 0, 0, 0, 10, 10, func=3),
            task(0, 10, 10, 10, 40, 40, func=3),
            task(0, 40, 40, 40, 140, 140, func=4),
            task(0, 140, 140, 140, 240, 240, func=5),
        ],
        functions=[
            {"func": 3, "name": "GEMM"},
            {"func": 4, "name": "ADD a long name"},
            {"func": 5, "name": "ADD 2"},
        ],
    )
    assert shapes(plots(trace)["roofline.svg"]) == PICTURE


def test_the_list_beside_the_picture_names_15_points() -> None:
    work = [FunctionWork(func=k, roof="one aic core", flops=100, bytes=10) for k in range(17)]
    trace = make_trace(
        {"work": WorkFacts(roofs=WORK.roofs, functions=tuple(work))},
        tasks=[task(0, 0, 0, 10 * k, 10 * k + 10, 170, func=k) for k in range(17)],
        functions=[{"func": k, "name": f"f{k}"} for k in range(17)],
    )
    lines = shapes(plots(trace)["roofline.svg"])
    assert [one.split()[-2] for one in lines if "  f" in one] == [*map(str, range(1, 16))]
    assert lines[-1] == "text soft 528 336 and 2 more"
    assert any(one.endswith(" 1–17") for one in lines)


def test_a_steep_roof_enters_the_picture_at_the_bottom() -> None:
    """100 MB/s reach 100 Gop/s, the lowest line, at 1000 operations per byte, the second column."""
    roof = RoofFacts("one aic core", flops_per_s=1e12, bytes_per_s=1e8)
    trace = make_trace(
        {"work": WorkFacts(roofs=(roof,), functions=WORK.functions)},
        tasks=[task(0, 0, 0, 0, 20, 20, func=3)],
        functions=[{"func": 3, "name": "GEMM"}],
    )
    [line] = [one for one in shapes(plots(trace)["roofline.svg"]) if one.startswith("polyline")]
    assert line == "polyline s0 220.67,334 359.33,193 498.00,193"
