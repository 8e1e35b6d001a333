"""Rows of the counters table: hardware counters of tasks, from the records of the pmu lanes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lanescope.capture.pieces import TokenPiece, TokenRecords
from lanescope.device.head import Array, Head
from lanescope.device.layouts import constant
from lanescope.trace.join import places
from lanescope.trace.schema import MISSING
from lanescope.trace.tables import TOTAL_CYCLES
from lanescope.trace.task_rows import TaskRows
from lanescope.trace.trace import Trace, Words

Columns = dict[str, Array]
_PMU = "pmu"


class Samples:
    """The samples of hardware counters. A sample whose key no task row has keeps its values."""

    def __init__(
        self, records: TokenRecords, head: Head, names: list[str], *, words: Words
    ) -> None:
        """`names` has the name of each counter; one without a name has no rows."""
        self._records = records
        self._cores = int(head.header["core_count"])
        self._has_row = np.zeros(records.count(_PMU), bool)
        named = [(TOTAL_CYCLES, -1), *((name, slot) for slot, name in enumerate(names) if name)]
        self._slots = [(words.code(name), slot) for name, slot in named if len(self._has_row)]

    def match(self, piece: TokenPiece, rows: TaskRows) -> dict[str, Array]:
        """Find the samples of a piece whose task has a row; return their number by core."""
        if not len(self._has_row):
            return {_PMU: np.zeros(self._cores, np.int64)}
        samples = self._records.read(_PMU, piece)
        has_row = places(rows.key, samples.key) >= 0
        self._has_row[samples.number] = has_row
        return {_PMU: np.bincount(samples.key.core[has_row], minlength=self._cores)}

    def columns(self) -> Iterator[Columns]:
        """Yield one row per value, counter by counter; the samples of each in recorded order."""
        for code, slot in self._slots:
            for samples in self._records.in_order(_PMU):
                rows = samples.rows
                value = rows["total_cycles"] if slot < 0 else rows["counters"][:, slot]
                has_row = self._has_row[samples.number]
                yield {
                    "name": np.full(len(rows), code, np.int32),
                    "value": value.astype(np.float64),
                    "task": rows["task"].astype(np.int64),
                    "core": samples.key.core.astype(np.int32),
                    "token": np.where(has_row, samples.key.token, MISSING),
                }


def counter_names(plan: Trace | None, head: Head) -> list[str]:
    """Return the name of each counter: from the region, from the plan, or `counter_0`, ….

    A counter that has no name where others have one counts nothing.
    """
    first, counters = constant("LS_COUNTER_NAMES"), range(constant("LS_PMU_COUNTERS"))
    named = [head.functions.get(first + slot, "") for slot in counters]
    if any(named):
        return named
    recording = plan.meta.recording if plan is not None else None
    if recording is not None and recording.pmu_counters:
        return list(recording.pmu_counters)
    return [f"counter_{slot}" for slot in counters]
