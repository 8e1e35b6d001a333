"""Reports of a bench, of sources and of fitted costs: headings, and what they hold as data."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lanescope.overhead import Configuration, RunSample, compare, render_sources, render_table
from lanescope.overhead.core_sources import SourceResult, SourceRound
from lanescope.overhead.costs_table import render_costs
from lanescope.overhead.report import (
    BenchReport,
    BenchSetting,
    FitReport,
    SourceReport,
    _heading,
)
from lanescope.replay.correction.record_costs import Cost, RecordCosts

FIELDS: dict[str, Any] = {
    "workload": "dag",
    "tasks": 1234,
    "rounds": 3,
    "seed": 1,
    "platform": "a5",
    "pre_dispatch": 0,
    "on_full": "drop",
    "buffer_records": 1,
    "buffers": 2,
    "cores": ("aic",),
    "schedulers": 2,
}
SETTING = BenchSetting(**FIELDS)
PLAIN = {**FIELDS, "cores": ["aic"]}
SOURCES = (SourceResult("perfmon", (SourceRound(1, 1, 9, 9, 0.5), SourceRound(1, 1, 9, 8, 1.5))),)


def test_what_only_a_real_machine_has_is_left_out_elsewhere() -> None:
    assert SETTING.to_dict() == PLAIN
    real = {"pin": False, "processors": 0, "clock_hz": 0, "device": ""}
    assert BenchSetting(**FIELDS, **real).to_dict() == {**PLAIN, **real}


def test_a_bench_is_its_setting_and_its_results() -> None:
    results = compare({Configuration(0, "off"): [RunSample(1), RunSample(2)]}, tasks=1)
    report = BenchReport(SETTING, results)
    told = report.to_dict()
    assert told.pop("results") == [results[0].to_dict()]
    assert told == PLAIN
    assert report.text() == f"{_heading(SETTING)}\n\n{render_table(results)}"


def test_sources_stand_below_a_short_heading() -> None:
    report = SourceReport(SETTING, SOURCES)
    told = report.to_dict()
    assert told.pop("core_sources") == [SOURCES[0].to_dict()]
    assert told == PLAIN
    heading = "dag on a5: 1,234 tasks, 3 rounds"
    assert report.text() == f"{heading}\n\n{render_sources(SOURCES)}"
    one = SourceReport(BenchSetting(**{**FIELDS, "tasks": 1, "rounds": 1}), SOURCES)
    assert one.text().startswith("dag on a5: 1 task, 1 round\n")


def test_fitted_costs_are_kept_as_a_file_of_costs() -> None:
    cost = {"ns": 2.5, "low_ns": 1.0, "high_ns": 3.0}
    fit = RecordCosts(
        platform="sim", protocol="staging", basis="fitted", costs={"core_task": Cost(**cost)}
    )
    report = FitReport(platform="sim", rounds=7, fits=(fit,))
    text = report.file_text()
    assert json.loads(text) == report.to_dict()
    (told,) = report.to_dict()["fits"]
    assert (told["platform"], told["protocol"], told["basis"]) == ("sim", "staging", "fitted")
    assert told["costs"] == {"core_task": cost}
    assert text.startswith("{\n  ") and text.endswith("}\n") and not text.endswith("\n\n")
    heading = "probes on sim, 7 rounds after one to warm up"
    assert report.text() == f"{heading}\n\n{render_costs((fit,), {})}"
    one = FitReport(platform="sim", rounds=1, fits=(fit,))
    assert one.text().startswith("probes on sim, 1 round after one to warm up\n")
    known = {"staging": {"core_task": 9.0}}
    beside = FitReport(platform="sim", rounds=7, fits=(fit,), known=known)
    assert beside.text() == f"{heading}\n\n{render_costs((fit,), known)}"


@pytest.mark.parametrize(("processors", "wide"), [(2, True), (3, True), (4, False)])
def test_threads_share_processors_with_the_collector(processors: int, wide: bool) -> None:
    """A core, a scheduler and the orchestrator need 3; one more is for the collector."""
    fields = {**FIELDS, "schedulers": 1, "pin": False, "clock_hz": 1_234_560_000}
    *_, line = _heading(BenchSetting(**fields, processors=processors)).splitlines()
    shared = "; 3 threads and the collector share them, so expect a wide spread" if wide else ""
    assert line == f"{processors} processors, clock 1,234.6 MHz{shared}"


def test_the_clock_is_told_only_with_the_processors() -> None:
    for known in ({"processors": 4}, {"clock_hz": 10**9}):
        assert len(_heading(BenchSetting(**FIELDS, pin=True, **known)).splitlines()) == 2


def test_a_gpu_is_named_and_its_clock_told() -> None:
    assert _heading(BenchSetting(**FIELDS, device="H100")).splitlines() == [
        "dag on a5 (H100): 1,234 tasks on 1 core and 2 schedulers, 3 rounds after one to warm up",
        "2 buffers of 1 record per lane, on-full drop",
        "makespans on the GPU's own clock, inside the kernel, at level 0, too",
    ]
    one = {**FIELDS, "tasks": 1, "rounds": 1, "schedulers": 1}
    assert _heading(BenchSetting(**one)).splitlines()[0] == (
        "dag on a5 (simulated): 1 task on 1 core and 1 scheduler, 1 round after one to warm up"
    )
