"""Finds which invocation in the host's logs ran which rank: by name, by epoch, or by fit."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from pathlib import Path
from typing import Literal

from lanescope.errors import InputError
from lanescope.formats.simpler.identity import DispatchIdentity
from lanescope.formats.simpler.invocations import Invocation

MOST_ASSIGNMENTS = 200_000
"""Ways of matching ranks and invocations that are tried at most."""
MARGIN = 4
"""How many times better than the next one the best fit must be."""

MatchedBy = Literal["identity", "run_epoch", "fit", ""]


@dataclass(frozen=True, slots=True, kw_only=True)
class RankRun:
    """What is known of one rank's run; `path` is its records file."""

    path: Path
    identity: DispatchIdentity | None = None
    run_epoch: int | None = None
    fit: Callable[[Invocation], Fraction | None] = lambda invocation: None
    """how badly an invocation's spans fit the records; None where they cannot be of one run"""


@dataclass(frozen=True, slots=True)
class InvocationMatch:
    """The invocation that ran a rank, and how it was found; or why there is none."""

    invocation: Invocation | None
    by: MatchedBy
    problem: str = ""


def invocation_of(run: RankRun, invocations: Sequence[Invocation]) -> InvocationMatch:
    """Find one rank's invocation; see `match_invocations`."""
    return match_invocations([run], invocations)[0]


def match_invocations(
    runs: Sequence[RankRun], invocations: Sequence[Invocation]
) -> list[InvocationMatch]:
    """Find the invocation of every rank, each at most once.

    What a rank's file says of process and dispatch comes first, then the epoch of its run. Ranks
    that both leave open are fitted together: the best way of matching them all must beat the next
    best four times.

    Raises InputError where there are more than MOST_ASSIGNMENTS ways.
    """
    open_to = [_candidates(run, invocations) for run in runs]
    claims = Counter(id(found[0]) for found, by in open_to if len(found) == 1 and by)
    matches: dict[int, InvocationMatch] = {}
    for k, (found, by) in enumerate(open_to):
        if not found:
            matches[k] = InvocationMatch(None, "", _nobody(runs[k], invocations))
        elif len(found) == 1 and by:
            if claims[id(found[0])] == 1:
                matches[k] = InvocationMatch(found[0], by)
                continue
            problem = f"several ranks name pid {found[0].pid} inv {found[0].inv} as theirs"
            matches[k] = InvocationMatch(None, "", problem)
    free = [k for k in range(len(runs)) if k not in matches]
    if free:
        left = [[one for one in open_to[k][0] if id(one) not in claims] for k in free]
        matches.update(zip(free, _fitted([runs[k] for k in free], left), strict=True))
    return [matches[k] for k in range(len(runs))]


def _candidates(
    run: RankRun, invocations: Sequence[Invocation]
) -> tuple[list[Invocation], MatchedBy]:
    """Invocations that may be the run's, and what the last narrowing went by.

    An invocation that names another dispatch or epoch is out; one that names none stays in until
    another one names the right one.
    """
    left = list(invocations)
    by: MatchedBy = ""
    if run.identity is not None:
        if run.identity.host_pid is not None:
            left = [one for one in left if one.pid == run.identity.host_pid]
        named = [one for one in left if one.identity == run.identity.of_host]
        left = named or [one for one in left if one.identity is None]
        by = "identity" if named else ""
    if run.run_epoch is not None and not (by and len(left) == 1):
        named = [one for one in left if one.run_epoch == run.run_epoch]
        left = named or [one for one in left if one.run_epoch is None]
        by = "run_epoch" if named else by
    return left, by


def _nobody(run: RankRun, invocations: Sequence[Invocation]) -> str:
    if not invocations:
        return "the host's logs hold no run of a chip"
    pid = run.identity.host_pid if run.identity is not None else None
    if pid is not None and all(one.pid != pid for one in invocations):
        return f"the host's logs hold no run of process {pid}"
    return f"none of the {len(invocations)} runs in the host's logs is this one"


def _fitted(runs: list[RankRun], left: list[list[Invocation]]) -> list[InvocationMatch]:
    """Match ranks by how well the spans fit: all that fit any invocation at once."""
    costs = [_costs(run, some) for run, some in zip(runs, left, strict=True)]
    fitting = [k for k, cost in enumerate(costs) if cost]
    best: tuple[Invocation, ...] = ()
    problem = ""
    if fitting:
        everyone = {id(one): one for some in left for one in some}
        possible = {key: everyone[key] for k in fitting for key in costs[k]}
        _require_few(runs[fitting[0]], len(possible), len(fitting))
        best, problem = _best([costs[k] for k in fitting], list(possible.values()))
    matches = dict(zip(fitting, best, strict=True)) if best else {}
    nobody = InvocationMatch(None, "", problem)
    too_short = InvocationMatch(None, "", "no run in the host's logs can contain the records")
    return [
        InvocationMatch(matches[k], "fit") if k in matches else nobody if costs[k] else too_short
        for k in range(len(runs))
    ]


def _costs(run: RankRun, some: list[Invocation]) -> dict[int, Fraction]:
    """The fit of every invocation that can be the run's."""
    fits = ((id(one), run.fit(one)) for one in some)
    return {key: fit for key, fit in fits if fit is not None}


def _require_few(run: RankRun, invocations: int, ranks: int) -> None:
    ways = math.perm(invocations, ranks)
    if ways > MOST_ASSIGNMENTS:
        problem = (
            f"{ranks} ranks say nothing of their dispatch, and {invocations} runs in the host's "
            f"logs may be theirs: {ways} ways of matching them, more than {MOST_ASSIGNMENTS}; name "
            "fewer logs"
        )
        raise InputError(run.path, problem)


def _best(
    costs: list[dict[int, Fraction]], possible: list[Invocation]
) -> tuple[tuple[Invocation, ...], str]:
    """The way of matching that fits best; empty where it is not clear, and why."""
    ways = []
    for way in permutations(possible, len(costs)):
        parts = [cost.get(id(one)) for cost, one in zip(costs, way, strict=True)]
        known = [part for part in parts if part is not None]
        if len(known) == len(parts):
            ways.append((sum(known, Fraction(0)), way))
    ways.sort(key=lambda scored: scored[0])
    if not ways:
        return (), f"{len(costs)} ranks, and too few runs in the host's logs that may be theirs"
    if len(ways) > 1:
        best, following = ways[0][0], ways[1][0]
        if following == best or following < MARGIN * best:
            clear = f"and the best is not {MARGIN} times better than the next"
            return (), f"{len(ways)} ways of matching ranks and runs fit, {clear}"
    return ways[0][1], ""
