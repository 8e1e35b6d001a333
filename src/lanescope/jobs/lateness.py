"""What a late rank did since its peers last met it, and what of that took longer than theirs.

Between two collectives of the same ranks all of them have the same to do. The time of each rank
from the end of the first to its arrival at the second is cut into work, communication that no work
hides, and idle time; what the late rank has more of than the median of its peers is why it was
late.
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

RAN_LONGER, ELSEWHERE, IDLE = "ran longer", "waited elsewhere", "idle"
BEGAN_LATE, UNSEEN = "began late", "not recorded"
CAUSES = (RAN_LONGER, ELSEWHERE, IDLE, BEGAN_LATE, UNSEEN)
_MOST_GROUPS = 2000
"""Of more different sets of ranks than this, only equal ones are compared."""
_MOST = 4000
"""The collectives with the longest waits are looked at; so many at most for one rank."""


@dataclass(frozen=True, slots=True, eq=False)
class Lateness:
    """One rank at the collectives at which it was last: a row each."""

    collective: Array
    waited: Array
    """What the others waited there together."""
    late: Array
    """How much later it came than the median of its peers."""
    by: dict[str, Array]
    """Cause to ns; they add up to `late`, and may be negative."""
    start: Array
    """The time that was compared, on the rank's own clock, …"""
    end: Array


@dataclass(frozen=True, slots=True, eq=False)
class _Columns:
    """By arrival: work and busy time of its rank before its start and before its end."""

    work_start: Array
    work_end: Array
    busy_start: Array
    busy_end: Array


class LateRanks:
    """The collectives of a job in the order of their groups, ready for questions about ranks."""

    def __init__(self, job: Job, found: JobWaits) -> None:
        """Prepare the columns; nothing is read."""
        self._job, self._detail = job, found.detail
        self._columns = _columns(job, found.detail)
        self._before = _previous(found.detail)

    def of(self, place: int) -> Lateness:
        """Why the rank at a place was late."""
        detail = self._detail
        mine = np.flatnonzero(detail.decided & (detail.last == place))
        mine = mine[np.argsort(-detail.waited[mine], kind="stable")][:_MOST]
        return self.at(mine, place)

    def at(self, collectives: Array, place: int) -> Lateness:
        """The same for these collectives, at each of which the rank at a place was."""
        detail, mine = self._detail, collectives
        rows = [self._compared(int(one), place) for one in mine]
        table = np.array(rows, np.float64).reshape(len(rows), 3 + len(CAUSES))
        return Lateness(
            collective=mine,
            waited=detail.waited[mine],
            late=table[:, 0],
            by={cause: table[:, 1 + k] for k, cause in enumerate(CAUSES)},
            start=table[:, -2].astype(np.int64),
            end=table[:, -1].astype(np.int64),
        )

    def met_before(self, collective: int) -> bool:
        """Whether the ranks of a collective met before; else time counts from their steps."""
        return bool(self._before[collective] >= 0)

    def _compared(self, one: int, place: int) -> tuple[float, ...]:
        """Lateness, its parts in the order of CAUSES, and the window on the rank's own clock."""
        arrivals, detail, columns = self._detail.arrivals, self._detail, self._columns
        rows = np.arange(arrivals.first[one], arrivals.first[one + 1])
        ranks = arrivals.rank[rows]
        end = detail.start[rows]
        earlier = int(self._before[one])
        own = int(np.flatnonzero(ranks == place)[0])
        if earlier >= 0:
            other = np.arange(arrivals.first[earlier], arrivals.first[earlier + 1])
            at = np.searchsorted(arrivals.rank[other], ranks)
            at = np.minimum(at, len(other) - 1)
            both = arrivals.rank[other[at]] == ranks
            begin = np.where(both, detail.end[other[at]], np.nan).astype(np.float64)
            work = columns.work_start[rows] - columns.work_end[other[at]]
            busy = columns.busy_start[rows] - columns.busy_end[other[at]]
        else:
            begin, work, busy, both = self._from_step(rows, ranks)
        if not both[own] or both.sum() < 2:
            late = float(end[own] - np.median(np.delete(end, own)))
            return (late, 0.0, 0.0, 0.0, 0.0, late, 0.0, 0.0)
        peers = both.copy()
        peers[own] = False
        exposed = busy - work
        idle = (end - begin) - busy
        parts = [
            float(value[own]) - float(np.median(value[peers]))
            for value in (work, exposed, idle, begin)
        ]
        local = self._job.clock.local(place, np.array([begin[own], float(end[own])]))
        return (sum(parts), *parts, 0.0, float(local[0]), float(local[1]))

    def _from_step(self, rows: Array, ranks: Array) -> tuple[Array, Array, Array, Array]:
        """The first collective of these ranks: time counts from the start of each rank's step."""
        arrivals, columns, job = self._detail.arrivals, self._columns, self._job
        begin = np.full(len(rows), np.nan)
        work, busy = np.zeros(len(rows)), np.zeros(len(rows))
        for k, (row, place) in enumerate(zip(rows.tolist(), ranks.tolist(), strict=True)):
            facts = job.ranks[place].facts
            at = int(np.searchsorted(facts.steps.start, arrivals.start[row], side="right")) - 1
            if at < 0:
                continue
            begin[k] = job.clock.common(place, facts.steps.start[at : at + 1])[0]
            work[k] = columns.work_start[row] - facts.work.step_start[at]
            busy[k] = columns.busy_start[row] - facts.busy.step_start[at]
        return begin, work, busy, ~np.isnan(begin)


def _columns(job: Job, detail: WaitDetail) -> _Columns:
    arrivals = detail.arrivals
    sizes = [len(rank.facts.arrivals) for rank in job.ranks]
    offset = np.append(0, np.cumsum(sizes))[:-1]
    at = offset[arrivals.rank] + arrivals.row

    def gathered(parts: list[Array]) -> Array:
        whole: Array = np.concatenate(parts)[at]
        return whole

    facts = [rank.facts for rank in job.ranks]
    return _Columns(
        gathered([one.work.arrival_start for one in facts]),
        gathered([one.work.arrival_end for one in facts]),
        gathered([one.busy.arrival_start for one in facts]),
        gathered([one.busy.arrival_end for one in facts]),
    )


def _previous(detail: WaitDetail) -> Array:
    """By collective: the last one that ended before it and at which all of its ranks were, or -1.

    A wider one may begin earlier, with ranks that are not here, and end later.
    """
    arrivals = detail.arrivals
    before = np.full(len(arrivals), -1)
    together = np.flatnonzero(arrivals.tie == TOGETHER)
    if not len(together):
        return before
    start = np.minimum.reduceat(detail.start, arrivals.first[:-1])
    end = np.minimum.reduceat(detail.end, arrivals.first[:-1])
    members: dict[tuple[int, ...], list[int]] = {}
    for one in together.tolist():
        ranks = arrivals.rank[arrivals.first[one] : arrivals.first[one + 1]]
        members.setdefault(tuple(ranks.tolist()), []).append(one)
    whole = {ranks: frozenset(ranks) for ranks in members}
    for key, own in members.items():
        mine = np.array(own)
        wider = list(own)
        if len(members) <= _MOST_GROUPS:
            for other, found in members.items():
                if whole[key] < whole[other]:
                    wider += found
        candidates = np.array(sorted(wider, key=lambda one: end[one]))
        at = np.searchsorted(end[candidates], start[mine], side="right") - 1
        at -= (at >= 0) & (candidates[at] == mine)
        before[mine] = np.where(at >= 0, candidates[np.maximum(at, 0)], -1)
    return before
