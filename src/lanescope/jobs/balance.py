"""How evenly the work is spread over the ranks of a role, and over the whole job."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lanescope.jobs.roles import Roles
from lanescope.jobs.steps import JobSteps
from lanescope.results import Result
from lanescope.trace.table import Array

if TYPE_CHECKING:
    from lanescope.jobs.job import Job


@dataclass(frozen=True, slots=True)
class RoleBalance(Result):
    """Work of the ranks of one role per step, or of all ranks."""

    role: int | None
    """None of the whole job."""
    ranks: int
    mean_ns: float
    max_ns: float
    most: int
    """The rank with the most work."""
    min_ns: float
    least: int
    imbalance: float
    """max / mean - 1: so much of a step the others have nothing to do, if nothing else delays."""


def balance(job: Job, steps: JobSteps, roles: Roles) -> tuple[RoleBalance, ...]:
    """The whole job first, then its roles, where there are several."""
    if not len(steps.step):
        return ()
    # The median over steps keeps one slow step from looking like imbalance.
    usual = np.array([_median(row) for row in steps.work])
    everyone = np.flatnonzero(usual > 0)
    parts: list[tuple[int | None, Array]] = [(None, everyone)]
    if roles.count > 1:
        parts += [(role, everyone[roles.role[everyone] == role]) for role in range(roles.count)]
    found = []
    for role, mine in parts:
        if len(mine) < 2:
            continue
        values = usual[mine]
        mean = float(values.mean())
        most, least = int(mine[values.argmax()]), int(mine[values.argmin()])
        found.append(
            RoleBalance(
                role=role,
                ranks=len(mine),
                mean_ns=mean,
                max_ns=float(values.max()),
                most=job.ranks[most].number,
                min_ns=float(values.min()),
                least=job.ranks[least].number,
                imbalance=float(values.max()) / mean - 1,
            )
        )
    return tuple(found)


def _median(values: Array) -> float:
    known = values[~np.isnan(values)]
    return float(np.median(known)) if len(known) else np.nan
