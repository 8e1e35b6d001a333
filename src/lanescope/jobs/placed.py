"""The trace of one rank with all its times on the job's common axis, drift included.

On it the job begins at 0 ns. Ranks that nothing joins lie on axes of their own; each of these
begins at 0 ns, so nothing is said of the order of things on two axes.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from lanescope.trace.schema import MISSING
from lanescope.trace.table import Array, LazyColumns, Table
from lanescope.trace.tables import SCHEMA
from lanescope.trace.trace import Trace

if TYPE_CHECKING:
    from lanescope.jobs.job import Job

_LENGTHS = frozenset({"slack_ns"})
"""Columns in ns that are no moments."""


def is_moment(column: str) -> bool:
    """Whether a column holds moments on the trace's axis; a length in ns is none."""
    return column.endswith("_ns") and column not in _LENGTHS


class CommonAxis:
    """The common axis of a job, counted from the job's first moment."""

    def __init__(self, job: Job) -> None:
        """Find the first moment of anything that ran, on each axis; opens no trace."""
        self._job = job
        axes = job.clock.axes
        every = np.arange(len(job.ranks))
        first = np.array([rank.facts.first_ns for rank in job.ranks], np.int64)
        starts = job.clock.common(every, first)
        self.zero: Array = np.array([starts[axes == axis].min() for axis in axes], np.int64)
        """By place of the rank: the first moment of its axis, as `JobClock.common` counts."""

    def moments(self, place: int, times: Array) -> Array:
        """Times of the rank at a place; what is MISSING stays so."""
        known = times != MISSING
        moved = self._job.clock.common(place, np.where(known, times, 0)) - self.zero[place]
        return np.where(known, moved, MISSING)

    def trace(self, place: int) -> Trace:
        """The rank's trace on this axis; columns are read and moved when they are needed.

        Its own clocks (`epoch_ns`, `host_clock`, `base_cycles`) are dropped: this axis has another.
        """
        rank = self._job.ranks[place]
        trace = rank.trace()
        tables = {name: self._table(place, trace.table(name)) for name in SCHEMA}
        return replace(trace, **tables).with_meta(  # type: ignore[arg-type]
            name=f"rank {rank.number}",
            rank=rank.number,
            epoch_ns=None,
            epoch_error_ns=None,
            host_clock=None,
            base_cycles=None,
            base_shift_ns=0,
        )

    def _table(self, place: int, table: Table) -> Table:
        readers = {
            column.name: partial(self._column, place, table, column.name)
            for column in table.present()
        }
        return Table(table.schema, LazyColumns(len(table), readers, {}), table.words)

    def _column(self, place: int, table: Table, name: str) -> Array:
        column = table[name]
        table.forget(name)
        return self.moments(place, column) if is_moment(name) else column
