"""Folders of the runtime built by hand: whole ones, to take something away from."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

from tests.formats.simpler.runs import DEPS, GOOD

from lanescope.checks.check import check
from lanescope.checks.finding import CheckedPath, CheckFinding

RING1 = 1 << 32
RECORDS = "chip_swimlane_records.json"


def records(level: int = 3, rows: int = 3, *, cores: int = 3, **metadata: Any) -> dict[str, Any]:
    """A whole records file of today: `rows` tasks on each core, cores 0 and up served by one
    thread each."""
    kinds = ["aic", "aiv", "aiv", "aiv"][:cores]
    table = [(core, token) for core in range(cores) for token in range(rows)]
    at = {pair: 1000 + 500 * pair[1] + 10 * pair[0] for pair in table}
    file = {
        "chip_swimlane_level": level,
        "metadata": {
            "runtime": "tensormap_and_ringbuffer",
            "clock_freq_hz": 50_000_000,
            "num_cores": cores,
            "core_types": kinds,
            "core_to_thread": list(range(cores)),
            **metadata,
        },
        "aicore_tasks": [
            [core, RING1 + core * rows + token, token, at[core, token], at[core, token] + 100, 3, 5]
            for core, token in table
        ],
    }
    if level >= 2:
        file["scheduler_tasks"] = {
            "producer": "aicpu",
            "records": [[c, t, at[c, t] - 20, at[c, t] + 120, 5] for c, t in table],
        }
    if level >= 3:
        file["scheduler_records"] = {
            "streams": [stream(core, [at[core, t] for t in range(rows)]) for core in range(cores)]
        }
    if level >= 4:
        file["aicpu_orchestrator_phases"] = [
            [
                {
                    "submit_idx": k,
                    "task_id": row[1],
                    "start_cycles": 500 + k,
                    "end_cycles": 501 + k,
                    "run_epoch": 5,
                }
                for k, row in enumerate(file["aicore_tasks"])
            ]
        ]
    return file


def stream(thread: int, starts: list[int], **capture: Any) -> dict[str, Any]:
    """A scheduler with a dispatch phase around every dispatch."""
    rows = [
        {
            "start_cycles": start - 25,
            "end_cycles": start - 15,
            "run_epoch": 5,
            "loop_iter": k,
            "kind": "dispatch",
            "tasks_processed": 1,
            "task_id": None,
        }
        for k, start in enumerate(starts)
    ]
    return {
        "platform": "a2a3",
        "producer": "aicpu",
        "scheduler_id": thread,
        "worker_id": thread,
        "core_type": "aicpu",
        "physical_core_id": None,
        "capture": {"committed": len(rows), "dropped": 0, "truncated": False, **capture},
        "records": rows,
        "metrics": [],
    }


def old_records() -> dict[str, Any]:
    """A whole file of generation 8, whose schedulers are lists by place."""
    return deepcopy(GOOD)


def deps(*edges: tuple[int, int]) -> dict[str, Any]:
    """A dependency file with these edges."""
    return {
        **DEPS,
        "tasks": [],
        "edges": [
            {"pred": str(a), "succ": str(b), "arg": 0, "source": "creator", "flags": ["wait"]}
            for a, b in edges
        ],
    }


def identity(rank: int = 0, *, size: int = 2, digest: str = "a", pid: int = 41) -> dict[str, Any]:
    """The identity of one rank's part of dispatch 7:3."""
    return {
        "schema_version": 1,
        "run_id": 7,
        "task_slot": 3,
        "group_index": rank,
        "group_size": size,
        "host_pid": pid,
        "chip_rank": rank,
        "local_capture_index": 0,
        "endpoint_dispatch_id": 1,
        "pipeline_slot": 0,
        "pipeline_generation": 1,
        "callable_digest": digest * 64,
    }


def put(folder: Path, **files: Any) -> Path:
    """Write files: `records`, `deps`, `identity` by these names, others by their stem."""
    folder.mkdir(parents=True, exist_ok=True)
    names = {"records": RECORDS, "deps": "deps.json", "identity": "dispatch_identity.json"}
    for stem, content in files.items():
        text = content if isinstance(content, str) else json.dumps(content)
        (folder / names.get(stem, f"{stem}.json")).write_text(text)
    return folder


def bad(checked: CheckedPath) -> list[CheckFinding]:
    """The findings that something is lost, wrong or not known."""
    return [one for one in checked.all_findings if one.is_bad]


def only(folder: Path) -> CheckFinding:
    """The only such finding of a folder."""
    [finding] = bad(check(folder))
    return finding


def lossy(folder: Path) -> Path:
    """The run that docs/check.md shows: a scheduler row, two core rows and the submits are lost,
    and the graph is another run's."""
    file = records(4)
    del file["scheduler_tasks"]["records"][4]
    for row in file["aicore_tasks"][6:8]:
        row[3] = row[4] = row[5] = 0
    del file["aicpu_orchestrator_phases"]
    return put(folder, records=file, deps=deps((1, 2)))
