"""A trace written as the runtime's newest files and read again is the same trace."""

from __future__ import annotations

import gzip
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.analyze.simulated import simulated
from tests.formats.simpler.runs import (
    lines,
    phase,
    phase_us,
    read,
    record,
    records,
    rows,
    stream,
    task_us,
    today,
    write,
)

from lanescope.errors import UsageError
from lanescope.formats import import_paths
from lanescope.formats.simpler.write import RECORDS, write_run
from lanescope.platforms.sim.chip import load_chip
from lanescope.trace import SCHEMA, Trace
from lanescope.trace.schema import TaskFlag
from lanescope.workloads import build_workload

DATA = Path(__file__).parents[3] / "../shared/data/chip-swimlane"
TABLES = ("tasks", "phases", "edges", "cores", "functions")
NO_CYCLES = {"token", *(c.name for c in SCHEMA["tasks"].columns if c.name.endswith("_cycles"))}
"""What a file in microseconds does not have and its export does."""


def back(trace: Trace, folder: Path) -> Trace:
    write_run(trace, folder)
    [again] = import_paths([folder])
    return again


def table(trace: Trace, name: str, *, but: set[str] = frozenset()) -> list[tuple[Any, ...]]:
    columns = [c.name for c in SCHEMA[name].columns if c.name not in but]
    return rows(trace, name, *columns)


def without_ambiguity(trace: Trace) -> Trace:
    """The files cannot say that one of two vector functions ran."""
    flags = trace.tasks["flags"] & ~int(TaskFlag.FUNCTION_AMBIGUOUS)
    return replace(trace, tasks=trace.tasks.replace(flags=flags))


def assert_same(one: Trace, other: Trace) -> None:
    for name in TABLES:
        assert table(one, name) == table(other, name)
    assert one.meta.level == other.meta.level
    assert one.meta.base_cycles == other.meta.base_cycles
    assert one.meta.host_clock == other.meta.host_clock


FULL = records(
    4,
    aicore_tasks=[[0, 7, 1, 100, 200, 3], [1, 7, 1, 110, 210, 4], [1, 9, 2, 300, 310, 0]],
    aicpu_tasks=[[0, 1, 90, 215], [1, 1, 95, 220], [1, 2, 150, 320]],
    aicpu_scheduler_phases=[
        [],
        [
            phase("resolve", 85, 88, loop_iter=1, tasks_processed=1, task_id=7),
            phase(
                "dispatch",
                80,
                99,
                loop_iter=1,
                tasks_processed=2,
                pop_hit=2,
                pop_miss=1,
                shared_at_start=[1, 2, 3],
                shared_at_end=[0, 0, 0],
            ),
            phase("dummy_task", 60, 60, task_id=8),
            phase("release", 70, 71, shared_at_start=[1, 2, 3]),
            phase("release", 72, 0, shared_at_end=[1, 2, 3]),
        ],
    ],
    aicpu_orchestrator_phases=[
        [],
        [{"submit_idx": 0, "task_id": 5, "start_cycles": 50, "end_cycles": 52}],
    ],
)
GRAPH = {
    "tasks": [
        {
            "task_id": "7",
            "scope": "manual",
            "early_dispatch": True,
            "kernel_ids": [1, 2, -1],
            "block_num": 1,
        },
        {"task_id": "8", "scope": "auto", "kernel_ids": [-1, -1, -1]},
        {"task_id": "9", "scope": "auto", "kernel_ids": [-1, 2, -1], "block_num": 4},
    ],
    "edges": [
        {"pred": "5", "succ": "7", "arg": 0, "source": "creator", "flags": ["wait", "retain"]},
        {"pred": "7", "succ": "8", "arg": -1, "source": "explicit", "flags": ["wait"]},
        {"pred": "8", "succ": "9"},
        {"pred": "8", "succ": "9"},
    ],
}
NAMES = {"callable_id_to_name": {"1": "QK", "2": 'S"F\\ µ'}}


