"""The steps of a job: time, work and waiting of every rank in each.

Steps are those that the ranks mark. Where none does, the group whose operations come most evenly
gives them: a step ends when an operation of it ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lanescope.jobs.arrivals import TOGETHER
from lanescope.jobs.waits import JobWaits, WaitDetail
from lanescope.trace.table import Array

if TYPE_CHECKING:
    from lanescope.jobs.job import Job

_FEWEST = 3
MARKED, COUNTED, WHOLE = "marked by the ranks", "by a collective", "the whole recording"


@dataclass(frozen=True, slots=True, eq=False)
class JobSteps:
    """Matrices with a row per rank and a column per step; NaN where a rank has no such step."""

    step: Array
    """Numbers of the steps."""
    basis: str
    start: Array
    """On the common axis."""
    end: Array
    work: Array
    """Time in which the rank computed, in ns."""
    wait: Array
    """Time that it waited for peers in collectives."""
    caused: Array
    """What others waited for it at collectives at which it was last beyond doubt."""

    @property
    def length(self) -> Array:
        """Time that each rank took, in ns."""
        result: Array = self.end - self.start
        return result

    @property
    def job_length(self) -> Array:
        """By step: from the first start of a rank to the last end of one."""
        result: Array = np.nanmax(self.end, axis=0) - np.nanmin(self.start, axis=0)
        return result


def job_steps(job: Job, found: JobWaits) -> JobSteps:
    """Lay out the steps of all ranks."""
    marked = [rank.facts.steps for rank in job.ranks]
    numbers = np.unique(np.concatenate([one.step for one in marked]))
    if len(numbers):
        edges = [(one.step, one.start, one.end) for one in marked]
        basis = MARKED
        work = [rank.facts.work.step_end - rank.facts.work.step_start for rank in job.ranks]
    else:
        numbers, edges, work, basis = _by_collective(job)
    shape = len(job.ranks), len(numbers)
    start, end, busy = (np.full(shape, np.nan) for _ in range(3))
    for place, (step, begins, ends) in enumerate(edges):
        column = np.searchsorted(numbers, step)
        start[place, column] = job.clock.common(place, begins)
        end[place, column] = job.clock.common(place, ends)
        busy[place, column] = work[place]
    detail, sure = found.detail, np.flatnonzero(found.detail.decided)
    every = np.arange(len(detail.wait))
    return JobSteps(
        step=numbers,
        basis=basis,
        start=start,
        end=end,
        work=busy,
        wait=_summed(detail, every, detail.wait, (start, end)),
        caused=_summed(detail, detail.last_row[sure], detail.waited[sure], (start, end)),
    )


def _summed(detail: WaitDetail, rows: Array, values: Array, edges: tuple[Array, Array]) -> Array:
    """Values of arrivals by rank and step: an arrival belongs to the step in which it begins."""
    start, end = edges
    total = np.where(np.isnan(start), np.nan, 0.0)
    rank = detail.arrivals.rank[rows]
    for place in range(len(start)):
        mine = np.flatnonzero(rank == place)
        columns = np.flatnonzero(~np.isnan(start[place]))
        if not len(mine) or not len(columns):
            continue
        order = columns[np.argsort(start[place, columns])]
        moments = detail.start[rows[mine]]
        at = np.searchsorted(start[place, order], moments, side="right") - 1
        inside = (at >= 0) & (moments <= end[place, order[np.maximum(at, 0)]])
        np.add.at(total[place], order[at[inside]], values[mine[inside]])
    return total


_Edges = list[tuple[Array, Array, Array]]


def _by_collective(job: Job) -> tuple[Array, _Edges, list[Array], str]:
    """Steps between the ends of one group's operations, or the whole recording as one step."""
    group = _even_group(job)
    edges: _Edges = []
    work: list[Array] = []
    if group is None:
        for rank in job.ranks:
            ends = np.array([rank.facts.first_ns]), np.array([rank.facts.last_ns])
            edges.append((np.zeros(1, np.int64), *ends))
            work.append(np.array([rank.facts.work_ns]))
        return np.zeros(1, np.int64), edges, work, WHOLE
    arrivals = job.arrivals
    rows = np.flatnonzero(arrivals.group[arrivals.collective] == group)
    for place, rank in enumerate(job.ranks):
        mine = rows[arrivals.rank[rows] == place]
        number = arrivals.sequence[arrivals.collective[mine]]
        order = np.argsort(number, kind="stable")
        mine, number = mine[order], number[order]
        ends, done = arrivals.end[mine], rank.facts.work.arrival_end[arrivals.row[mine]]
        edges.append((number[1:], ends[:-1], ends[1:]))
        work.append(np.diff(done))
    numbers = np.unique(np.concatenate([one[0] for one in edges]))
    return numbers, edges, work, COUNTED


def _even_group(job: Job) -> int | None:
    """The group of the most ranks whose operations come most evenly; None where there is none."""
    arrivals = job.arrivals
    together = np.flatnonzero(arrivals.tie == TOGETHER)
    best: tuple[float, float, int] | None = None
    most = int(arrivals.present[together].max()) if len(together) else 0
    first_end = np.zeros(len(arrivals))
    if len(arrivals):
        first_end = arrivals.end[arrivals.first[:-1]].astype(np.float64)
    for group in np.unique(arrivals.group[together]).tolist():
        mine = together[arrivals.group[together] == group]
        if len(mine) < _FEWEST or int(arrivals.present[mine].min()) < most:
            continue
        apart = np.diff(np.sort(first_end[mine]))
        middle = float(np.median(apart))
        uneven = float(np.median(np.abs(apart - middle))) / middle if middle > 0 else np.inf
        key = (round(uneven, 2), -middle, group)
        if best is None or key < best:
            best = key
    return None if best is None else best[2]
