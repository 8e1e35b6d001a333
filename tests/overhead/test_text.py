"""Fitted costs, sources of records and the heading of a bench as people read them."""

from __future__ import annotations

from typing import Any

import pytest

from lanescope.overhead.core_sources import SourceResult, SourceRound, _columns, render_sources
from lanescope.overhead.costs_table import render_costs
from lanescope.overhead.report import BenchSetting, _heading
from lanescope.replay.correction.record_costs import Cost, RecordCosts

COSTS = {"core_task": Cost(12.34, 10.0, 15.0), "core_moved": Cost(2.0, 1.0, 3.0)}
FIT = RecordCosts(platform="sim", protocol="staging", basis="fitted", costs=COSTS)


def cells(text: str) -> list[list[str]]:
    """The rows of the first table, each as words."""
    lines = text.splitlines()[3:]
    return [line.split() for line in lines[: lines.index("")]]


def test_costs_have_their_interval_and_who_pays_them() -> None:
    text = render_costs([FIT], {})
    assert cells(text) == [
        ["staging", "core_task", "12.3", "10.0", "15.0"],
        ["staging", "core_moved", "2.0", "1.0", "3.0"],
    ]
    assert "core_task: paid by the core, behind the task." in text
    assert "parameter" not in text.splitlines()[1]


@pytest.mark.parametrize(("truth", "inside"), [(9.9, "no"), (10.0, "yes"), (15.0, "yes")])
def test_costs_that_are_known_stand_beside_those_that_were_found(truth: float, inside: str) -> None:
    """What a chip does not charge for is 0."""
    text = render_costs([FIT], {"staging": {"core_task": truth}})
    assert [row[-2:] for row in cells(text)] == [[f"{truth:.1f}", inside], ["0.0", "no"]]
    other = render_costs([FIT], {"else": {"core_task": 12.0}})
    assert [row[-2:] for row in cells(other)] == [["0.0", "no"]] * 2


def test_sources_are_shown_as_means_of_their_rounds() -> None:
    """The driver's channels saw nothing, so there is no part of it."""
    first = SourceRound(ran=4, seen=3, made=200, records=100, stop_s=0.5)
    second = SourceRound(ran=4, seen=4, made=200, records=50, stop_s=2.5)
    none = SourceRound(ran=0, seen=0, made=0, records=0, stop_s=2e-6)
    results = [SourceResult("engine", (first, second)), SourceResult("driver", (none,))]
    shown = {column.title: column.cells for column in _columns(results[:1])}
    assert shown == {
        "source": ("engine",),
        "cores seen": ("3.5",),
        "of those that ran": ("88%",),
        "records": ("75",),
        "of those made": ("38%",),
        "most / least": ("2.00",),
        "stop": ("1.5 s",),
    }
    ran = {column.title: column.cells for column in _columns([SourceResult("x", (none,) * 2)])}
    assert (ran["of those that ran"], ran["of those made"]) == ((None,), (None,))
    assert ran["stop"] == ("2.0 µs",)
    text = render_sources(results[:1])
    assert "a model of what is published" not in text
    assert "a model of what is published" in render_sources(
        [results[0], SourceResult("driver", (first,))]
    )


def setting(**fields: Any) -> BenchSetting:
    usual: dict[str, Any] = {
        "workload": "dag",
        "tasks": 1000,
        "rounds": 3,
        "seed": 1,
        "platform": "threads",
        "pre_dispatch": 1,
        "on_full": "block",
        "buffer_records": 64,
        "buffers": 1,
        "cores": ("aic", "aiv"),
        "schedulers": 1,
    }
    return BenchSetting(**usual | fields)


def test_a_heading_says_what_ran_and_on_what() -> None:
    assert _heading(setting()) == (
        "dag on threads (simulated): 1,000 tasks on 2 cores and 1 scheduler, 3 rounds after one "
        "to warm up\n1 buffer of 64 records per lane, on-full block"
    )
    real = {"pin": True, "clock_hz": 2_500_000_000}
    *_, line = _heading(setting(**real, processors=5)).splitlines()
    assert line == "5 processors, clock 2,500.0 MHz"
    *_, line = _heading(setting(**real, processors=4)).splitlines()
    assert line == (
        "4 processors, clock 2,500.0 MHz; 4 threads and the collector share them, so expect a "
        "wide spread"
    )
    assert "(simulated)" not in _heading(setting(**real, processors=4))
    assert len(_heading(setting(pin=True, processors=4)).splitlines()) == 2
    assert "processors" not in setting().to_dict()
    assert setting(**real, processors=4).to_dict()["processors"] == 4
