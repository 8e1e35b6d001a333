"""How near what lanescope says of a made job comes to the truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lanescope.jobs.blame import RankBlame, blame
from lanescope.jobs.job import Job
from lanescope.jobs.roles import roles
from lanescope.jobs.steps import job_steps
from lanescope.jobs.stragglers import stragglers
from lanescope.jobs.waits import JobWaits

_LATE_LAUNCH = ("host_busy", "host_waiting", "host_unseen", "call")
"""Reasons of idle time that say that the host launched late."""
_ROUNDED_NS = 1.0
"""Times are whole ns, on the common axis and in the truth."""


@dataclass(frozen=True, slots=True)
class AlignmentScore:
    """How far the common clock is from true time, at the worst moment of each rank's trace."""

    ranks: int
    placed: int
    """Ranks with a stated error."""
    inside: int
    """Of these: ranks whose error is at most the stated one, …"""
    inside_island: int
    """… and ranks whose error beside those of their island is at most what is stated for that."""
    axes: int
    median_ns: float
    """Of the errors of the ranks with a stated one."""
    worst_ns: float
    stated_median_ns: float
    outside: tuple[tuple[int, float, float], ...]
    """Rank, its error and the stated one, of the ranks that are not inside."""

    @property
    def share(self) -> float:
        """Ranks inside their stated error / ranks with a stated one; 1 where there is none."""
        return self.inside / self.placed if self.placed else 1.0


def alignment(job: Job, told: dict[str, Any]) -> AlignmentScore:
    """Compare the job's clock with the true one.

    No clock of a job knows true time itself: an axis may lie anywhere and run at any rate, so one
    straight line per axis is free.
    """
    clock = job.clock
    knots = {one["rank"]: one for one in told["clock"]["ranks"]}
    local = np.array([knots[number]["local_ns"] for number in job.numbers], np.int64)
    true = np.array([knots[number]["true_ns"] for number in job.numbers], np.float64)
    places = np.arange(len(job.numbers))
    off = np.stack([clock.common(place, local[place]) for place in places]) - true
    stated = np.array([np.inf if one.error_ns is None else one.error_ns for one in clock.ranks])
    near = np.array([one.island_error_ns for one in clock.ranks])
    wrong = _by_part(clock.axes, true, off, stated)
    beside = _by_part(np.array([one.island for one in clock.ranks]), true, off, near)
    known = np.isfinite(stated)
    bad = known & (wrong > stated + _ROUNDED_NS)
    return AlignmentScore(
        ranks=len(places),
        placed=int(known.sum()),
        inside=int(known.sum() - bad.sum()),
        inside_island=int((beside <= near + _ROUNDED_NS).sum()),
        axes=len(np.unique(clock.axes)),
        median_ns=float(np.median(wrong[known])) if known.any() else 0.0,
        worst_ns=float(wrong[known].max()) if known.any() else 0.0,
        stated_median_ns=float(np.median(stated[known])) if known.any() else 0.0,
        outside=tuple(
            (job.numbers[k], float(wrong[k]), float(stated[k])) for k in np.flatnonzero(bad)
        ),
    )


def _by_part(part: np.ndarray, time: np.ndarray, off: np.ndarray, stated: np.ndarray) -> np.ndarray:
    """The error of each rank beside those of its axis, or of its island."""
    wrong = np.zeros(len(part))
    for one in np.unique(part):
        mine = part == one
        wrong[mine] = _off_line(time[mine], off[mine], stated[mine])
    return wrong


def _off_line(time: np.ndarray, wrong: np.ndarray, stated: np.ndarray) -> np.ndarray:
    """Largest distance of each row of `wrong` from the line that most rows lie near.

    A row counts the more the smaller its stated error is: an axis may be that of one rank.
    """
    weight = 1 / np.clip(np.where(np.isfinite(stated), stated, 1e12), 1.0, None)
    middle, each = time.mean(), np.ones_like(time)
    use = np.ones(len(time), bool)
    distance = np.zeros(len(time))
    for _ in range(4):
        lean = (each[use] * weight[use, None]).ravel()
        slope, offset = np.polyfit((time[use] - middle).ravel(), wrong[use].ravel(), 1, w=lean)
        distance = np.abs(wrong - offset - slope * (time - middle)).max(axis=1)
        far = distance / np.maximum(stated, 1.0)
        use = far <= max(4 * float(np.median(far)), 1.0)
    return distance


