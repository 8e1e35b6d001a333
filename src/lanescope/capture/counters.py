"""Rows of the counters table: hardware counters of tasks, from the records of the pmu lanes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lanescope.capture.gather import Gathered
from lanescope.capture.tasks import side
from lanescope.device.head import Array, Head
from lanescope.trace.join import places
from lanescope.trace.schema import MISSING
from lanescope.trace.tables import TOTAL_CYCLES
from lanescope.trace.task_rows import TaskRows
from lanescope.trace.trace import Trace, Words

Columns = dict[str, Array]


def counter_columns(
    gathered: Gathered, head: Head, rows: TaskRows, *, names: list[str], words: Words
) -> tuple[Columns, TaskRows]:
    """Return one row per value, counter by counter, and the task rows with their samples counted.

    A sample whose key no task row has keeps its values, without a token.
    """
    samples = side(gathered, head, "pmu")
    count = len(samples.rows)
    core, has_row = samples.key.core, places(rows.key, samples.key) >= 0
    per_core = np.bincount(core[has_row], minlength=int(head.header["core_count"]))
    counted = replace(rows, whole={**rows.whole, "pmu": per_core})
    if not count:
        return {}, counted
    slots = [slot for slot, name in enumerate(names) if name]
    values = [samples.rows["total_cycles"], *(samples.rows["counters"][:, n] for n in slots)]
    columns = {
        "name": np.repeat(words.codes([TOTAL_CYCLES, *(names[slot] for slot in slots)]), count),
        "value": np.concatenate([value.astype(np.float64) for value in values]),
        "task": np.tile(samples.rows["task"].astype(np.int64), len(values)),
        "core": np.tile(core.astype(np.int32), len(values)),
        "token": np.tile(np.where(has_row, samples.key.token, MISSING), len(values)),
    }
    return columns, counted


def counter_names(plan: Trace | None, counters: int) -> list[str]:
    """Return the name of each counter from the plan, or `counter_0`, `counter_1`, … without one."""
    recording = plan.meta.recording if plan is not None else None
    if recording is not None and recording.pmu_counters:
        return list(recording.pmu_counters)
    return [f"counter_{slot}" for slot in range(counters)]