@pytest.mark.parametrize("level", [1, 2, 3, 4])
def test_a_run_comes_back_at_every_level(tmp_path: Path, level: int) -> None:
    content = {**FULL, "chip_swimlane_level": level}
    if level == 1:
        content["aicpu_tasks"] = []
    if level < 3:
        del content["aicpu_scheduler_phases"]
    else:
        content["metadata"] = {**content["metadata"], "core_to_thread": [0, 1, -1]}
    if level < 4:
        del content["aicpu_orchestrator_phases"]
    trace = read(tmp_path / "in", records=content, deps=GRAPH, name_map_x=NAMES)
    assert_same(back(trace, tmp_path / "out"), trace)


@pytest.mark.parametrize("phases", [False, True])
@pytest.mark.parametrize(("level", "version"), [(1, 0), (2, 1), (3, 2), (4, 2)])
def test_the_version_follows_the_level_and_the_phases(
    tmp_path: Path, level: int, version: int, phases: bool
) -> None:
    content = records(level, aicore_tasks=[[0, 7, 1, 100, 200, 3]])
    if phases and level >= 3:
        content["aicpu_scheduler_phases"] = [[phase("dispatch", 90, 95)]]
    elif level >= 3:
        version = 1
    trace = read(tmp_path / "in", records=content)
    assert ("has no scheduler phases" in " ".join(trace.meta.notes)) == (version == 1 < level - 1)
    assert write_run(trace, tmp_path / "records.json").files == ("records.json",)
    written = json.loads((tmp_path / "records.json").read_text())
    assert (written["chip_swimlane_level"], written["version"]) == (level, version)


def test_a_file_that_ends_in_gz_is_the_same_file_packed(tmp_path: Path) -> None:
    trace = read(tmp_path / "in", records=FULL)
    write_run(trace, tmp_path / "records.json")
    write_run(trace, tmp_path / "records.json.gz")
    packed = (tmp_path / "records.json.gz").read_bytes()
    assert gzip.decompress(packed) == (tmp_path / "records.json").read_bytes()


def test_records_without_a_partner_come_back(tmp_path: Path) -> None:
    content = records(
        aicore_tasks=[[0, 10, 1, 140, 150], [0, 11, 2, 160, 170]],
        aicpu_tasks=[[0, 1, 100, 200], [0, 3, 300, 400]],
    )
    trace = read(tmp_path / "in", records=content)
    again = back(trace, tmp_path / "out")
    assert_same(again, trace)
    assert again.meta.ledger == trace.meta.ledger


def test_a_run_whose_counter_begins_at_0_has_no_stamp_of_0(tmp_path: Path) -> None:
    """A reader takes a stamp of 0 for none: the first submit of a simulated run would be lost."""
    trace = simulated(build_workload("chain", {"tasks": "3"}), load_chip("a2a3"))
    assert (trace.meta.base_cycles, trace.phases["start_cycles"].min()) == (0, 0)
    again = back(trace, tmp_path / "out")
    stamps = re.findall(r'_cycles":(\d+)', (tmp_path / "out" / RECORDS).read_text())
    assert min(map(int, stamps)) == again.meta.base_cycles == 1
    for name, columns in (("tasks", ("dispatch", "start", "finish")), ("phases", ("start", "end"))):
        ns = [f"{column}_ns" for column in columns]
        assert sorted(rows(again, name, *ns)) == sorted(rows(trace, name, *ns))


def test_five_columns_come_back_as_five(tmp_path: Path) -> None:
    trace = read(tmp_path / "in", records=records(1, aicore_tasks=[[0, 7, 1, 100, 200]]))
    again = back(trace, tmp_path / "out")
    assert rows(again, "tasks", "receive_ns", "start_ns") == [(None, 0)]


