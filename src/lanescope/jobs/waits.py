"""How long each rank waited in collectives for its peers, and how long the transfer took.

wait = start of the last rank to arrive - own start; transfer = the rest. Both need one clock.
A check does without clocks: the rank with the shortest operation waited least, so what others take
longer than it is their wait.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lanescope.jobs.arrivals import FROM_ROOT, MESSAGE, TO_ROOT, TOGETHER, UNKNOWN, Arrivals
from lanescope.jobs.clock import JobClock
from lanescope.render.cells import time_text
from lanescope.results import Result
from lanescope.trace.table import Array

if TYPE_CHECKING:
    from lanescope.jobs.job import Job


@dataclass(frozen=True, slots=True)
class RankWait(Result):
    """One rank in all collectives that could be compared."""

    rank: int
    collectives: int
    wait_ns: int
    """Time until the last rank arrived, or the one that it had to wait for."""
    message_wait_ns: int
    """What of it is in messages and in collectives with a root. In a pipeline this is its shape, so
    nobody is called late for it."""
    transfer_ns: int
    """Time from then on."""
    times_last: int
    """Collectives of all ranks of a group at which it arrived last, beyond doubt."""
    times_last_undecided: int
    """Collectives at which it seems last, but the next one is nearer than the clocks' error."""
    caused_ns: int
    """What all others waited together at the collectives at which it was last beyond doubt."""
    margin_ns: int
    """By how much it was later than the next one, summed over these collectives."""


@dataclass(frozen=True, slots=True)
class ClockFreeCheck(Result):
    """How far the waits by the common clock lie from those without clocks, over all arrivals."""

    p50_ns: float
    p95_ns: float
    worst_ns: float
    beyond: int
    """Arrivals where they differ by more than clocks and ends explain."""
    arrivals: int


@dataclass(frozen=True, slots=True, eq=False)
class JobWaits(Result):
    """Waiting in all collectives of a job."""

    ranks: tuple[RankWait, ...]
    collectives: int
    """Collectives that could be compared."""
    left_out: int
    """Collectives that could not: of an unknown kind, a refused group, or on two axes."""
    incomplete: int
    """Of those compared: collectives at which ranks are missing here, so that the last to arrive is
    the last of those that are here."""
    together: int
    """Of those compared: collectives in which everybody waits for everybody."""
    decided: int
    """Of these: those whose last rank is known beyond the clocks' error."""
    wait_ns: int
    transfer_ns: int
    check: ClockFreeCheck | None
    detail: WaitDetail

    def to_dict(self) -> dict[str, object]:
        """The fields as plain values, without the rows of every collective."""
        return {name: v for name, v in Result.to_dict(self).items() if name != "detail"}

    def __repr__(self) -> str:
        waited, moved = time_text(self.wait_ns), time_text(self.transfer_ns)
        return f"<JobWaits in {self.collectives:,} collectives: wait {waited}, transfer {moved}>"


@dataclass(frozen=True, slots=True, eq=False)
class WaitDetail(Result):
    """Columns: one row per collective that was compared, and one per arrival at these."""

    arrivals: Arrivals
    start: Array
    """By arrival, on the common axis."""
    end: Array
    wait: Array
    last: Array
    """By collective: place of the rank that arrived last."""
    last_row: Array
    """Its arrival."""
    margin: Array
    """How much later it came than the next one, in ns."""
    decided: Array
    waited: Array
    """What all ranks waited together."""

    @property
    def transfer(self) -> Array:
        """By arrival: the time that was no wait."""
        result: Array = self.end - self.start - self.wait
        return result


def waits(job: Job) -> JobWaits:
    """Split every collective into waiting and transfer."""
    clock, every = job.clock, job.arrivals
    usable = _usable(every, clock)
    arrivals = every.of(usable)
    detail = _detail(arrivals, clock)
    ranks = _ranks(job, detail)
    return JobWaits(
        ranks=ranks,
        collectives=len(arrivals),
        left_out=int(np.count_nonzero(~usable)),
        incomplete=int(np.count_nonzero(~arrivals.complete)),
        together=int(np.count_nonzero(arrivals.tie == TOGETHER)),
        decided=int(np.count_nonzero(detail.decided)),
        wait_ns=int(detail.wait.sum()),
        transfer_ns=int(detail.transfer.sum()),
        check=_check(detail, clock),
        detail=detail,
    )


