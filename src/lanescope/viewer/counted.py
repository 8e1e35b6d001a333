"""Hardware counters that were sampled for a task, as columns over the task table."""

from __future__ import annotations

import numpy as np

from lanescope.trace import MISSING, MISSING32, Trace
from lanescope.trace.table import Array

PREFIX = "counter "


def task_counters(trace: Trace) -> dict[str, Array]:
    """One column per counter, rounded to whole numbers; of a row's samples the last one counts.

    A sample belongs to the row of its core and token, or of its core and task where it has no
    token.
    """
    samples = trace.counters.rows(
        (trace.counters["task"] != MISSING)
        & (trace.counters["core"] != MISSING32)
        & np.isfinite(trace.counters["value"])
    )
    tasks = trace.tasks
    if not len(samples) or not len(tasks):
        return {}
    by_token = _rows(tasks["core"], tasks["token"], samples["core"], samples["token"])
    by_task = _rows(tasks["core"], tasks["task"], samples["core"], samples["task"])
    row = np.where(samples["token"] != MISSING, by_token, by_task)
    columns = {}
    for code in np.unique(samples["name"][row >= 0]).tolist():
        mine = (samples["name"] == code) & (row >= 0)
        values = np.full(len(tasks), MISSING)
        values[row[mine]] = np.round(samples["value"][mine]).astype(np.int64)
        columns[PREFIX + (trace.word(code) or "counter")] = values
    return columns


def _rows(core: Array, number: Array, wanted_core: Array, wanted: Array) -> Array:
    """The row with each wanted core and number, or -1; of several rows the last."""
    order = np.lexsort((number, core))
    ids = np.unique(np.concatenate([number, wanted]))
    width = np.int64(len(ids) + 1)
    key = core.astype(np.int64) * width + np.searchsorted(ids, number)
    sought = wanted_core.astype(np.int64) * width + np.searchsorted(ids, wanted)
    row = order[np.searchsorted(key[order], sought, side="right") - 1]  # before the first: the last
    return np.where(key[row] == sought, row, -1)
