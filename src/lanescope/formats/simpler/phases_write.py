"""Phases of controllers as the rows of a records file: lists by position, one per thread."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np

from lanescope.formats.simpler.shapes import WrittenRun
from lanescope.trace import MISSING, MISSING32, Table, Trace
from lanescope.trace.table import Array
from lanescope.trace.task_ids import unsigned

_CHUNK = 1 << 16
_SCHEDULER = {
    "loop": "loop_iter",
    "tasks": "tasks_processed",
    "pop_hit": "pop_hit",
    "pop_miss": "pop_miss",
    "task": "task_id",
}
_ORCHESTRATOR = {"submit": "submit_idx", "task": "task_id"}


def cycles(trace: Trace, table: Table, name: str) -> Array:
    """The recorded cycles; without a device clock, ns from 0 plus 1, or from an earlier moment."""
    if trace.meta.clock_hz is not None:
        return table[f"{name}_cycles"]
    ns = table[f"{name}_ns"]
    return np.where(ns == MISSING, MISSING, ns + 1 - min(0, _first_ns(trace)))


def _first_ns(trace: Trace) -> int:
    columns = [trace.tasks[f"{n}_ns"] for n in ("dispatch", "receive", "start")]
    columns.append(trace.phases["start_ns"])
    lows = [int(c[c != MISSING].min()) for c in columns if (c != MISSING).any()]
    return min(lows, default=0)


def scheduler_lanes(trace: Trace) -> Iterator[Iterator[str]]:
    """One list per scheduler thread, also for those without phases."""
    phases = trace.phases
    mine = phases["lane"] == trace.code("scheduler")
    threads = int(phases["controller"][mine].max(initial=-1)) + 1
    for thread in range(threads):
        rows = np.flatnonzero(mine & (phases["controller"] == thread))
        yield _phase_rows(trace, rows, _SCHEDULER, None)


def orchestrator_lanes(runs: list[WrittenRun], *, epochs: bool) -> Iterator[Iterator[str]]:
    """One list per orchestrator, over all runs."""
    count = max(int(_controllers(run.trace).max(initial=-1)) + 1 for run in runs)
    for lane in range(count):
        yield _of_lane(runs, lane, epochs=epochs)


def _of_lane(runs: list[WrittenRun], lane: int, *, epochs: bool) -> Iterator[str]:
    for run in runs:
        phases = run.trace.phases
        mine = phases["lane"] == run.trace.code("orchestrator")
        rows = np.flatnonzero(mine & (phases["controller"] == lane))
        yield from _phase_rows(run.trace, rows, _ORCHESTRATOR, run.epoch if epochs else None)


def _controllers(trace: Trace) -> Array:
    mine: Array = trace.phases["controller"][trace.phases["lane"] == trace.code("orchestrator")]
    return mine


def _phase_rows(
    trace: Trace, rows: Array, keys: dict[str, str], epoch: int | None
) -> Iterator[str]:
    phases = trace.phases
    start, end = cycles(trace, phases, "start"), cycles(trace, phases, "end")
    for first in range(0, len(rows), _CHUNK):
        some = rows[first : first + _CHUNK]
        part = phases.rows(some)
        records = []
        for k, (a, b) in enumerate(zip(start[some].tolist(), end[some].tolist(), strict=True)):
            record: dict[str, Any] = {}
            kind = trace.word(int(part["kind"][k]))
            if keys is _SCHEDULER or kind != "submit":
                record["kind"] = kind
            record |= {"start_cycles": max(a, 0), "end_cycles": max(b, 0)}
            for column, key in keys.items():
                value = int(part[column][k])
                if value not in (MISSING, MISSING32):
                    record[key] = unsigned(value) if column == "task" else value
            for side in ("start", "end") if keys is _SCHEDULER else ():
                depths = [int(part[f"queue{q}_{side}"][k]) for q in range(3)]
                if MISSING32 not in depths:
                    record[f"shared_at_{side}"] = depths
            if epoch is not None:
                record["run_epoch"] = epoch
            records.append(msgspec.json.encode(record).decode())
        yield ",\n".join(records)
