"""Ranks placed on a common axis: by ends, messages, the clock of the host, or UTC."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lanescope.jobs.arrivals import Arrivals
from lanescope.jobs.bounds import bounds_of, join
from lanescope.jobs.ends import Ends, RankFit, islands
from lanescope.trace.table import Array

if TYPE_CHECKING:
    from lanescope.jobs.job import Job

ENDS, MESSAGES, ONE_TRACE = "ends of collectives", "messages", "one trace"
HOST_CLOCK, EPOCH, NOTHING = "clock of the host", "UTC", "nothing"
"""What the clock of a rank may rest on."""


@dataclass(slots=True, eq=False)
class Placing:
    """What is known of every rank while sources are added."""

    basis: list[str]
    axis: Array
    offset: Array
    drift: Array
    error: Array


def by_ends(placing: Placing, arrivals: Arrivals, rows: Array, found: RankFit) -> None:
    """Place the ranks that meet in collectives; `rows` are the arrivals that were used."""
    rank = arrivals.rank[rows]
    collective = np.unique(arrivals.collective[rows], return_inverse=True)[1]
    ends = Ends(collective, rank, rows, rows, len(placing.basis))
    placing.axis = islands(ends)
    size = np.abs(found.residual)
    for one in np.unique(rank).tolist():
        placing.basis[one] = ENDS
        placing.error[one] = found.error[one] + float(np.median(size[rank == one]))


def by_one_trace(placing: Placing, job: Job) -> None:
    """The ranks of one trace are on its axis, wherever that lies."""
    for place, rank in enumerate(job.ranks):
        host = rank.facts.host_clock
        placing.basis[place] = ONE_TRACE
        placing.axis[place] = 0
        placing.offset[place] = placing.drift[place] = 0.0
        placing.error[place] = float(host.slack_ns + host.error_ns) if host else 0.0


def by_messages(
    placing: Placing, arrivals: Arrivals, times: tuple[Array, Array], middle: float
) -> None:
    """Join islands of ranks by messages and collectives with a root."""
    rank = arrivals.rank
    plain = [time - placing.offset[rank] for time in times]
    start, end = (time - placing.drift[rank] * (time - middle) for time in plain)
    bounds = bounds_of(arrivals, start, end)
    if not len(bounds.before) or len(np.unique(placing.axis)) < 2:
        return
    names, island = np.unique(placing.axis, return_inverse=True)
    largest = int(np.bincount(island).argmax())
    joined = join(bounds, island, largest)
    for number in np.flatnonzero(joined.known).tolist():
        mine = np.flatnonzero(island == number)
        if number == largest:
            continue
        slope = float(joined.drift[number])
        placing.offset[mine] += joined.offset[number] + slope * middle
        placing.drift[mine] += slope
        placing.axis[mine] = names[largest]
        error = np.where(np.isinf(placing.error[mine]), 0.0, placing.error[mine])
        placing.error[mine] = error + joined.error[number]
        for one in mine.tolist():
            placing.basis[one] = MESSAGES
    whole = np.flatnonzero(island == largest)
    if np.isinf(placing.error[whole]).all() and joined.known.sum() > 1:
        placing.error[whole] = 0.0
        for one in whole.tolist():
            placing.basis[one] = MESSAGES


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
            placing.error[place] = float(host.error_ns + host.slack_ns)
        if placing.axis[place] == placing.axis[first]:
            continue
        measure = job.ranks[first].facts.host_clock
        assert measure is not None
        mine = placing.axis == placing.axis[place]
        wanted = zero[place] - zero[first] - (host.host_ns - measure.host_ns)
        moved = wanted + placing.offset[first] - placing.offset[place]
        placing.offset[mine] += moved
        placing.axis[mine] = placing.axis[first]


def by_epoch(placing: Placing, job: Job, notes: list[str]) -> None:
    """Join the axes that are left by UTC, which the times are on already."""
    names = np.unique(placing.axis)
    knows = [rank.facts.epoch_ns is not None for rank in job.ranks]
    dated = [name for name in names.tolist() if any(np.array(knows)[placing.axis == name])]
    if len(names) < 2:
        return
    by_utc = 0
    for name in dated:
        for place in np.flatnonzero(placing.axis == name).tolist():
            facts = job.ranks[place].facts
            error = np.inf if facts.epoch_error_ns is None else float(facts.epoch_error_ns)
            placing.error[place] = error
            placing.axis[place] = dated[0]
            if placing.basis[place] == NOTHING:
                placing.basis[place] = EPOCH
            by_utc += 1
    if by_utc:
        notes.append(
            "Not all ranks meet in collectives; UTC of their machines places them, which may be "
            "wrong by milliseconds."
        )
    if len(np.unique(placing.axis)) > 1:
        notes.append(
            f"Nothing joins the clocks of all ranks; there are {len(np.unique(placing.axis)):,} "
            "axes, and ranks of two axes are not compared."
        )
