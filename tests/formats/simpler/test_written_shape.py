"""An exported records file against the shape the runtime's own reader expects, key by key.

The shape is that of September 2026 (run epochs, streams by scheduler id): which keys each level
has, what a row is, which values are allowed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lanescope.formats import import_paths
from lanescope.formats.simpler.write import write_run

ROOT = Path(__file__).parents[3]
SHARED = ROOT / "../shared/data/chip-swimlane"
RUNS = [ROOT / "examples" / "small_run"]
RUNS += sorted(p.parent for p in SHARED.glob("a*/*/*/chip_swimlane_records.json"))

RECORD = ["start_cycles", "end_cycles", "run_epoch", "loop_iter", "kind", "tasks_processed"]
RECORD += ["task_id"]
"""The keys of a stream's record: one more or less, and the runtime's reader refuses the file."""
STREAM = {"platform", "producer", "scheduler_id", "worker_id", "core_type", "physical_core_id"}
STREAM |= {"capture", "records", "metrics"}
DEPTHS = {"shared_at_start", "shared_at_end"}
SUBMIT = {"submit_idx", "task_id", "start_cycles", "end_cycles", "run_epoch"}
HOST_SUBMIT = {"submit_idx", "task_id", "start_host_ns", "end_host_ns"}
RUNTIMES = {"host_build_graph", "tensormap_and_ringbuffer"}


def expected_keys(level: int, *, hosted: bool) -> set[str]:
    keys = {"chip_swimlane_level", "version", "metadata", "aicore_tasks"}
    keys |= {"scheduler_tasks"} if level >= 2 else set()
    if level >= 3:
        keys |= {"scheduler_records"}
        keys |= {"host_orchestrator_phases", "host_device_uploads"} if hosted else set()
    if level >= 4 and not hosted:
        keys |= {"aicpu_orchestrator_phases"}
    return keys


def check_metadata(file: dict[str, Any]) -> None:
    metadata = file["metadata"]
    assert metadata["runtime"] in RUNTIMES
    assert metadata["num_cores"] == len(metadata["core_types"])
    assert set(metadata["core_types"]) <= {"aic", "aiv"}
    assert ("core_to_thread" in metadata) == (file["chip_swimlane_level"] >= 3)


def check_rows(file: dict[str, Any]) -> None:
    for row in file["aicore_tasks"]:
        assert len(row) == 7 and all(isinstance(cell, int) and cell >= 0 for cell in row)
        _, _, _, start, end, setup, _ = row
        assert 0 < start <= end and 0 <= setup < start
    tasks = file.get("scheduler_tasks", {"producer": "aicpu", "records": []})
    assert list(tasks) == ["producer", "records"] and tasks["producer"] in ("aicpu", "aicore")
    for row in tasks["records"]:
        assert len(row) == 5 and 0 < row[2] <= row[3]
    keys = {(row[6], row[0], row[2]) for row in file["aicore_tasks"]}
    assert len(keys) == len(file["aicore_tasks"])
    if tasks["records"]:
        assert keys == {(row[4], row[0], row[1]) for row in tasks["records"]}


def check_streams(file: dict[str, Any]) -> None:
    ids = []
    for stream in file.get("scheduler_records", {"streams": []})["streams"]:
        assert stream.keys() == STREAM
        ids.append(stream["scheduler_id"])
        assert stream["capture"]["committed"] == len(stream["records"])
        for record in stream["records"]:
            assert list(record) == RECORD
            assert 0 < record["start_cycles"] <= record["end_cycles"]
            assert all(isinstance(record[key], int) for key in ("loop_iter", "tasks_processed"))
        for metric in stream["metrics"]:
            assert 0 <= metric["record_index"] < len(stream["records"])
            assert all(len(metric[key]) == 3 for key in DEPTHS)
            assert not metric.keys() & set(RECORD)
    assert len(set(ids)) == len(ids) and all(0 <= one < 256 for one in ids)
    for lane in file.get("aicpu_orchestrator_phases", []):
        assert all(phase.keys() == SUBMIT for phase in lane)
    for lane in file.get("host_orchestrator_phases", []):
        assert all(phase.keys() == HOST_SUBMIT for phase in lane)


@pytest.mark.parametrize("run", RUNS, ids=lambda run: "-".join(run.parts[-3:]))
def test_the_written_file_has_the_shape_of_today(run: Path, tmp_path: Path) -> None:
    (trace,) = import_paths([run])
    write_run(trace, tmp_path / "records.json")
    file = json.loads((tmp_path / "records.json").read_text())
    level = file["chip_swimlane_level"]
    assert (level, file["version"]) == (trace.meta.level, {1: 0, 2: 1, 3: 2, 4: 2}[level])
    assert file.keys() == expected_keys(level, hosted=trace.meta.host_clock is not None)
    check_metadata(file)
    check_rows(file)
    check_streams(file)
    source = json.loads((run / "chip_swimlane_records.json").read_text())
    rows = sorted(row[:6] for row in file["aicore_tasks"])
    assert rows == sorted(source["aicore_tasks"])
    tasks = file.get("scheduler_tasks", {"records": []})["records"]
    assert sorted(row[:4] for row in tasks) == sorted(source["aicpu_tasks"] if level > 1 else [])


@pytest.mark.parametrize("run", RUNS, ids=lambda run: "-".join(run.parts[-3:]))
def test_the_older_shape_has_the_rows_of_the_source(run: Path, tmp_path: Path) -> None:
    (trace,) = import_paths([run])
    write_run(trace, tmp_path / "records.json", "G8")
    file = json.loads((tmp_path / "records.json").read_text())
    source = json.loads((run / "chip_swimlane_records.json").read_text())
    for key in ("aicore_tasks", "aicpu_tasks"):
        assert sorted(file[key]) == sorted(source[key])
    assert file.keys() - {"version"} == source.keys() | ({"aicpu_tasks"} & file.keys())


@pytest.mark.parametrize("generation", ["G6", "G7", "G9"])
def test_other_generations_come_back(generation: str, tmp_path: Path) -> None:
    (trace,) = import_paths([RUNS[0]])
    write_run(trace, tmp_path / "run", generation)
    (again,) = import_paths([tmp_path / "run"])
    assert again.meta.extra["generation"] == generation
    for name in ("end_cycles", "finish_cycles", "task", "token"):
        assert again.tasks[name].tolist() == trace.tasks[name].tolist()
    assert again.phases["start_cycles"].tolist() == trace.phases["start_cycles"].tolist()
