"""Writes a trace's hardware counters as pmu.csv, in the runtime's own column order."""

from __future__ import annotations

from typing import IO

import numpy as np

from lanescope.formats.simpler.pmu import CORE_TYPES, FIRST, LAST
from lanescope.trace import MISSING, MISSING32, Table, Trace
from lanescope.trace.join import TaskKey, places
from lanescope.trace.numbering import find
from lanescope.trace.table import Array
from lanescope.trace.tables import TOTAL_CYCLES
from lanescope.trace.task_ids import unsigned

UNKNOWN = -1


def pmu_counters(trace: Trace) -> dict[str, Table]:
    """The counters that can be written, by name: those sampled for the same runs as TOTAL_CYCLES.

    Returns {} where there are none, or where their group of events is not known.
    """
    recording = trace.meta.recording
    if recording is None or len(recording.pmu_events) != 1:
        return {}
    table = trace.counters.rows(trace.counters["core"] != MISSING32)
    codes = table["name"]
    named = {trace.word(code): table.rows(codes == code) for code in dict.fromkeys(codes.tolist())}
    total = named.get(TOTAL_CYCLES)
    if total is None:
        return {}
    return {name: rows for name, rows in named.items() if _same_runs(rows, total)}


def _same_runs(rows: Table, total: Table) -> bool:
    return all(np.array_equal(rows[name], total[name]) for name in ("core", "task", "token"))


def write_pmu(
    trace: Trace,
    counters: dict[str, Table],
    file: IO[bytes],
    *,
    epoch: int | None = None,
    titled: bool = True,
) -> None:
    """Write one row per run of a task, in the trace's order.

    `epoch` is the run of the rows, in a last column; `titled` begins with the names of columns.
    """
    runs = counters[TOTAL_CYCLES]
    names = [name for name in counters if name != TOTAL_CYCLES]
    controller, core_type = _cores(trace, runs["core"])
    columns = [
        controller.tolist(),
        runs["core"].tolist(),
        [f"0x{unsigned(task):016x}" for task in runs["task"].tolist()],
        _functions(trace, runs).tolist(),
        core_type.tolist(),
        *(counters[name]["value"].astype(np.int64).tolist() for name in (TOTAL_CYCLES, *names)),
    ]
    assert trace.meta.recording is not None  # pmu_counters() saw to that
    (event,) = trace.meta.recording.pmu_events
    last = f"{event}" if epoch is None else f"{event},{epoch}"
    title = (*FIRST, *names, LAST) if epoch is None else (*FIRST, *names, LAST, "run_epoch")
    if titled:
        file.write(f"{','.join(title)}\n".encode())
    for row in zip(*columns, strict=True):
        file.write(f"{','.join(map(str, row))},{last}\n".encode())


def _cores(trace: Trace, cores: Array) -> tuple[Array, Array]:
    """For each run the controller that serves its core, and the code of the core's kind."""
    at = find(trace.cores["core"], cores)
    serving = np.append(trace.cores["controller"], UNKNOWN)[at]
    codes = {trace.code(kind): number for number, kind in enumerate(CORE_TYPES)}
    kinds = [codes.get(code, UNKNOWN) for code in trace.cores["kind"].tolist()]
    return np.where(serving == MISSING32, UNKNOWN, serving), np.array([*kinds, UNKNOWN])[at]


def _functions(trace: Trace, runs: Table) -> Array:
    """The function of each run, by core and token."""
    tasks = trace.tasks.rows((trace.tasks["core"] != MISSING32) & (trace.tasks["token"] != MISSING))
    at = places(TaskKey.of(tasks), TaskKey.of(runs))
    func = np.append(tasks["func"], np.int32(MISSING32))[at]
    return np.where((func == MISSING32) | (runs["token"] == MISSING), UNKNOWN, func)
