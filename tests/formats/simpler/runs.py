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


def stream(number: int, *records: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A scheduler's stream of September 2026; every record has its metrics."""
    return {
        "platform": "a2a3",
        "producer": "aicpu",
        "scheduler_id": number,
        "worker_id": number,
        "core_type": "aicpu",
        "physical_core_id": None,
        "capture": {"committed": len(records), "dropped": 0, "truncated": False},
        "records": list(records),
        "metrics": [
            {"record_index": k, "shared_at_start": [1, 2, 3], "shared_at_end": [3, 2, 1]}
            for k in range(len(records))
        ],
        **more,
    }


def record(kind: str, start: int, end: int, epoch: int, **more: Any) -> dict[str, Any]:
    """A record of such a stream."""
    return {
        "start_cycles": start,
        "end_cycles": end,
        "run_epoch": epoch,
        "loop_iter": 1,
        "kind": kind,
        "tasks_processed": 1,
        "task_id": None,
        **more,
    }


def _cycles(start: int, end: int) -> dict[str, int]:
    return {"start_cycles": start, "end_cycles": end}


def today(level: int = 4, *, runtime: str = "tensormap_and_ringbuffer", **sections: Any) -> Any:
    """A records file of September 2026: two runs, 0 and 5, of two tasks each."""
    return {
        "chip_swimlane_level": level,
        "metadata": {
            "runtime": runtime,
            "clock_freq_hz": CLOCK_HZ,
            "num_cores": 3,
            "core_types": ["aic", "aiv", "aiv"],
            "core_to_thread": [0, 2, 2],
        },
        "aicore_tasks": [
            [0, 7, 0, 100, 200, 3, 0],
            [1, (1 << 32) + 8, 0, 250, 300, 4, 0],
            [0, 7, 0, 1100, 1200, 3, 5],
            [1, (1 << 32) + 8, 0, 1250, 1320, 4, 5],
        ],
        "scheduler_tasks": {
            "producer": "aicpu",
            "records": [
                [0, 0, 90, 210, 0],
                [1, 0, 240, 310, 0],
                [0, 0, 1090, 1210, 5],
                [1, 0, 1240, 1330, 5],
            ],
        },
        "scheduler_records": {
            "streams": [
                stream(0, record("dispatch", 80, 95, 0), record("dispatch", 1080, 1095, 5)),
                stream(2, record("complete", 205, 215, 0, task_id=7)),
            ]
        },
        "aicpu_orchestrator_phases": [
            [
                {
                    "submit_idx": 0,
                    "task_id": 7,
                    "start_cycles": 50,
                    "end_cycles": 60,
                    "run_epoch": 0,
                },
                {
                    "submit_idx": 0,
                    "task_id": 7,
                    "start_cycles": 1050,
                    "end_cycles": 1060,
                    "run_epoch": 5,
                },
            ]
        ],
        **sections,
    }


def hosted_today(**sections: Any) -> dict[str, Any]:
    """One run of a chip that schedules on a core, with lifecycle and the host's phases."""
    content = today(
        3,
        runtime="host_build_graph",
        aicore_tasks=[[0, 1 << 62 | 3 << 32 | 1, 0, 100, 200, 3, 9], [1, 4, 0, 250, 300, 4, 9]],
        scheduler_tasks={
            "producer": "aicore",
            "records": [[0, 0, 90, 210, 9], [1, 0, 240, 310, 9]],
        },
        scheduler_records={
            "streams": [
                stream(
                    3,
                    record("bootstrap", 20, 30, 9),
                    record("state_probe", 31, 33, 9, task_id=4),
                    record("idle", 40, 80, 9),
                    producer="aicore",
                    worker_id=2,
                    core_type="aiv",
                    physical_core_id=19,
                    platform="a5",
                )
            ]
        },
        host_orchestrator_phases=[
            [{"submit_idx": 0, "task_id": 4, "start_host_ns": 5000, "end_host_ns": 5100}]
        ],
        host_device_uploads=[
            {"phase": "arena_h2d", "start_host_ns": 5200, "end_host_ns": 5300, "detail": 64}
        ],
        aicpu_lifecycle_records=[
            {
                "aicpu_thread_id": 0,
                "handshake_start_cycles": 5,
                "handshake_complete_cycles": 9,
                "config_start_cycles": 0,
                "topology_complete_cycles": 0,
                "exit_wait_start_cycles": 320,
                "exit_wait_end_cycles": 330,
            }
        ],
    )
    content |= sections
    del content["aicpu_orchestrator_phases"]
    content["metadata"] |= {
        "clock_freq_hz": 1_000_000_000,
        "orchestrator_source": "host",
        "host_orchestration_origin_ns": 5000,
        "host_capture": {"status": "complete", "expected_records": 1, "recorded_records": 1},
        "host_clock_domain_id": "linux-boot-id:1",
    }
    return content


def host_log(pid: int = 41, *, first: int = 10_000, epoch: int = 9) -> str:
    """A host log whose one run fits `hosted_today`: the device worked for 400 ns."""
    head = f"[STRACE] v=1 pid={pid} tid={pid} inv=1 hid=5ca1ab1e"
    ids = f"run_id=6 dispatch_id=40 run_epoch={epoch} slot_id=1 generation=2"
    wall = "dev_id=0 dev_start_cycle=1 dev_end_cycle=401 dev_cnt_hz=1000000000"
    return (
        f"{head} depth=2 name=chip.run.runner_run.device_wall ts=0 dur=400 clk=dev {wall}\n"
        "some other line\n"
        f"{head} depth=1 name=chip.run.runner_run ts={first} dur=1000\n"
        f"{head} depth=0 name=chip.run ts={first - 500} dur=3000 {ids}\n"
    )


IDENTITY = {
    "schema_version": 1,
    "run_id": 6,
    "task_slot": 0,
    "group_index": 0,
    "group_size": 2,
    "host_pid": 41,
    "chip_rank": 0,
    "local_capture_index": 0,
    "endpoint_dispatch_id": 40,
    "pipeline_slot": 1,
    "pipeline_generation": 2,
    "callable_digest": "ab" * 32,
}
