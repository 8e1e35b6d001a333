"""The chain of ranks that decided how long the job took.

From the last end backwards: time of a rank, until a collective in which it had to wait; then the
transfer; then on at the rank that arrived last there. A collective that work hides holds nobody up
and is passed over.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lanescope.jobs.waits import JobWaits
from lanescope.results import Result
from lanescope.trace.table import Array

if TYPE_CHECKING:
    from lanescope.jobs.job import Job

OWN, TRANSFER = "own", "transfer"
_HIDDEN = 0.9
"""A collective is hidden when the rank works during this part of it."""


@dataclass(frozen=True, slots=True)
class RankPathPart(Result):
    """A stretch of the path on one rank: its own time, or a transfer."""

    rank: int
    what: str
    """`own` or `transfer`"""
    start_ns: int
    """On the common axis."""
    end_ns: int
    collective: str
    """The collective that the stretch leads to, or that the transfer is of; empty at the end."""


@dataclass(frozen=True, slots=True)
class PathRank(Result):
    """What of the path lies on one rank."""

    rank: int
    ns: int
    share: float
    visits: int


@dataclass(frozen=True, slots=True)
class RankPath(Result):
    """The critical path over all ranks of an axis."""

    length_ns: int
    own_ns: int
    transfer_ns: int
    hops: int
    """How often it goes from one rank to another."""
    ranks: tuple[PathRank, ...]
    """The rank with most of it first."""
    parts: tuple[RankPathPart, ...]
    """From the first to the last."""


class WalkedPart(NamedTuple):
    """A stretch of a path: place of the rank, what, from, to, the collective it leads to."""

    place: int
    what: str
    start: int
    end: int
    collective: str


class Walker:
    """Goes back in time over ranks, from collective to collective."""

    def __init__(self, job: Job, found: JobWaits) -> None:
        """Prepare the arrivals of every rank that held it up."""
        self._detail = found.detail
        self._by_rank = _by_rank(job, found)

    def back(self, place: int, now: int, until: int | None = None) -> list[WalkedPart]:
        """The path that ends on a rank at a moment, backwards, at most until another moment."""
        detail, parts, leads_to = self._detail, [], ""
        while until is None or now > until:
            rows = self._by_rank[place]
            at = int(np.searchsorted(detail.end[rows], now, side="right")) - 1
            if at < 0:
                break
            row = int(rows[at])
            collective = int(detail.arrivals.collective[row])
            ended = int(detail.end[row])
            begin = min(int(detail.start[int(detail.last_row[collective])]), ended)
            name = detail.arrivals.title(collective)
            parts.append(WalkedPart(place, OWN, ended, now, leads_to))
            parts.append(WalkedPart(place, TRANSFER, begin, ended, name))
            if begin >= now and int(detail.last[collective]) == place:
                break
            place, now, leads_to = int(detail.last[collective]), begin, name
        parts.append(
            WalkedPart(place, OWN, now if until is None else min(until, now), now, leads_to)
        )
        return parts


def rank_path(job: Job, found: JobWaits) -> RankPath | None:
    """WalkedPart from the last end of the job backwards; None where there is nothing."""
    if not len(job.ranks):
        return None
    clock, facts = job.clock, [rank.facts for rank in job.ranks]
    places = np.arange(len(facts))
    first = clock.common(places, np.array([one.first_ns for one in facts]))
    last = clock.common(places, np.array([one.last_ns for one in facts]))
    usable = np.flatnonzero(clock.axes == np.bincount(clock.axes).argmax())
    place = int(usable[np.argmax(last[usable])])
    parts = Walker(job, found).back(place, int(last[place]))
    earliest = parts.pop()
    parts.append(earliest._replace(start=min(int(first[earliest.place]), earliest.end)))
    return _summed(job, parts[::-1])


def _by_rank(job: Job, found: JobWaits) -> list[Array]:
    """By rank: its arrivals that held it up, by end."""
    detail = found.detail
    arrivals = detail.arrivals
    facts = [rank.facts for rank in job.ranks]
    result = []
    for place, one in enumerate(facts):
        rows = np.flatnonzero(arrivals.rank == place)
        own = arrivals.row[rows]
        length = np.maximum(arrivals.end[rows] - arrivals.start[rows], 1)
        work = one.work.arrival_end[own] - one.work.arrival_start[own]
        rows = rows[(work / length < _HIDDEN) & (detail.wait[rows] >= 0)]
        result.append(rows[np.argsort(detail.end[rows], kind="stable")])
    return result


def _summed(job: Job, parts: list[WalkedPart]) -> RankPath:
    shown = [
        RankPathPart(job.ranks[place].number, what, start, end, name)
        for place, what, start, end, name in parts
        if end > start
    ]
    total = {OWN: 0, TRANSFER: 0}
    by_rank: dict[int, list[int]] = {}
    hops = 0
    for before, one in zip([None, *shown], shown, strict=False):
        total[one.what] += one.end_ns - one.start_ns
        entry = by_rank.setdefault(one.rank, [0, 0])
        entry[0] += one.end_ns - one.start_ns
        if before is None or before.rank != one.rank:
            entry[1] += 1
            hops += before is not None
    length = total[OWN] + total[TRANSFER]
    ranks = [
        PathRank(rank, ns, ns / length if length else 0.0, visits)
        for rank, (ns, visits) in by_rank.items()
    ]
    ranks.sort(key=lambda one: -one.ns)
    return RankPath(length, total[OWN], total[TRANSFER], hops, tuple(ranks), tuple(shown))
