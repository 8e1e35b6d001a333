"""Ranks placed on a common axis: by ends, messages, the clock of the host, or UTC."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lanescope.jobs.arrivals import Arrivals
from lanescope.jobs.bounds import JoinedIslands, bounds_of, join
from lanescope.jobs.ends import Ends, RankFit, islands
from lanescope.trace.table import Array

if TYPE_CHECKING:
    from lanescope.jobs.job import Job

ENDS, MESSAGES, ONE_TRACE = "ends of collectives", "messages", "one trace"
HOST_CLOCK, EPOCH, NOTHING = "clock of the host", "UTC", "nothing"
"""What the clock of a rank may rest on."""
_STRETCH = 7
"""So many ends tell whether a clock has left its straight line for a while."""


@dataclass(slots=True, eq=False)
class Placing:
    """What is known of every rank while sources are added."""

    basis: list[str]
    offset: Array
    drift: Array
    island: Array
    """Ranks that collectives join; among them only `inner` counts."""
    inner: Array
    """Error inside the island, in ns."""
    axis: Array
    """Ranks that anything joins whose error is known."""
    outer: Array
    """Error by which the island is placed on its axis."""

    @property
    def error(self) -> Array:
        """Error of each rank beside all others of its axis."""
        result: Array = self.inner + self.outer
        return result


def unplaced(found: RankFit) -> Placing:
    """Every rank by itself, with the offsets that ends of collectives tell."""
    count = len(found.offset)
    alone, nothing = np.arange(count), np.zeros(count)
    offset, drift = found.offset.copy(), found.drift.copy()
    return Placing([NOTHING] * count, offset, drift, alone, nothing, alone.copy(), nothing.copy())


def by_ends(placing: Placing, arrivals: Arrivals, rows: Array, found: RankFit) -> None:
    """Place the ranks that meet in collectives; `rows` are the arrivals that were used."""
    rank = arrivals.rank[rows]
    collective = np.unique(arrivals.collective[rows], return_inverse=True)[1]
    placing.island = islands(Ends(collective, rank, rows, rows, len(placing.basis)))
    placing.axis = placing.island.copy()
    size = np.abs(found.residual)
    for one in np.unique(rank).tolist():
        placing.basis[one] = ENDS
        mine = np.flatnonzero(rank == one)
        by_time = found.residual[mine[np.argsort(found.moment[collective[mine]])]]
        placing.inner[one] = found.error[one] + max(float(np.median(size[mine])), _wander(by_time))


def _wander(residual: Array) -> float:
    """The most by which a clock leaves its straight line for a while: stretches' medians."""
    if len(residual) < 2 * _STRETCH:
        return 0.0
    stretches = np.array_split(residual, len(residual) // _STRETCH)
    return float(max(abs(np.median(one)) for one in stretches))


def by_one_trace(placing: Placing, job: Job) -> None:
    """The ranks of one trace are on its axis, wherever that lies."""
    for place, rank in enumerate(job.ranks):
        host = rank.facts.host_clock
        placing.basis[place] = ONE_TRACE
        placing.axis[place] = placing.island[place] = 0
        placing.offset[place] = placing.drift[place] = 0.0
        placing.inner[place] = float(host.slack_ns + host.error_ns) if host else 0.0


def by_messages(
    placing: Placing, arrivals: Arrivals, times: tuple[Array, Array], middle: float
) -> None:
    """Join islands by messages and collectives with a root, the largest islands first."""
    rank = arrivals.rank
    plain = [time - placing.offset[rank] for time in times]
    start, end = (time - placing.drift[rank] * (time - middle) for time in plain)
    bounds = bounds_of(arrivals, start, end)
    names, number = np.unique(placing.axis, return_inverse=True)
    if not len(bounds.before) or len(names) < 2:
        return
    sizes = np.bincount(number)
    waiting = np.ones(len(names), bool)
    while waiting.any():
        first = int(np.argmax(np.where(waiting, sizes, -1)))
        joined = join(bounds, number, len(names), first)
        new = joined.known & waiting
        waiting[first] = False
        waiting &= ~new
        if new.sum() > 1:
            _joined(placing, joined, np.flatnonzero(new), number, middle)


def _joined(
    placing: Placing, joined: JoinedIslands, new: Array, number: Array, middle: float
) -> None:
    """Move islands onto one axis, whose clock is the mean of its ranks.

    The offset is taken away before the drift, so moving times by t is an offset of t / (1 - drift):
    with the same offset for all, ranks of one island would shift against each other.
    """
    error = np.append(joined.error, 0.0)
    for island in new.tolist():
        mine = np.flatnonzero(number == island)
        slope = float(joined.drift[island])
        placing.drift[mine] += slope * (1 - placing.drift[mine])
        moved = joined.offset[island] + slope * middle
        placing.offset[mine] += moved / (1 - placing.drift[mine])
        placing.axis[mine] = new[0]
        placing.outer[mine] = error[island]
        for one in mine.tolist():
            if placing.basis[one] == NOTHING:
                placing.basis[one] = MESSAGES
    everyone = np.flatnonzero(np.isin(number, new))
    # The first island is the measure, but it is no better known beside the mean than the others.
    measure = everyone[placing.outer[everyone] == 0.0]
    others = everyone[placing.outer[everyone] > 0.0]
    if len(others):
        placing.outer[measure] = float(np.median(placing.outer[others]))
    placing.offset[everyone] -= placing.offset[everyone].mean() / (1 - placing.drift[everyone])
    placing.drift[everyone] -= placing.drift[everyone].mean() * (1 - placing.drift[everyone])


def by_host_clock(placing: Placing, job: Job, zero: Array) -> None:
    """Join axes by ranks of one machine whose times are also times of its clock."""
    reference: dict[str, int] = {}
    for place, rank in enumerate(job.ranks):
        host = rank.facts.host_clock
        if host is None or not host.is_known or rank.part is not None:
            continue
        first = reference.setdefault(rank.facts.host, place)
        if placing.basis[place] == NOTHING:
            placing.basis[place] = HOST_CLOCK
            placing.outer[place] = float(host.error_ns + host.slack_ns)
        if placing.axis[place] == placing.axis[first]:
            continue
        measure = job.ranks[first].facts.host_clock
        assert measure is not None
        mine, theirs = placing.axis == placing.axis[place], placing.axis == placing.axis[first]
        wanted = zero[place] - zero[first] - (host.host_ns - measure.host_ns)
        moved = wanted + placing.offset[first] - placing.offset[place]
        placing.offset[mine] += moved / (1 - placing.drift[mine])
        for axis, clock in ((mine, host), (theirs, measure)):
            placing.outer[axis] = np.maximum(placing.outer[axis], clock.error_ns + clock.slack_ns)
        placing.axis[mine] = placing.axis[first]


def by_epoch(placing: Placing, job: Job) -> None:
    """Join the axes that are left by UTC, where the traces say how wrong that may be."""
    least = np.full(len(job.ranks), np.inf)
    for place, rank in enumerate(job.ranks):
        if rank.facts.epoch_ns is not None and rank.facts.epoch_error_ns is not None:
            least[place] = float(rank.facts.epoch_error_ns)
    names = np.unique(placing.axis)
    errors = [float(least[placing.axis == name].min()) for name in names.tolist()]
    dated = [name for name, error in zip(names, errors, strict=True) if np.isfinite(error)]
    if len(dated) < 2:
        return
    for name, error in zip(names.tolist(), errors, strict=True):
        mine = np.flatnonzero(placing.axis == name)
        if not np.isfinite(error):
            continue
        placing.outer[mine] += error
        placing.axis[mine] = dated[0]
        for place in mine.tolist():
            placing.basis[place] = (
                EPOCH if placing.basis[place] == NOTHING else placing.basis[place]
            )


def axes_note(placing: Placing, job: Job) -> str:
    """What to say where ranks are on several axes; empty where they are on one."""
    count = len(np.unique(placing.axis))
    if count < 2:
        return ""
    utc = all(rank.facts.epoch_ns is not None for rank in job.ranks)
    placed = " UTC of their machines, whose error nobody states, places them in pictures."
    return (
        f"Nothing joins the clocks of all ranks: there are {count:,} axes, and ranks of two axes "
        f"are not compared.{placed if utc else ''}"
    )
