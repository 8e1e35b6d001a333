"""What must be known of all task rows of a capture together, added up piece by piece."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from lanescope.device.head import Array
from lanescope.trace import MISSING32, Trace
from lanescope.trace.numbering import different
from lanescope.trace.schema import TaskFlag
from lanescope.trace.task_rows import TaskRows


class RowTotals:
    """Sums over the task rows that were added so far."""

    def __init__(self, plan: Trace | None) -> None:
        self.whole: dict[str, Array] = {}
        """Kind of record to the number of its records in rows without flags, by core."""
        self.twice = 0
        """Number of rows that share their key with another one."""
        self.bad = 0
        """Number of rows with times that cannot be right."""
        self.bad_cores: set[int] = set()
        """The cores of these rows."""
        self.functions: set[int] = set()
        """The functions that ran."""
        self._planned = plan.tasks["task"] if plan is not None else np.empty(0, np.int64)
        self.silent = np.ones(len(self._planned), bool)
        """By task of the plan: whether it has no record."""

    def add(self, rows: TaskRows) -> None:
        """Add the rows of a piece."""
        bad = ~rows.usable
        self.add_whole(rows.whole)
        self.twice += int(np.count_nonzero(rows.flags & TaskFlag.DUPLICATE_TOKEN))
        self.bad += int(bad.sum())
        self.bad_cores |= set(different(rows.key.core[bad]).tolist())
        self.functions |= set(different(rows.func[rows.func != MISSING32]).tolist())
        if len(self.silent):
            self.silent &= ~np.isin(self._planned, rows.task)

    def add_whole(self, whole: Mapping[str, Array]) -> None:
        """Add numbers of records in rows without flags, by kind and core."""
        for kind, counts in whole.items():
            self.whole[kind] = self.whole.get(kind, np.zeros_like(counts)) + counts
