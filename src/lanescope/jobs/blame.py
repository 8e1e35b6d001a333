"""Why the ranks that others wait for were late: causes, functions that ran longer, idle reasons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lanescope.analyze.columns.accumulated import Accumulated
from lanescope.analyze.streams.basis import stream_basis
from lanescope.analyze.streams.gaps import idle_gaps
from lanescope.analyze.streams.reasons import IDLE_LABELS, Reasoning
from lanescope.errors import LanescopeError
from lanescope.jobs.lateness import CAUSES, ELSEWHERE, IDLE, RAN_LONGER, Lateness, LateRanks
from lanescope.jobs.path import OWN, Walker
from lanescope.jobs.roles import Roles
from lanescope.jobs.waits import JobWaits
from lanescope.results import Result
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace
from lanescope.trace.vocabulary import vocabulary

if TYPE_CHECKING:
    from lanescope.jobs.job import Job

_RANKS = 5
"""So many of the ranks that cause most waiting are looked at."""
_FUNCTIONS = 5
_WALKS = 100
"""Paths are followed back from so many of the worst arrivals."""
_SLOWER = 1.02
_OWN_SHARE = 0.2
"""A rank that waited elsewhere can itself be the cause when so much of its lateness is its own."""


@dataclass(frozen=True, slots=True)
class Cause(Result):
    """One cause of lateness."""

    what: str
    """`ran longer`: more time in its own work; `waited elsewhere`: in other collectives; `idle`:
    its devices did nothing; `began late`: it left the last collective, or began the step, later;
    `not recorded`: nothing before it can be compared."""
    ns: float
    """More than the median of its peers, summed over the collectives at which it was last."""


@dataclass(frozen=True, slots=True)
class FunctionExcess(Result):
    """A function that takes longer on the late rank than on its peers."""

    name: str
    runs: int
    mean_ns: float
    peers_ns: float
    """Median over the peers of their mean."""
    extra_ns: float
    """runs x (mean_ns - peers_ns)"""


@dataclass(frozen=True, slots=True)
class IdlePart(Result):
    """A reason of a rank's idle time before the collectives at which it was last."""

    what: str
    label: str
    ns: float


@dataclass(frozen=True, slots=True)
class RankBlame(Result):
    """Why one rank was late."""

    rank: int
    collectives: int
    """Collectives at which it was last beyond the clocks' error."""
    waited_ns: int
    """What the others waited there."""
    late_ns: float
    """How much later it came than the median of its peers, summed."""
    main: str
    """The cause that explains most; empty where none explains half of it."""
    causes: tuple[Cause, ...]
    functions: tuple[FunctionExcess, ...]
    """Where work is the cause, or a part of it: functions by what they cost, the largest first."""
    idle: tuple[IdlePart, ...]
    """Why its devices were idle, where the trace tells it."""
    held_up_by: int | None
    """The rank on which the path that leads to its arrivals lies longest, where it waited
    elsewhere and that is not itself."""


def blame(
    job: Job, found: JobWaits, roles: Roles, straggler: int | None = None
) -> tuple[RankBlame, ...]:
    """Explain the ranks that others wait for, the worst first.

    `straggler` is the number of a rank that is explained even where it was last at no collective:
    where only messages join it to others, nobody sees it late.
    """
    worst = sorted(range(len(job.ranks)), key=lambda place: -found.ranks[place].caused_ns)
    late, walker = LateRanks(job, found), Walker(job, found)
    return tuple(
        _explained(job, found, roles, walker, late.of(place), place)
        for rank, place in enumerate(worst)
        if job.ranks[place].number == straggler
        or (rank < _RANKS and found.ranks[place].caused_ns > 0)
    )


