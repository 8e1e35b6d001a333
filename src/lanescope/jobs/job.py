"""A job: a set of stored traces, one per rank. Missing ranks are normal, and counted."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from lanescope.errors import InputError
from lanescope.jobs.facts import NEEDED, RankFacts, rank_facts
from lanescope.trace.lazy import open_lazily
from lanescope.trace.listing import traces_in
from lanescope.trace.places import Place, PlaceLike, place_of
from lanescope.trace.schema import MISSING32
from lanescope.trace.selection import select
from lanescope.trace.store import load
from lanescope.trace.trace import Trace
from lanescope.workers.batch import Failure
from lanescope.workers.mapping import map_over
from lanescope.workers.pool import Pool, open_pool

if TYPE_CHECKING:
    from lanescope.jobs.arrivals import Arrivals
    from lanescope.jobs.clock import JobClock

TRACES_PER_PROCESS = 8
"""Reading fewer is done before a process has started."""


@dataclass(frozen=True, slots=True, eq=False)
class Rank:
    """One rank of a job."""

    number: int
    place: str
    """Where its trace is stored."""
    facts: RankFacts
    part: int | None = None
    """Its number in a trace that holds several ranks; None where the trace is all its own."""

    def trace(self) -> Trace:
        """The rank's trace; columns are read when they are needed."""
        return _opened(self.place, self.part)

    def __repr__(self) -> str:
        return f"<Rank {self.number} of {_shown(self.place)}>"


@dataclass(frozen=True, slots=True)
class Unread:
    """A trace of the job that could not be used."""

    place: str
    why: str
    """A sentence."""


