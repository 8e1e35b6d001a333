"""A trace that 0.1.0 stored says the same after loading as one stored today."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from lanescope.errors import InputError
from lanescope.trace import Meta, Trace, load, open_lazily, save
from lanescope.trace.meta import (
    BufferSize,
    FunctionWork,
    ProgramWork,
    RecordingFacts,
    RoofFacts,
    WorkFacts,
)
from lanescope.trace.upgrade import with_typed_facts

OLD = {
    "schema_version": 1,
    "name": "old",
    "tool": "lanescope 0.1.0",
    "origin": "simulated",
    "chip": "a2a3",
    "level": 4,
    "extra": {
        "protocol": "staging",
        "on_full": "drop",
        "pre_dispatch": 0,
        "region_bytes": 4096,
        "buffers": {"core_task": [8, 1024], "pmu": [2, 16]},
        "pmu_events": [2],
        "work": {
            "functions": [{"func": 3, "roof": "one aic core", "flops": 4000, "bytes": 40}],
            "roofs": [{"name": "one aic core", "flops_per_s": 10, "bytes_per_s": 2.5}],
        },
        "clock_error_ns": 64,
        "record_costs": {"core_task": 87.9},
        "unrecorded_pre_dispatch": 1,
        "generation": "G8",
    },
}
"""A meta.json as 0.1.0 wrote it."""
TODAY = Meta(
    name="old",
    tool="lanescope 0.1.0",
    origin="simulated",
    chip="a2a3",
    level=4,
    recording=RecordingFacts(
        protocol="staging",
        on_full="drop",
        pre_dispatch=0,
        region_bytes=4096,
        buffers={"core_task": BufferSize(8, 1024), "pmu": BufferSize(2, 16)},
        pmu_events=(2,),
        clock_error_ns=64,
        record_costs_ns={"core_task": 87.9},
        unrecorded_pre_dispatch=1,
    ),
    work=WorkFacts(
        functions=(FunctionWork(3, "one aic core", flops=4000, bytes=40),),
        roofs=(RoofFacts("one aic core", flops_per_s=10.0, bytes_per_s=2.5),),
    ),
    extra={"generation": "G8"},
)


def stored_with(meta: dict[str, Any], folder: Path) -> Path:
    """A stored trace without rows and with this meta.json."""
    save(Trace(meta=TODAY), folder)
    (folder / "meta.json").write_text(json.dumps(meta))
    (folder / "checksums.json").unlink()
    return folder


@pytest.mark.parametrize("read", [load, open_lazily])
def test_a_stored_trace_of_the_version_before_is_what_it_would_be_today(
    read: Any, tmp_path: Path
) -> None:
    assert read(stored_with(OLD, tmp_path / "old.lanes")).meta == TODAY


def test_a_trace_of_today_comes_back_as_it_is(tmp_path: Path) -> None:
    """Also where its `extra` has a key that 0.1.0 used: that is the source format's own."""
    meta = msgspec.structs.replace(TODAY, recording=None, extra={"protocol": "of another tool"})
    save(Trace(meta=meta), tmp_path / "new.lanes")
    assert load(tmp_path / "new.lanes").meta == meta


def test_a_plan_and_a_predicted_program_are_upgraded_too() -> None:
    roof = {"name": "v80", "flops_per_s": 1e12, "bytes_per_s": 1e9}
    extra = {
        "serial_cycles": 9,
        "pmu_counters": ["busy", ""],
        "core_hz": {"aic": 1_650_000_000},
        "work": {"whole": {"flops": 8, "bytes": 4, "roof": "v80"}, "roofs": [roof]},
    }
    meta = with_typed_facts(Meta(name="x", tool="", origin="predicted", extra=extra))
    assert meta == Meta(
        name="x",
        tool="",
        origin="predicted",
        recording=RecordingFacts(pmu_counters=("busy", ""), core_hz={"aic": 1_650_000_000}),
        work=WorkFacts(
            roofs=(RoofFacts("v80", 1e12, 1e9),), whole=ProgramWork("v80", flops=8, bytes=4)
        ),
        extra={"serial_cycles": 9},
    )


@pytest.mark.parametrize("extra", [{}, {"generation": "G3"}, {"core_hz": 1_650_000_000}])
def test_facts_of_one_source_format_stay_where_they_are(extra: dict[str, Any]) -> None:
    meta = Meta(name="x", tool="", origin="imported", extra=extra)
    assert with_typed_facts(meta) == meta


@pytest.mark.parametrize(
    "extra", [{"protocol": 7}, {"buffers": {"core_task": [1]}}, {"work": {"roofs": 1}}]
)
def test_a_fact_of_another_type_is_damage(extra: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"meta\.json: is damaged \(Expected `"):
        load(stored_with({**OLD, "extra": extra}, tmp_path / "old.lanes"))