def test_a_file_in_microseconds_comes_back_in_nanoseconds(tmp_path: Path) -> None:
    content = {
        "version": 4,
        "core_to_thread": [0, 1],
        "tasks": [
            task_us(0, 0, 1.5, 2.25, dispatch_time_us=0.0, finish_time_us=3.0, func_id=2),
            task_us(1, 1, 4, 5.001, dispatch_time_us=3.5, finish_time_us=6.0, fanout=[]),
        ],
        "aicpu_scheduler_phases": [[phase_us("complete", 0.1, 0.2, loop_iter=1)]],
        "aicpu_orchestrator_phases": [[], [phase_us("orch_sync", 0.25, 0.5, task_id=1)]],
    }
    content["tasks"][0]["fanout"] = [1]
    trace = read(tmp_path / "in", records=content)
    again = back(trace, tmp_path / "out")
    for name in TABLES:
        assert table(again, name, but=NO_CYCLES) == table(trace, name, but=NO_CYCLES)
    assert again.meta.clock_hz == 1_000_000_000


def anchor(position: str, host: int, cycles: int) -> dict[str, Any]:
    return {
        "position": position,
        "host_before_ns": host - 20,
        "host_after_ns": host + 20,
        "device_cycles": cycles,
    }


def test_a_host_orchestrated_run_comes_back(tmp_path: Path) -> None:
    content = records(
        4,
        aicore_tasks=[[0, 7, 1, 5_000_100, 5_000_200, 2]],
        aicpu_tasks=[[0, 1, 5_000_090, 5_000_210]],
        aicpu_scheduler_phases=[[phase("dispatch", 5_000_080, 5_000_095)]],
        host_orchestrator_phases=[
            [],
            [{"submit_idx": 3, "task_id": 7, "start_host_ns": 777_003, "end_host_ns": 777_501}],
        ],
        host_device_uploads=[
            {"phase": "sm_h2d", "start_host_ns": 779_001, "end_host_ns": 779_005, "detail": 64}
        ],
    )
    content["metadata"]["clock_anchors"] = {
        "samples": [
            anchor("pre_host_orchestration", 700_000, 4_996_000),
            anchor("post_device_execution", 1_700_030, 5_046_000),
        ]
    }
    content["metadata"]["host_capture"] = {"status": "complete", "expected_records": 1}
    setup = {"phase": "gm_heap", "start_ns": 750_001, "end_ns": 750_009, "detail": 5, "tid": 44}
    host = lines({"clock": "host_monotonic_ns", "dropped": 0, "records": [setup]})
    trace = read(tmp_path / "in", records=content, host_phase_records=host)
    assert trace.meta.host_clock is not None and trace.meta.host_clock.drift_ppb == 30_000
    again = back(trace, tmp_path / "out")
    assert_same(again, trace)
    assert again.meta.base_shift_ns == trace.meta.base_shift_ns


def test_an_export_replaces_an_older_export(tmp_path: Path) -> None:
    trace = read(tmp_path / "in", records=FULL, deps=GRAPH)
    first = write_run(trace, tmp_path / "out")
    assert write_run(trace, tmp_path / "out") == first
    names = ("chip_swimlane_records.json", "deps.json", "name_map_out.json")
    assert first.files == names


def test_an_export_never_replaces_the_files_of_a_run(tmp_path: Path) -> None:
    folder = write(tmp_path / "run", chip_swimlane_records=FULL, deps=GRAPH)
    before = {p.name: p.read_bytes() for p in folder.iterdir()}
    [trace] = import_paths([folder])
    with pytest.raises(UsageError) as caught:
        write_run(trace, folder)
    assert str(caught.value) == (
        f"{folder} exists and is no exported run; choose another place with -o"
    )
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == before


def test_an_export_beside_other_files_is_left_alone(tmp_path: Path) -> None:
    trace = read(tmp_path / "in", records=FULL)
    write_run(trace, tmp_path / "out")
    (tmp_path / "out" / "thesis.txt").write_text("x")
    with pytest.raises(UsageError, match="is no exported run"):
        write_run(trace, tmp_path / "out")