@dataclass(frozen=True, eq=False, repr=False)
class Job:
    """The ranks of one run, in the order of their numbers; `open_job` makes it."""

    name: str
    place: str
    ranks: tuple[Rank, ...]
    world: int | None
    """Number of ranks that the job had; None where no trace says so."""
    unread: tuple[Unread, ...] = ()
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.ranks)

    def __repr__(self) -> str:
        return f"<Job {self.name!r}: {self.present}>"

    @property
    def missing(self) -> tuple[int, ...]:
        """Numbers of the ranks that the job had and that have no trace here."""
        if self.world is None:
            return ()
        have = {rank.number for rank in self.ranks}
        return tuple(number for number in range(self.world) if number not in have)

    @property
    def present(self) -> str:
        """How many ranks are here, in words."""
        if self.world is None:
            return f"{len(self.ranks):,} ranks"
        return f"{len(self.ranks):,} of {self.world:,} ranks"

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of the ranks."""
        return tuple(rank.number for rank in self.ranks)

    @cached_property
    def arrivals(self) -> Arrivals:
        """The collectives of the job, matched over the ranks."""
        from lanescope.jobs.matching import match

        return match(self)

    @cached_property
    def clock(self) -> JobClock:
        """What puts the times of all ranks on one axis, with its error."""
        from lanescope.jobs.clock import align

        return align(self)


def open_job(
    path: PlaceLike,
    *,
    cluster: str | Executor | None = None,
    workers: int | None = None,
) -> Job:
    """Open the traces of all ranks of a job.

    Args:
        path: a folder with a stored trace per rank (`NAME.job/rank0.lanes`, …), or one stored
            trace that holds several ranks; also a URL (`s3://bucket/NAME.job`).
        cluster: who reads the traces: a Dask cluster (`local`, `slurm`, `k8s`, `tcp://…`) or an
            executor of your own; processes of this machine where nothing is said.
        workers: how many read at the same time; 0 is this process alone.

    Returns:
        The job; `job.clock` puts its ranks on one clock, `lanescope.ranks(job)` answers.

    Raises:
        InputError: there is no stored trace, or none could be read.

    Examples:
        >>> import lanescope
        >>> job = lanescope.open_job("train.job")
        >>> job.present
        '2 of 2 ranks'
    """
    folder = place_of(path)
    if folder.local is not None and not folder.local.is_dir():
        raise InputError(folder, "is no folder; a job is a folder with a stored trace per rank")
    found = traces_in(folder)
    if len(found) == 1 and found[0] == folder:
        return _of_one_trace(folder)
    places = [place.url for place in found]
    if not places:
        raise InputError(
            folder,
            "has no stored trace; 'lanescope import FILES -o NAME.job' makes one per rank",
        )
    with open_pool(cluster, workers, keys=len(places) // TRACES_PER_PROCESS) as pool:
        return _of_places(folder, places, pool)


def _of_places(folder: Place, places: Sequence[str], pool: Pool) -> Job:
    answers = dict(map_over(_facts_at, places, pool=pool, label="reading ranks"))
    found: list[tuple[str, RankFacts]] = []
    unread: list[Unread] = []
    for one in places:
        answer = answers[one]
        if isinstance(answer, Failure):
            unread.append(Unread(_shown(one), why_unread(answer)))
        else:
            found.append((one, answer))
    if not found:
        raise InputError(folder, f"has no trace that can be read; the first: {unread[0].why}")
    ranks, notes, twice = _numbered(found)
    worlds = {facts.world for _, facts in found if facts.world is not None}
    if len(worlds) > 1:
        said = ", ".join(str(one) for one in sorted(worlds))
        notes.append(f"The traces do not agree how many ranks the job had: {said}.")
    world = max(worlds, default=None)
    if world is not None and ranks and ranks[-1].number >= world:
        world = ranks[-1].number + 1
    name = folder.name.removesuffix(".job")
    return Job(name, str(folder), tuple(ranks), world, (*unread, *twice), tuple(notes))


def _facts_at(place: str) -> RankFacts:
    """What is kept of the trace at a place; a worker calls it."""
    return rank_facts(load(place, tables=NEEDED))


def _numbered(found: list[tuple[str, RankFacts]]) -> tuple[list[Rank], list[str], list[Unread]]:
    """The ranks by number; where no trace knows its rank, they are numbered by name."""
    notes: list[str] = []
    if all(facts.rank is None for _, facts in found):
        notes.append("No trace says its rank; they are numbered in the order of their names.")
        found = [(place, replace(facts, rank=n)) for n, (place, facts) in enumerate(found)]
    by_number: dict[int, Rank] = {}
    unread = []
    for place, facts in found:
        if facts.rank is None:
            where = _shown(place)
            unread.append(Unread(where, f"{where}: does not say its rank, while others do"))
        elif facts.rank in by_number:
            where, other = _shown(place), _shown(by_number[facts.rank].place)
            why = f"{where}: is of rank {facts.rank} as {other} is, which is taken"
            unread.append(Unread(where, why))
        else:
            by_number[facts.rank] = Rank(facts.rank, place, facts)
    return [by_number[number] for number in sorted(by_number)], notes, unread


def why_unread(failure: Failure) -> str:
    """Why a trace could not be read; its URL is told without credentials and options."""
    return failure.why.replace(failure.key, _shown(failure.key))


def _shown(place: str) -> str:
    """A path, or a URL without credentials."""
    return str(place_of(place))


def _of_one_trace(folder: Place) -> Job:
    """The ranks of one stored trace; its times are on one axis already."""
    trace = open_lazily(folder)
    numbers = np.unique(trace.cores["rank"])
    numbers = numbers[numbers != MISSING32]
    if len(numbers) < 2:
        raise InputError(
            folder,
            "is the trace of one rank; name a folder with a trace per rank, or use "
            "'lanescope report'",
        )
    ranks = []
    for number in numbers.tolist():
        facts = replace(rank_facts(select(trace, rank=number)), rank=number)
        ranks.append(Rank(number, folder.url, facts, part=number))
    return Job(trace.meta.name, str(folder), tuple(ranks), trace.meta.world)


def _opened(place: str, part: int | None) -> Trace:
    trace = open_lazily(place)
    return trace if part is None else select(trace, rank=part)