@dataclass(frozen=True, slots=True)
class WaitScore:
    """How near waits and last arrivals come to the truth, in collectives that end together."""

    collectives: int
    """That the truth has, with every rank here."""
    compared: int
    decided: int
    """Of those compared: collectives whose last rank is stated beyond doubt."""
    wrong: int
    """Of those decided: another rank was last."""
    wait_error: float
    """Sum over the collectives of |stated - true wait| / sum of the true waits, where compared."""


def waiting(job: Job, found: JobWaits, told: dict[str, Any]) -> WaitScore:
    """Compare who came last and who waited; the numbers must be those of the source."""
    detail = found.detail
    arrivals = detail.arrivals
    names = [name.partition(" [")[0] for name in arrivals.groups]
    true = {
        (one["group"], one["sequence"]): one
        for one in told["collectives"]
        if one["kind"] != "broadcast"
    }
    keys = zip(arrivals.group.tolist(), arrivals.sequence.tolist(), strict=True)
    rows = [true.get((names[group], sequence)) for group, sequence in keys]
    both = np.array([one is not None for one in rows], bool) & arrivals.complete
    last = np.array([one["last"] if one else -1 for one in rows])
    true_wait = np.array([one["wait_ns"] if one else 0 for one in rows], np.float64)
    said = np.array(job.numbers)[detail.last] if len(detail.last) else last
    decided = both & detail.decided
    whole = float(true_wait[both].sum())
    return WaitScore(
        collectives=len(true),
        compared=int(both.sum()),
        decided=int(decided.sum()),
        wrong=int((decided & (said != last)).sum()),
        wait_error=float(np.abs(detail.waited - true_wait)[both].sum()) / whole if whole else 0.0,
    )


@dataclass(frozen=True, slots=True)
class TroubleScore:
    """Whether the one who holds up the job was named."""

    expected: str
    said: str
    cause: str = ""
    """Why that one rank does, as the truth has it; empty where it is no single rank."""
    said_cause: str = ""

    @property
    def right(self) -> bool:
        """Whether the one who was named is the true one."""
        return self.expected == self.said

    @property
    def right_cause(self) -> bool:
        """Whether the cause is the true one."""
        return self.cause == self.said_cause


def trouble(job: Job, found: JobWaits, told: dict[str, Any]) -> TroubleScore:
    """Compare the straggler and its cause, or the role that takes longer, with the truth."""
    own_roles = roles(job)
    answer = stragglers(job, found, job_steps(job, found), own_roles)
    true = told["trouble"]
    late = true["late_ranks"]
    expected, cause = "no single rank", ""
    if true["straggler"] is not None:
        expected, cause = f"rank {true['straggler']}", true["cause"]
    elif len(late) == 1:
        expected, cause = f"rank {late[0]}", true["cause"]
    elif true["slow_stage"] is not None:
        expected = f"stage {true['slow_stage']}"
    said, said_cause = "no single rank", ""
    if answer.straggler is not None:
        said = f"rank {answer.straggler}"
        said_cause = _cause(blame(job, found, own_roles, answer.straggler), answer.straggler)
    elif answer.role is not None:
        ranks = next(one.ranks for one in answer.roles if one.role == answer.role)
        replicas = told["plan"]["ranks"] // told["plan"]["stages"]
        stages = sorted({rank // replicas for rank in ranks})
        here = [rank for rank in job.numbers if rank // replicas in stages]
        whole = len(stages) == 1 and [*ranks] == here
        said = f"stage {stages[0]}" if whole else f"ranks {', '.join(map(str, ranks))}"
    return TroubleScore(expected, said, cause, said_cause)


def _cause(blamed: Sequence[RankBlame], rank: int) -> str:
    """The cause that blame tells of a rank, in the words of the truth."""
    one = next((one for one in blamed if one.rank == rank), None)
    if one is None:
        return "not explained"
    late = bool(one.idle) and one.idle[0].what in _LATE_LAUNCH
    return "launched late" if one.main == "idle" and late else one.main or "not explained"
