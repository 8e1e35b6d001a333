"""Small runs built by hand, and a trace's rows as plain tuples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from lanescope.formats import import_paths
from lanescope.trace import SCHEMA, Trace

CLOCK_HZ = 50_000_000
"""20 ns a cycle."""


def records(level: int = 2, *, cores: str = "cvv", **sections: Any) -> dict[str, Any]:
    """A records file of generation 8: `cores` has c for a cube, v for a vector core."""
    types = [{"c": "aic", "v": "aiv"}[letter] for letter in cores]
    return {
        "chip_swimlane_level": level,
        "metadata": {"clock_freq_hz": CLOCK_HZ, "num_cores": len(types), "core_types": types},
        "aicore_tasks": [],
        "aicpu_tasks": [],
        **sections,
    }


def task_us(task: int, core: int, start: float, end: float, **more: Any) -> dict[str, Any]:
    """A task of generations 1 to 5, in µs."""
    return {
        "task_id": task,
        "func_id": 0,
        "core_id": core,
        "core_type": "aiv" if core else "aic",
        "start_time_us": start,
        "end_time_us": end,
        "duration_us": end - start,
        **more,
    }


def phase_us(phase: str, start: float, end: float, **more: Any) -> dict[str, Any]:
    return {"start_time_us": start, "end_time_us": end, "phase": phase, **more}


def phase(kind: str, start: int, end: int, **more: Any) -> dict[str, Any]:
    return {"kind": kind, "start_cycles": start, "end_cycles": end, **more}


def write(folder: Path, **files: Any) -> Path:
    """Files by their stem: text and bytes as they are, anything else as JSON."""
    folder.mkdir(parents=True, exist_ok=True)
    for stem, content in files.items():
        if isinstance(content, str | bytes):
            ending = {"pmu": ".csv"}.get(stem, ".jsonl")
            data = content if isinstance(content, bytes) else content.encode()
            (folder / f"{stem}{ending}").write_bytes(data)
        else:
            (folder / f"{stem}.json").write_text(json.dumps(content))
    return folder


def lines(*values: Any) -> str:
    """A file of JSON lines."""
    return "".join(json.dumps(value) + "\n" for value in values)


def read(folder: Path, *, keep_damaged: bool = False, **files: Any) -> Trace:
    """Write the files, import the folder, expect one trace."""
    [trace] = import_paths([write(folder, **files)], keep_damaged=keep_damaged)
    return trace


def rows(trace: Trace, table: str, *columns: str) -> list[tuple[Any, ...]]:
    """Columns of a table as tuples: None where missing, words as text."""
    picked = []
    for name in columns:
        column = SCHEMA[table].column(name)
        if column.type == "word":
            picked.append([text or None for text in trace.text(table, name)])
        else:
            values = trace.table(table)[name].tolist()
            picked.append([None if value == column.missing else value for value in values])
    return list(zip(*picked, strict=True))


def open_entries(trace: Trace) -> list[Any]:
    """Ledger entries that do not close, or count below zero."""
    return [
        entry
        for entry in trace.meta.ledger
        if not entry.closes or min(entry.delivered, entry.dropped, entry.unmatched) < 0
    ]


RECORDS = "chip_swimlane_records.json"

GOOD = records(
    4,
    aicore_tasks=[[0, 7, 1, 100, 200, 3], [1, 8, 1, 250, 300, 4]],
    aicpu_tasks=[[0, 1, 90, 210], [1, 1, 240, 310]],
    aicpu_scheduler_phases=[[phase("dispatch", 80, 95, loop_iter=1, tasks_processed=1)]],
    aicpu_orchestrator_phases=[
        [{"submit_idx": 0, "task_id": 7, "start_cycles": 50, "end_cycles": 60}]
    ],
)
DEPS = {
    "tasks": [{"task_id": "7", "kernel_ids": [0, -1, -1], "block_num": 1}],
    "tensors": [],
    "edges": [{"pred": "7", "succ": "8", "arg": 0, "source": "creator", "flags": ["wait"]}],
}
PMU = (
    "thread_id,core_id,task_id,func_id,core_type,pmu_total_cycles,busy,event_type\n"
    "0,0,0x0000000000000007,0,0,100,5,2\n"
)
SCOPE = {
    "site": "a.cpp:7",
    "phase": "begin",
    "depth": 0,
    "ring": 0,
    "task_window_start": 0,
    "task_window_end": 1,
    "heap_start": 0,
    "heap_end": 64,
    "dep_pool_start": 1,
    "dep_pool_end": 2,
    "tensormap": 1,
}
SCOPES = ({"version": 6, "total": 1, "task_window_max": [4]}, SCOPE)
HOST = {
    "pid": 1,
    "clock": "host_monotonic_ns",
    "dropped": 0,
    "records": [{"phase": "args", "start_ns": 5, "end_ns": 9, "detail": 0, "tid": 1}],
}
EVENT = {"ph": "X", "pid": 1, "tid": 1, "ts": 1, "dur": 2, "name": "a"}