def _usable(arrivals: Arrivals, clock: JobClock) -> Array:
    """Collectives of a known kind whose ranks are all on one axis."""
    refused = {place for place, name in enumerate(arrivals.groups) if name in set(clock.refused)}
    fine = (arrivals.tie != UNKNOWN) & ~np.isin(arrivals.group, sorted(refused))
    if len(arrivals):
        axis, first = clock.axes[arrivals.rank], arrivals.first[:-1]
        fine &= np.maximum.reduceat(axis, first) == np.minimum.reduceat(axis, first)
    result: Array = fine
    return result


def _detail(arrivals: Arrivals, clock: JobClock) -> WaitDetail:
    start = clock.common(arrivals.rank, arrivals.start)
    end = clock.common(arrivals.rank, arrivals.end)
    if not len(arrivals):
        none = np.zeros(0, np.int64)
        return WaitDetail(arrivals, start, end, none, none, none, none, none.astype(bool), none)
    order = np.lexsort((start, arrivals.collective))
    behind = arrivals.first[1:] - 1
    last_row, next_row = order[behind], order[behind - 1]
    last, margin = arrivals.rank[last_row], start[last_row] - start[next_row]
    together = arrivals.tie == TOGETHER
    decided = together & (margin > clock.error(last, arrivals.rank[next_row]))
    wait = _wait(arrivals, start, end, start[last_row])
    first = arrivals.first[:-1]
    waited = np.add.reduceat(wait, first)
    return WaitDetail(arrivals, start, end, wait, last, last_row, margin, decided, waited)


def _wait(arrivals: Arrivals, start: Array, end: Array, last_start: Array) -> Array:
    """By arrival: time until the one came for whom it had to wait."""
    collective = arrivals.collective
    tie = arrivals.tie[collective]
    is_root = arrivals.rank == arrivals.root[collective]
    root_start = np.full(len(arrivals), np.iinfo(np.int64).min)
    root_start[collective[is_root]] = start[is_root]
    own = end - start
    whole = last_start[collective] - start
    bound = np.clip(whole, 0, own)
    for_root = np.clip(root_start[collective] - start, 0, own)
    wait = np.where(tie == TOGETHER, whole, 0)
    wait = np.where(tie == MESSAGE, bound, wait)
    wait = np.where(tie == FROM_ROOT, for_root, wait)
    result: Array = np.where((tie == TO_ROOT) & is_root, bound, wait)
    return result


def _ranks(job: Job, detail: WaitDetail) -> tuple[RankWait, ...]:
    arrivals, count = detail.arrivals, len(job.ranks)
    own = arrivals.rank

    def summed(places: Array, values: Array) -> list[int]:
        total = np.zeros(count, np.int64)
        np.add.at(total, places, values)
        return [int(one) for one in total]

    sure = detail.decided
    together = arrivals.tie == TOGETHER
    unsure, one_way = together & ~sure, ~together[arrivals.collective]
    rows = zip(
        np.bincount(own, minlength=count).tolist(),
        summed(own, detail.wait),
        summed(own[one_way], detail.wait[one_way]),
        summed(own, detail.transfer),
        np.bincount(detail.last[sure], minlength=count).tolist(),
        np.bincount(detail.last[unsure], minlength=count).tolist(),
        summed(detail.last[sure], detail.waited[sure]),
        summed(detail.last[sure], detail.margin[sure]),
        strict=True,
    )
    return tuple(RankWait(rank.number, *row) for rank, row in zip(job.ranks, rows, strict=True))


def _check(detail: WaitDetail, clock: JobClock) -> ClockFreeCheck | None:
    """Compare with the waits by lengths alone, where all ranks end together."""
    arrivals = detail.arrivals
    rows = np.flatnonzero(arrivals.tie[arrivals.collective] == TOGETHER)
    if not len(rows):
        return None
    length = detail.end - detail.start
    shortest = np.minimum.reduceat(length, arrivals.first[:-1])[arrivals.collective]
    apart = np.abs(length - shortest - detail.wait)[rows]
    usual = np.array([one.island_error_ns + (one.residual_p95_ns or 0.0) for one in clock.ranks])[
        arrivals.rank
    ]
    most = np.maximum.reduceat(usual, arrivals.first[:-1])
    limit = usual[rows] + most[arrivals.collective[rows]]
    return ClockFreeCheck(
        p50_ns=float(np.median(apart)),
        p95_ns=float(np.quantile(apart, 0.95)),
        worst_ns=float(apart.max()),
        beyond=int(np.count_nonzero(apart > limit)),
        arrivals=len(rows),
    )