def _explained(
    job: Job,
    found: JobWaits,
    roles: Roles,
    walker: Walker,
    lateness: Lateness,
    place: int,
) -> RankBlame:
    by = {cause: float(lateness.by[cause].sum()) for cause in CAUSES}
    total = float(lateness.late.sum())
    functions = _functions(job, roles, place)
    works_longer = bool(functions) or _work_ratio(job, roles, place) > _SLOWER
    judged = dict(by)
    if not works_longer:
        # Peers that waited for it worked meanwhile, where work and collectives overlap. The work
        # that it has left then is no longer work: it was late before.
        judged[ELSEWHERE] += judged.pop(RAN_LONGER)
    main = max(judged, key=lambda cause: judged[cause])
    if not len(lateness.late):
        main = RAN_LONGER if works_longer else ""
    elif judged[main] < total / 2 or judged[main] <= 0:
        main = ""
    holder = None
    if main == ELSEWHERE:
        own_cause = RAN_LONGER if works_longer and by[RAN_LONGER] > by[IDLE] else IDLE
        times = _path_times(walker, found, place, lateness)
        if by[own_cause] < _OWN_SHARE * total:
            times.pop(place, None)
        holder = max(times, key=lambda rank: times[rank], default=None)
        if holder == place:
            # It waits for ranks that wait for it: what it does itself is the cause.
            main = own_cause
    own = found.ranks[place]
    return RankBlame(
        rank=own.rank,
        collectives=own.times_last,
        waited_ns=own.caused_ns,
        late_ns=total,
        main=main,
        causes=tuple(Cause(cause, by[cause]) for cause in CAUSES),
        functions=functions if by[RAN_LONGER] > 0 or main == RAN_LONGER else (),
        idle=_idle(job, place, lateness) if by[IDLE] > 0 else (),
        held_up_by=None if holder == place or holder is None else job.ranks[holder].number,
    )


def _work_ratio(job: Job, roles: Roles, place: int) -> float:
    """All work of a rank beside the median of its role, or of all ranks, whichever is larger."""
    work = np.array([rank.facts.work_ns for rank in job.ranks], np.float64)
    usual = min(float(np.median(work[roles.role == roles.role[place]])), float(np.median(work)))
    return float(work[place]) / usual if usual else 1.0


def _functions(job: Job, roles: Roles, place: int) -> tuple[FunctionExcess, ...]:
    """Functions that take longer per run than on the other ranks of the role."""
    peers = [k for k in np.flatnonzero(roles.role == roles.role[place]).tolist() if k != place]
    found = []
    for name, (runs, total) in job.ranks[place].facts.functions.items():
        means = []
        for peer in peers:
            count, ns = job.ranks[peer].facts.functions.get(name, (0, 0))
            if count:
                means.append(ns / count)
        if not means or not runs:
            continue
        usual, mean = float(np.median(means)), total / runs
        if mean > _SLOWER * usual:
            found.append(FunctionExcess(name, runs, mean, usual, runs * (mean - usual)))
    return tuple(sorted(found, key=lambda one: -one.extra_ns)[:_FUNCTIONS])


def _path_times(walker: Walker, found: JobWaits, place: int, lateness: Lateness) -> dict[int, int]:
    """Place of a rank → how long the paths to the late arrivals lie on it."""
    detail = found.detail
    total: dict[int, int] = {}
    for one, begin, end in zip(
        lateness.collective.tolist()[:_WALKS],
        lateness.start.tolist(),
        lateness.end.tolist(),
        strict=False,
    ):
        arrived = int(detail.start[int(detail.last_row[one])])
        for part in walker.back(place, arrived, arrived - (end - begin)):
            if part.what == OWN:
                total[part.place] = total.get(part.place, 0) + part.end - part.start
    return total


def _idle(job: Job, place: int, lateness: Lateness) -> tuple[IdlePart, ...]:
    """Reasons of the idle time in the windows, from the rank's own trace."""
    try:
        trace = job.ranks[place].trace()
        if vocabulary(trace).family != "streams":
            return ()
        by = idle_in(trace, lateness.start, lateness.end)
    except LanescopeError:
        return ()
    parts = [IdlePart(what, IDLE_LABELS[what], ns) for what, ns in by.items() if ns > 0]
    return tuple(sorted(parts, key=lambda one: -one.ns))


def idle_in(trace: Trace, start: Array, end: Array) -> dict[str, float]:
    """Reason to ns of idle time of the devices of a trace within windows.

    A gap that a window cuts counts in proportion.
    """
    basis = stream_basis(trace)
    work, rule = basis.work, Reasoning(basis.trace, basis.work, basis.host)
    windows = Accumulated.of_union(start, end)
    total = dict.fromkeys(IDLE_LABELS, 0.0)
    for device in range(len(work.devices)):
        rows = np.flatnonzero(work.device == device)
        rows = rows[np.argsort(work.start[rows], kind="stable")]
        if not work.busy[rows].any():
            continue
        span = int(work.start[rows].min()), int(work.end[rows].max())
        gaps = idle_gaps(work.start[rows], work.end[rows], span)
        found = rule.of_gaps(gaps, rows, device)
        share = windows.between(gaps.start, gaps.end) / np.maximum(gaps.end - gaps.start, 1)
        for what, ns in found.by.items():
            total[what] += float((ns * share).sum())
    return total
