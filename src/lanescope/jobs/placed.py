"""The common axis of a job, counted from the job's first moment.

Ranks that nothing joins lie on axes of their own; each of these begins at 0 ns, so nothing is said
of the order of things on two axes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lanescope.jobs.moved import moved_times, on_common_axis
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace

if TYPE_CHECKING:
    from lanescope.jobs.job import Job


class CommonAxis:
    """Where the times of every rank lie when the job begins at 0 ns."""

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
        return moved_times(self._job, place, times, int(self.zero[place]))

    def trace(self, place: int) -> Trace:
        """The trace of the rank at a place, named after its number."""
        trace = on_common_axis(self._job, place, int(self.zero[place]))
        number = self._job.ranks[place].number
        return trace.with_meta(name=f"rank {number}", rank=number)
