"""An exported records file against the shape the runtime's own reader expects, key by key.

The shape is that of the newest generation (chip_swimlane_level, August 2026): which keys each
level has, what a row is, which values are allowed.
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

COMMON = {"chip_swimlane_level", "version", "metadata", "aicore_tasks", "aicpu_tasks"}
SCHEDULER = {"kind", "start_cycles", "end_cycles", "loop_iter", "tasks_processed"}
DEPTHS = {"shared_at_start", "shared_at_end"}
OPTIONAL = {"pop_hit", "pop_miss", "task_id"}
SUBMIT = {"submit_idx", "task_id", "start_cycles", "end_cycles"}
HOST_SUBMIT = {"submit_idx", "task_id", "start_host_ns", "end_host_ns"}


def expected_keys(level: int, *, hosted: bool) -> set[str]:
    keys = set(COMMON)
    if level >= 3:
        keys |= {"aicpu_scheduler_phases"}
        keys |= {"host_orchestrator_phases", "host_device_uploads"} if hosted else set()
    if level >= 4 and not hosted:
        keys |= {"aicpu_orchestrator_phases"}
    return keys


def check_metadata(file: dict[str, Any]) -> None:
    metadata = file["metadata"]
    assert metadata["num_cores"] == len(metadata["core_types"])
    assert set(metadata["core_types"]) <= {"aic", "aiv"}
    assert ("core_to_thread" in metadata) == (file["chip_swimlane_level"] >= 3)


def check_rows(file: dict[str, Any]) -> None:
    for row in file["aicore_tasks"]:
        assert len(row) == 6 and all(isinstance(cell, int) and cell >= 0 for cell in row)
    for row in file["aicpu_tasks"]:
        assert len(row) == 4 and all(isinstance(cell, int) and cell >= 0 for cell in row)
    for thread in file.get("aicpu_scheduler_phases", []):
        for phase in thread:
            assert SCHEDULER | DEPTHS <= phase.keys() <= SCHEDULER | DEPTHS | OPTIONAL
            assert all(len(phase[key]) == 3 for key in DEPTHS)
    for lane in file.get("aicpu_orchestrator_phases", []):
        assert all(phase.keys() == SUBMIT for phase in lane)
    for lane in file.get("host_orchestrator_phases", []):
        assert all(phase.keys() == HOST_SUBMIT for phase in lane)


@pytest.mark.parametrize("run", RUNS, ids=lambda run: "-".join(run.parts[-3:]))
def test_the_written_file_has_the_shape_of_the_newest_generation(run: Path, tmp_path: Path) -> None:
    (trace,) = import_paths([run])
    write_run(trace, tmp_path / "records.json")
    file = json.loads((tmp_path / "records.json").read_text())
    level = file["chip_swimlane_level"]
    assert (level, file["version"]) == (trace.meta.level, {1: 0, 2: 1, 3: 2, 4: 2}[level])
    assert file.keys() == expected_keys(level, hosted=trace.meta.host_clock is not None)
    check_metadata(file)
    check_rows(file)
    source = json.loads((run / "chip_swimlane_records.json").read_text())
    for key in ("aicore_tasks", "aicpu_tasks"):
        assert sorted(file[key]) == sorted(source[key])
