"""How much faster the steps of a job were if no task took longer than it should, and whose fault.

The figures are those of the published straggler study, for any job: S, S_t, S_w, M_W and M_S.
Source: ByteDance-Seed/StragglerAnalysis (OSDI 2025); docs/straggler-study.md defines them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.jobs.ideal_lengths import lengths_of_job, lengths_of_peers
from lanescope.jobs.job import Job
from lanescope.jobs.job_tasks import job_tasks
from lanescope.jobs.pipelines import pipelines
from lanescope.jobs.replay_graph import job_graph
from lanescope.jobs.replays import MOST_PARTS, Explained, Replays, mean, ratio
from lanescope.jobs.roles import roles
from lanescope.results import Result
from lanescope.trace.table import Array

_WORST_PERCENT = 3
"""So many of the ranks, rounded up, are the worst ones; as in the study."""
_EVEN = 1.03
"""A smaller slowdown has no cause worth a name; below it the study asks no further, either."""
_HALF = 0.5
"""Who explains this share of the slowdown is its cause."""
_NEARLY = 0.9
"""Of the worst ranks those are blamed who explain this share of what all of them explain."""


@dataclass(frozen=True, slots=True)
class StepLength(Result):
    """One step, as recorded and as replayed."""

    step: int
    recorded_ns: int
    replayed_ns: int
    """With recorded lengths of tasks; without launch delays, where the order is recorded."""
    ideal_ns: int


@dataclass(frozen=True, slots=True)
class FunctionSlowdown(Result):
    """The slowdown if only this function has recorded lengths."""

    name: str
    """Functions that take part in the same collectives count as one."""
    slowdown: float


@dataclass(frozen=True, slots=True)
class RanksSlowdown(Result):
    """The slowdown if only the ranks of one role, or of one pipeline, have recorded lengths."""

    number: int
    ranks: tuple[int, ...]
    slowdown: float


@dataclass(frozen=True, slots=True)
class RankSlowdown(Result):
    """One rank's part in the slowdown."""

    rank: int
    name: str
    """What its trace is called."""
    role: int
    pipeline: int
    slowdown: float | None
    """The smaller one of its role's and its pipeline's; None where these were not replayed."""


@dataclass(frozen=True, slots=True)
class Ideal(Result):
    """A job beside itself with ideal lengths. Parts are sorted: the largest slowdown first."""

    against: str
    """Where ideal lengths come from: `job` or `peers`."""
    slowdown: float
    """S: mean replayed step time / mean ideal step time."""
    launch_slowdown: float
    """Mean recorded step time / mean replayed step time."""
    cause: str
    """`ranks`, `role`, `spread` (neither explains half of it), or `none` (no slowdown)."""
    blamed: tuple[int, ...]
    """The ranks that are the cause."""
    worst_ranks: Explained | None
    """M_W; None where there is one rank only."""
    slowest_role: Explained | None
    """The role with the largest slowdown; None where all ranks play one role."""
    last_role: Explained | None
    """M_S: the role with the highest ranks, which is the last stage of a pipeline."""
    functions: tuple[FunctionSlowdown, ...]
    """S_t"""
    roles: tuple[RanksSlowdown, ...]
    pipelines: tuple[RanksSlowdown, ...]
    ranks: tuple[RankSlowdown, ...]
    """S_w"""
    steps: tuple[StepLength, ...]
    notes: tuple[str, ...]


def ideal(job: Job) -> Ideal:
    """Compare a job with itself if every task took what its function takes in the whole job.

    Raises:
        LanescopeError: tasks of a step wait for each other in a circle.
    """
    tasks = job_tasks(job)
    graph = job_graph(tasks)
    lengths = lengths_of_job(tasks, graph.length)
    return _answer(job, Replays(job.numbers, tasks, graph, lengths), roles(job).role, "job")


def ideal_of_peers(job: Job) -> Ideal:
    """Compare a job with itself if every task took as long as on ranks that do the same work.

    Raises:
        LanescopeError: tasks of a step wait for each other in a circle.
    """
    tasks = job_tasks(job)
    graph = job_graph(tasks)
    role = roles(job).role
    lengths = lengths_of_peers(tasks, graph.length, role)
    return _answer(job, Replays(job.numbers, tasks, graph, lengths), role, "peers")


