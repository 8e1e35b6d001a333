"""Whether one rank holds up the job: who, how often, by how much, how stable; "none" is an answer.

Two measures are taken. Work: a rank's computing time per step against the median of the ranks of
the same role, in robust standard deviations (MAD). Lateness: the collectives at which it arrived
last beyond the clocks' error, and what the others waited there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lanescope.jobs.roles import Roles
from lanescope.jobs.steps import JobSteps
from lanescope.jobs.waits import JobWaits
from lanescope.results import Result
from lanescope.trace.table import Array

if TYPE_CHECKING:
    from lanescope.jobs.job import Job

_SLOWER = 1.05
"""A rank is slow from this ratio to its peers on …"""
_SURE = 5.0
"""… if it lies so many robust standard deviations above them."""
_OFTEN = 0.5
"""A rank is a straggler when that holds in this part of the steps, or when it causes this part of
all waiting."""
_MATTERS = 0.02
"""A late rank is called so when it delays the job by this part of its time."""
_HOST_OFTEN = 0.25
_FEWEST_STEPS = 3
"""Fewer steps do not tell whether a machine is late by chance."""
_ROLE_SLOWER = 1.1
_OUTSTANDING = 0.7
"""The slowest rank is the straggler when the next one is slower than usual by less than this part
of it."""
_MAD_TO_SIGMA = 1.4826
"""MAD of a normal distribution to its standard deviation."""
_LEAST_SPREAD = 0.002
"""Peers that agree better than this are taken to differ by so much."""


@dataclass(frozen=True, slots=True)
class RankScore(Result):
    """One rank beside the others of its role."""

    rank: int
    role: int
    work_ns: float | None
    """Median computing time per step."""
    ratio: float | None
    """work_ns / median of the role."""
    sigmas: float | None
    """How many robust standard deviations it lies above its peers; median over steps."""
    slow_steps: int
    """Steps in which it is slow beside its peers."""
    steps: int
    first_half: float | None
    """Ratio to its peers in the first half of the steps, and …"""
    second_half: float | None
    """… in the second."""
    times_last: int
    last_share: float | None
    """times_last / collectives whose last rank is known."""
    caused_ns: int
    caused_share: float | None
    """caused_ns / waiting at all collectives whose last rank is known."""
    worst_steps: int
    """Steps in which it causes more waiting than any other rank."""
    delay_share: float | None
    """By how much it was later than the next one, summed over collectives, / time of the job."""


@dataclass(frozen=True, slots=True)
class RoleScore(Result):
    """One role beside the others."""

    role: int
    ranks: tuple[int, ...]
    work_ns: float | None
    """Median computing time per step over its ranks."""
    ratio: float | None
    """work_ns / median over the other roles; None where there is no other."""


@dataclass(frozen=True, slots=True)
class HostScore(Result):
    """The ranks of one machine together."""

    host: str
    ranks: tuple[int, ...]
    caused_ns: int
    caused_share: float | None
    worst_steps: int
    """Steps in which its ranks cause more waiting than those of any other machine."""


@dataclass(frozen=True, slots=True)
class Stragglers(Result):
    """Who holds up the job."""

    verdict: str
    """`slow`, `several` (slow), `late`, `role`, `host`, `none` or `unknown`; see `sentence`."""
    straggler: int | None
    """The rank that holds up the job; None where no single rank does."""
    role: int | None
    """The role that takes longer than others; None where none does."""
    sentence: str
    ranks: tuple[RankScore, ...]
    """The one that is suspected most comes first."""
    roles: tuple[RoleScore, ...]
    hosts: tuple[HostScore, ...]
    """Where machines are known; the one that causes most waiting comes first."""


def stragglers(job: Job, found: JobWaits, steps: JobSteps, roles: Roles) -> Stragglers:
    """Judge every rank and every role."""
    peers = against_peers(steps.work, roles.role)
    scores = _scores(job, found, steps, roles, peers)
    by_role = _role_scores(job, steps, roles)
    return _judged(found, scores, by_role, _host_scores(job, found, steps), len(steps.step))


def _judged(
    found: JobWaits,
    scores: list[RankScore],
    by_role: tuple[RoleScore, ...],
    hosts: tuple[HostScore, ...],
    steps: int,
) -> Stragglers:
    slow = [
        one
        for one in scores
        if one.ratio is not None
        and one.ratio >= _SLOWER
        and one.steps
        and one.slow_steps >= max(1, _OFTEN * one.steps)
    ]
    slow.sort(key=lambda one: -(one.ratio or 0.0))
    late = max(scores, key=lambda one: one.caused_ns, default=None)
    ordered = sorted(scores, key=lambda one: (-(one.ratio or 0.0), -one.caused_ns))
    verdict, straggler, role = "none", None, None
    sentence = "No single rank holds up the job."
    long_roles = [one for one in by_role if (one.ratio or 0.0) >= _ROLE_SLOWER]
    if slow:
        alone = len(slow) == 1 or _stands_out(slow[0], slow[1])
        verdict, straggler = ("slow", slow[0].rank) if alone else ("several", None)
        sentence = _slow_sentence(slow) if alone else _several_sentence(slow)
    elif late is not None and _is_late(late, steps):
        verdict, straggler = "late", late.rank
        ordered = sorted(scores, key=lambda one: -one.caused_ns)
        sentence = (
            f"Rank {late.rank} causes {late.caused_share:.0%} of the waiting: it is last in "
            f"{late.times_last:,} of {found.decided:,} collectives whose last rank is known, and "
            f"causes most in {late.worst_steps:,} of {steps:,} steps. Its work takes no longer "
            "than that of its peers."
        )
    elif long_roles:
        longest = max(long_roles, key=lambda one: one.ratio or 0.0)
        verdict, role = "role", longest.role
        sentence = (
            f"No single rank holds up the job, but the ranks of one role do: "
            f"{_some(longest.ranks)} compute {longest.ratio:.2f} times as long as ranks of other "
            "roles."
        )
    elif len(hosts) > 2 and _is_late_host(hosts[0], steps):
        verdict = "host"
        sentence = (
            f"No single rank holds up the job, but one machine does: the {len(hosts[0].ranks):,} "
            f"ranks of {hosts[0].host} cause {hosts[0].caused_share:.0%} of the waiting."
        )
    elif not found.decided and all(one.ratio is None for one in scores):
        verdict = "unknown"
        sentence = "Nothing can be compared: the ranks share no collectives and no steps."
    return Stragglers(verdict, straggler, role, sentence, tuple(ordered), by_role, hosts)


def _is_late(one: RankScore, steps: int) -> bool:
    """It causes most of the waiting, does so often, and the job would be faster without it."""
    often = (one.last_share or 0.0) >= _OFTEN or one.worst_steps > _OFTEN * steps
    matters = (one.delay_share or 0.0) >= _MATTERS
    return (one.caused_share or 0.0) >= _OFTEN and often and matters


def _is_late_host(one: HostScore, steps: int) -> bool:
    """Its ranks cause most of the waiting, and that is not the chance of a few steps."""
    often = steps >= _FEWEST_STEPS and one.worst_steps >= max(2, _HOST_OFTEN * steps)
    return (one.caused_share or 0.0) >= _OFTEN and often


def _stands_out(first: RankScore, second: RankScore) -> bool:
    return (second.ratio or 1.0) - 1 < _OUTSTANDING * ((first.ratio or 1.0) - 1)


def _slow_sentence(slow: list[RankScore]) -> str:
    one = slow[0]
    stable = f"in {one.slow_steps:,} of {one.steps:,} steps"
    text = f"Rank {one.rank} computes {one.ratio:.2f} times as long as its peers, {stable}."
    if len(slow) > 1:
        text += f" So do {len(slow) - 1:,} more: {_some(tuple(other.rank for other in slow[1:]))}."
    return text


def _several_sentence(slow: list[RankScore]) -> str:
    ratios = [one.ratio for one in slow if one.ratio]
    return (
        f"No single rank holds up the job, but {len(slow):,} ranks compute {min(ratios):.2f} to "
        f"{max(ratios):.2f} times as long as their peers: {_some(tuple(o.rank for o in slow))}."
    )


def _some(ranks: tuple[int, ...]) -> str:
    shown = ", ".join(str(rank) for rank in ranks[:6])
    more = f" and {len(ranks) - 6:,} more" if len(ranks) > 6 else ""
    return f"{'rank' if len(ranks) == 1 else 'ranks'} {shown}{more}"


@dataclass(frozen=True, slots=True, eq=False)
class PeerRatios:
    """By rank and step, beside the ranks of the same role; NaN where there is no peer."""

    ratio: Array
    sigmas: Array


def against_peers(work: Array, role: Array) -> PeerRatios:
    """Hold the work of every rank in every step (rank × step) against the others of its role."""
    ratio, sigmas = np.full(work.shape, np.nan), np.full(work.shape, np.nan)
    for one in np.unique(role).tolist():
        mine = np.flatnonzero(role == one)
        if len(mine) < 2:
            continue
        values = work[mine]
        usable = np.count_nonzero(~np.isnan(values), axis=0) >= 2
        if not usable.any():
            continue
        part = values[:, usable]
        # A rank is held against the others: in a small role it would pull the median its way.
        middle = np.stack([_median(np.delete(part, k, axis=0)) for k in range(len(mine))])
        apart = np.abs(part - _median(part))
        spread = np.maximum(_MAD_TO_SIGMA * _median(apart), _LEAST_SPREAD * middle)
        with np.errstate(invalid="ignore", divide="ignore"):
            ratio[np.ix_(mine, np.flatnonzero(usable))] = part / middle
            sigmas[np.ix_(mine, np.flatnonzero(usable))] = (part - middle) / spread
    return PeerRatios(ratio, sigmas)


def _median(values: Array) -> Array:
    """Median over ranks, without warning where nothing is known."""
    empty = np.isnan(values).all(axis=0)
    result = np.full(values.shape[1], np.nan)
    if not empty.all():
        result[~empty] = np.nanmedian(values[:, ~empty], axis=0)
    return result


def _scores(
    job: Job, found: JobWaits, steps: JobSteps, roles: Roles, peers: PeerRatios
) -> list[RankScore]:
    total = sum(one.caused_ns for one in found.ranks)
    half = len(steps.step) // 2
    span = max((rank.facts.last_ns - rank.facts.first_ns for rank in job.ranks), default=0)
    most = np.nanmax(np.nan_to_num(steps.caused), axis=0) if len(steps.step) else np.zeros(0)
    worst = (steps.caused == most) & (most > 0)
    slow = (peers.ratio >= _SLOWER) & (peers.sigmas >= _SURE)
    scores = []
    for place, (rank, own) in enumerate(zip(job.ranks, found.ranks, strict=True)):
        ratio = peers.ratio[place]
        scores.append(
            RankScore(
                rank=rank.number,
                role=int(roles.role[place]),
                work_ns=_middle(steps.work[place]),
                ratio=_middle(ratio),
                sigmas=_middle(peers.sigmas[place]),
                slow_steps=int(slow[place].sum()),
                steps=int(np.count_nonzero(~np.isnan(ratio))),
                first_half=_middle(ratio[:half]),
                second_half=_middle(ratio[half:]),
                times_last=own.times_last,
                last_share=own.times_last / found.decided if found.decided else None,
                caused_ns=own.caused_ns,
                caused_share=own.caused_ns / total if total else None,
                worst_steps=int(worst[place].sum()),
                delay_share=own.margin_ns / span if span else None,
            )
        )
    return scores


def _role_scores(job: Job, steps: JobSteps, roles: Roles) -> tuple[RoleScore, ...]:
    medians = []
    for role in range(roles.count):
        mine = np.flatnonzero(roles.role == role)
        medians.append(_middle(steps.work[mine].ravel()))
    return tuple(
        RoleScore(
            role=role,
            ranks=tuple(job.ranks[place].number for place in np.flatnonzero(roles.role == role)),
            work_ns=work,
            ratio=_beside_others(medians, role),
        )
        for role, work in enumerate(medians)
    )


def _beside_others(medians: list[float | None], role: int) -> float | None:
    """Work of a role / median over the other roles; None where there is no other."""
    own = medians[role]
    others = [one for k, one in enumerate(medians) if k != role and one]
    return own / float(np.median(others)) if own is not None and others else None


def _host_scores(job: Job, found: JobWaits, steps: JobSteps) -> tuple[HostScore, ...]:
    by_host: dict[str, list[int]] = {}
    for place, rank in enumerate(job.ranks):
        by_host.setdefault(rank.facts.host, []).append(place)
    if "" in by_host:
        return ()
    total = sum(one.caused_ns for one in found.ranks)
    caused_by = np.stack(
        [np.nan_to_num(steps.caused[places]).sum(axis=0) for places in by_host.values()]
    )
    worst = (caused_by == caused_by.max(axis=0)) & (caused_by > 0)
    scores = []
    for number, (host, places) in enumerate(by_host.items()):
        caused = sum(found.ranks[place].caused_ns for place in places)
        ranks = tuple(job.ranks[place].number for place in places)
        share = caused / total if total else None
        scores.append(HostScore(host, ranks, caused, share, int(worst[number].sum())))
    return tuple(sorted(scores, key=lambda one: -one.caused_ns))


def _middle(values: Array) -> float | None:
    known = values[~np.isnan(values)]
    return float(np.median(known)) if len(known) else None