def test_a_trace_without_times_is_refused(tmp_path: Path) -> None:
    trace = read(tmp_path / "in", deps=GRAPH)
    with pytest.raises(UsageError, match=r"in has no task times \(level 0\)"):
        write_run(trace, tmp_path / "out")


@pytest.mark.skipif(not DATA.is_dir(), reason="needs ../shared/data")
def test_every_real_run_comes_back(tmp_path: Path) -> None:
    traces = [trace for trace in import_paths([DATA]) if trace.meta.level]
    assert len(traces) > 40
    for number, trace in enumerate(traces):
        again = back(trace, tmp_path / str(number))
        if trace.meta.clock_hz is not None:
            assert_same(again, without_ambiguity(trace))
        else:
            assert_same_in_microseconds(again, trace)


def assert_same_in_microseconds(again: Trace, trace: Trace) -> None:
    """The export counts from the first moment, and numbers the cores without a gap."""
    for name in ("edges", "functions"):
        assert table(again, name) == table(trace, name)
    times = {c.name for c in SCHEMA["tasks"].columns if c.name.endswith("_ns")}
    times |= {"start_ns", "end_ns"}
    for name in ("tasks", "phases"):
        but = NO_CYCLES | times
        assert table(again, name, but=but) == table(trace, name, but=but)
        columns = [c.name for c in SCHEMA[name].columns if c.name in times]
        before, after = rows(trace, name, *columns), rows(again, name, *columns)
        shift = {
            b - a
            for old, new in zip(before, after, strict=True)
            for b, a in zip(old, new, strict=True)
            if (b, a) != (None, None)
        }
        assert len(shift) <= 1


def test_streams_of_schedulers_come_back_with_the_worker_and_core_of_each(tmp_path: Path) -> None:
    streams = [
        stream(
            0,
            record("dispatch", 80, 95, 0),
            record("dispatch", 1080, 1095, 5),
            worker_id=2,
            core_type="aiv",
            physical_core_id=19,
            producer="aicore",
        ),
        stream(
            2,
            record("complete", 205, 215, 0, task_id=7),
            worker_id=1,
            core_type="aic",
            physical_core_id=4,
            producer="aicore",
        ),
    ]
    tasks = {**today()["scheduler_tasks"], "producer": "aicore"}
    content = today(scheduler_records={"streams": streams}, scheduler_tasks=tasks)
    trace = read(tmp_path / "given", chip_swimlane_records=content)
    write_run(trace, tmp_path / "records.json")
    written = json.loads((tmp_path / "records.json").read_text())
    assert written["scheduler_records"]["streams"] == streams


@pytest.mark.parametrize("level", [1, 2, 3, 4])
def test_every_level_has_its_sections(level: int, tmp_path: Path) -> None:
    """In the words of today's runtime, and of the one before it."""
    sections = {
        "aicpu_scheduler_phases": [[phase("dispatch", 80, 95)]],
        "aicpu_orchestrator_phases": [
            [{"submit_idx": 0, "task_id": 7, "start_cycles": 50, "end_cycles": 60}]
        ],
    }
    given = records(
        level,
        aicore_tasks=[[0, 7, 1, 100, 200, 3]],
        **({"aicpu_tasks": [[0, 1, 90, 215]]} if level >= 2 else {}),
        **dict(list(sections.items())[: max(level - 2, 0)]),
    )
    trace = read(tmp_path / "given", chip_swimlane_records=given)
    keys = {}
    for generation in ("G8", None):
        write_run(trace, tmp_path / "out.json", *([generation] if generation else []))
        file = json.loads((tmp_path / "out.json").read_text())
        keys[generation] = set(file) - {"chip_swimlane_level", "version", "metadata"}
        if generation:
            assert ("core_to_thread" in file["metadata"]) == (level >= 3)
    assert keys["G8"] == {"aicore_tasks", "aicpu_tasks", *list(sections)[: max(level - 2, 0)]}
    names = ["aicore_tasks", "scheduler_tasks", "scheduler_records", "aicpu_orchestrator_phases"]
    assert keys[None] == set(names[:level])
