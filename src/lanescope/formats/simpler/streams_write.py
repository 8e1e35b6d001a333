"""Schedulers as streams of a records file: since September 2026, each with an id of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from lanescope.formats.simpler.phases_write import cycles
from lanescope.formats.simpler.shapes import RecordsShape, WrittenRun, runtime_of
from lanescope.trace import MISSING, MISSING32, Table, Trace
from lanescope.trace.table import Array
from lanescope.trace.task_ids import unsigned

_PLATFORM = "a2a3"
"""The chip that is named where the trace names none: a reader of the runtime wants one."""


def streams(runs: list[WrittenRun], shape: RecordsShape, producer: str) -> Iterator[dict[str, Any]]:
    """One stream per scheduler with phases, in the order of their ids."""
    numbers: set[int] = set()
    for run in runs:
        phases = run.trace.phases
        mine = phases["lane"] == run.trace.code("scheduler")
        numbers.update(phases["controller"][mine].tolist())
    for number in sorted(numbers):
        yield _stream(runs, shape, producer, number)


def _stream(
    runs: list[WrittenRun], shape: RecordsShape, producer: str, number: int
) -> dict[str, Any]:
    first = runs[0].trace
    records: list[dict[str, Any]] = []
    metrics: list[dict[str, Any]] = []
    for run in runs:
        phases = run.trace.phases
        mine = phases["lane"] == run.trace.code("scheduler")
        rows = np.flatnonzero(mine & (phases["controller"] == number))
        epoch = run.epoch if shape.epochs else None
        metrics += _metrics(phases.rows(rows), len(records))
        records += _records(run.trace, rows, epoch)
    worker, kind, physical = _facts(first, number)
    lost = [e for e in first.meta.ledger if (e.lane, e.kind) == _account(number)]
    head = {"platform": first.meta.chip or _PLATFORM}
    if shape.schema_version:
        head["runtime"] = runtime_of(first)
    return {
        **head,
        "producer": producer,
        "scheduler_id": number,
        "worker_id": number if worker == MISSING32 else worker,
        "core_type": kind or "aicpu",
        "physical_core_id": None if physical == MISSING32 else physical,
        "capture": {
            "committed": len(records),
            "dropped": sum(entry.dropped for entry in lost),
            "truncated": any("cut off" in entry.reason for entry in lost),
        },
        "records": records,
        "metrics": metrics,
    }


def _account(number: int) -> tuple[str, str]:
    return f"scheduler {number}", "scheduler_phase"


def _facts(trace: Trace, number: int) -> tuple[int, str, int]:
    """Worker, kind and physical core of a scheduler; MISSING32 where the trace does not say."""
    table = trace.controllers
    mine = (table["lane"] == trace.code("scheduler")) & (table["controller"] == number)
    rows = np.flatnonzero(mine)
    if not len(rows):
        return MISSING32, "", MISSING32
    row = int(rows[0])
    kind = trace.word(int(table["kind"][row]))
    return int(table["worker"][row]), kind, int(table["physical_core"][row])


def _records(trace: Trace, rows: Array, epoch: int | None) -> list[dict[str, Any]]:
    part = trace.phases.rows(rows)
    start, end = (cycles(trace, trace.phases, side)[rows].tolist() for side in ("start", "end"))
    kinds = trace.phases.words_of(part["kind"])
    columns = (part[name].tolist() for name in ("loop", "tasks", "task"))
    records = []
    for a, b, kind, loop, tasks, task in zip(start, end, kinds, *columns, strict=True):
        record: dict[str, Any] = {"start_cycles": max(a, 0), "end_cycles": max(b, 0)}
        if epoch is not None:
            record["run_epoch"] = epoch
        record |= {
            "loop_iter": None if loop == MISSING else loop,
            "kind": kind,
            "tasks_processed": None if tasks == MISSING32 else tasks,
            "task_id": None if task == MISSING else unsigned(task),
        }
        records.append(record)
    return records


def _metrics(part: Table, before: int) -> list[dict[str, Any]]:
    """Rows of metrics; `before` records of the stream stand before these."""
    depths = {
        f"shared_at_{side}": np.stack([part[f"queue{q}_{side}"] for q in range(3)], axis=1).tolist()
        for side in ("start", "end")
    }
    pops = {name: part[name].tolist() for name in ("pop_hit", "pop_miss")}
    metrics = []
    for row in range(len(part)):
        metric: dict[str, Any] = {"record_index": before + row}
        metric |= {name: pops[name][row] for name in pops if pops[name][row] != MISSING32}
        metric |= {key: some[row] for key, some in depths.items() if MISSING32 not in some[row]}
        if len(metric) > 1:
            metrics.append(metric)
    return metrics