def _answer(job: Job, replays: Replays, role: Array, against: str) -> Ideal:
    tasks, pipeline = replays.tasks, pipelines(job)
    steps = _steps(replays)
    slowdown = ratio(mean(replays.replayed), mean(replays.best))
    by_role = replays.slowdowns(role[tasks.rank], _count(role))
    by_pipeline = replays.slowdowns(pipeline[tasks.rank], _count(pipeline))
    part, names = replays.function_parts()
    by_function = replays.slowdowns(part, len(names))
    ranks = _ranks(job, (role, by_role), (pipeline, by_pipeline))
    worst = _worst(replays, ranks)
    slowest = max(by_role, key=by_role.__getitem__, default=0)
    several = len(by_role) > 1
    of_role = replays.explained(_members(role, slowest)) if several else None
    last = replays.explained(_members(role, _count(role) - 1)) if several else None
    cause, blamed = _cause(slowdown, worst, of_role)
    if cause == "ranks":
        blamed = _fewest(replays, blamed)
    functions = [FunctionSlowdown(names[one], value) for one, value in by_function.items()]
    recorded = mean(np.array([one.recorded_ns for one in steps]))
    return Ideal(
        against=against,
        slowdown=slowdown,
        launch_slowdown=ratio(recorded, mean(replays.replayed)),
        cause=cause,
        blamed=blamed,
        worst_ranks=worst,
        slowest_role=of_role,
        last_role=last,
        functions=tuple(sorted(functions, key=lambda one: -one.slowdown)),
        roles=_parts(job, role, by_role),
        pipelines=_parts(job, pipeline, by_pipeline),
        ranks=ranks,
        steps=steps,
        notes=(*tasks.notes, *_notes(replays, max(_count(role), _count(pipeline)))),
    )


def _steps(replays: Replays) -> tuple[StepLength, ...]:
    tasks = replays.tasks
    columns = (tasks.steps, tasks.step_times(tasks.end), replays.replayed, replays.best)
    return tuple(StepLength(*row) for row in zip(*(c.tolist() for c in columns), strict=True))


def _count(part: Array) -> int:
    return int(part.max()) + 1


def _members(part: Array, number: int) -> list[int]:
    places: list[int] = np.flatnonzero(part == number).tolist()
    return places


def _parts(job: Job, part: Array, slowdowns: dict[int, float]) -> tuple[RanksSlowdown, ...]:
    found = [
        RanksSlowdown(one, tuple(job.numbers[at] for at in _members(part, one)), value)
        for one, value in slowdowns.items()
    ]
    return tuple(sorted(found, key=lambda one: -one.slowdown))


def _ranks(
    job: Job, roles: tuple[Array, dict[int, float]], pipelines: tuple[Array, dict[int, float]]
) -> tuple[RankSlowdown, ...]:
    found = []
    for at, rank in enumerate(job.ranks):
        own = [
            (int(part[at]), slowdowns.get(int(part[at]))) for part, slowdowns in (roles, pipelines)
        ]
        known = [value for _, value in own if value is not None]
        slowdown = min(known) if len(known) == 2 else None
        found.append(RankSlowdown(rank.number, rank.facts.name, own[0][0], own[1][0], slowdown))
    return tuple(sorted(found, key=lambda one: (-(one.slowdown or 0.0), one.rank)))


def _worst(replays: Replays, ranks: tuple[RankSlowdown, ...]) -> Explained | None:
    if len(ranks) < 2:
        return None
    many = -(-len(ranks) * _WORST_PERCENT // 100)
    return replays.explained([replays.ranks.index(one.rank) for one in ranks[:many]])


def _cause(
    slowdown: float, worst: Explained | None, role: Explained | None
) -> tuple[str, tuple[int, ...]]:
    if slowdown < _EVEN:
        return "none", ()
    for cause, found in (("ranks", worst), ("role", role)):
        if found is not None and (found.removed or 0.0) >= _HALF:
            return cause, found.ranks
    return "spread", ()


def _fewest(replays: Replays, worst: tuple[int, ...]) -> tuple[int, ...]:
    """The first of the worst ranks that explain nearly as much as all of them."""
    places = [replays.ranks.index(rank) for rank in worst]
    needed = _NEARLY * (replays.explained(places).removed or 0.0)
    many = 1
    while many < len(places) and (replays.explained(places[:many]).removed or 0.0) < needed:
        many *= 2
    return worst[:many]


def _notes(replays: Replays, parts: int) -> list[str]:
    notes = []
    if replays.graph.contradicted:
        many = f"{replays.graph.contradicted:,} dependencies"
        notes.append(f"{many} were left out: the recording contradicts them.")
    if parts > MOST_PARTS:
        notes.append(
            f"Of {parts:,} roles or pipelines the {MOST_PARTS} that lost most time were replayed."
        )
    return notes
