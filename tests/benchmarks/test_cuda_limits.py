"""Limits of what is measured on a GPU, tried on figures that an H200 gave, and on worse ones."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from benchmarks.cuda_limits import graph_missed, missed

GOOD: dict[str, Any] = {
    "cost": {
        "warp loop=1 grid=8": {"added_cycles": 36.0},
        "warp loop=0 grid=8": {"added_cycles": 50.0},
        "cta loop=1 grid=132": {"added_cycles": 25.0},
    },
    "proton": {"global grid=8": {"added_cycles": 88.0}, "global grid=132": {"added_cycles": 94.0}},
    "launch": {"off_ms": 1.1, "on_ms": 1.113},
    "flood": {
        "1": {"records_per_s": 88e6, "lost": 0},
        "12": {"records_per_s": 697e6, "lost": 0},
    },
    "endless": {"seconds": 60.1, "records": 859_280_583, "lost": 0},
    "clock": {"stated_error_ns": 101, "shortest_hop_ns": 707},
    "short": {"stated_error_ns": [64, 64, 64]},
    "budget": {"gemm": {"registers": [64, 64], "blocks_per_unit": [4, 4]}},
}


def test_good_figures_miss_nothing() -> None:
    assert missed(GOOD) == missed({}) == []


@pytest.mark.parametrize(
    ("path", "value", "line"),
    [
        ("cost/warp loop=1 grid=8/added_cycles", 44.1,
         "cost, warp loop=1 grid=8: 44.1 cycles per task, at most 44.0"),
        ("cost/cta loop=1 grid=132/added_cycles", 47.1,
         "cost, cta loop=1 grid=132: 47.1 cycles per task, at most 47.0"),
        ("launch/on_ms", 1.151, "launch: 0.051 ms more with recording, at most 0.05 ms"),
        ("flood/1/lost", 1200, "flood, 1 collectors: 1,200 records lost"),
        ("flood/12/records_per_s", 599e6, "flood: 599 M records/s, at least 600 M"),
        ("endless/lost", 3, "endless: 3 of 859,280,583 records lost"),
        ("endless/seconds", 59.0, "endless: the kernel ran 59 s, at least 60 s"),
        ("clock/stated_error_ns", 201, "clock: the stated error is 201 ns, at most 200 ns"),
        ("clock/shortest_hop_ns", -102,
         "clock: a hop is shown 102 ns backwards, more than the stated error of 101 ns"),
        ("short/stated_error_ns", [64, 201, 64],
         "short: the stated error is 201 ns, at most 200 ns"),
        ("budget/gemm/registers", [64, 73], "budget, gemm: 9 registers more, at most 8"),
        ("budget/gemm/blocks_per_unit", [4, 3],
         "budget, gemm: 3 CTAs per SM, without recording 4"),
    ],
)  # fmt: skip
def test_a_worse_figure_is_a_sentence(path: str, value: Any, line: str) -> None:
    figures = deepcopy(GOOD)
    *way, last = path.split("/")
    place = figures
    for key in way:
        place = place[key]
    place[last] = value
    assert missed(figures) == [line]


def test_cost_has_a_limit_only_beside_proton_and_in_a_loop() -> None:
    slow = {"cost": {name: {"added_cycles": 200.0} for name in GOOD["cost"]}}
    assert missed(slow) == []
    assert len(missed({**slow, "proton": GOOD["proton"]})) == 2


@pytest.mark.parametrize(
    ("workload", "batches", "level", "added", "is_missed"),
    [
        ("paged_attention", 256, 4, 0.08, False),
        ("paged_attention", 256, 4, 0.0801, True),
        ("paged_attention", 256, 3, 0.5, False),
        ("paged_attention", 16384, 4, 0.5, False),
        ("random_dag", None, 4, 0.118, False),
    ],
)
def test_level_4_of_the_short_graph(
    workload: str, batches: int | None, level: int, added: float, is_missed: bool
) -> None:
    row = {"workload": workload, "level": level, "added": added}
    if batches:
        row["batches"] = batches
    assert graph_missed(row) == is_missed
    assert not graph_missed({"recorded_us": 9.0})


@pytest.mark.parametrize(("error", "is_missed"), [(0.05, False), (0.0501, True), (-0.0501, True)])
def test_a_what_if_of_the_short_graph(error: float, is_missed: bool) -> None:
    row = {"workload": "paged_attention", "batches": 256, "level": 4, "schedulers": 1}
    assert graph_missed({**row, "error": error}) == is_missed
