"""Tasks of all ranks by step, as columns on the common axis: what a job is replayed from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from lanescope.errors import LanescopeError
from lanescope.jobs.arrivals import FROM_ROOT, MESSAGE, TO_ROOT, TOGETHER, Arrivals
from lanescope.jobs.job import TRACES_PER_PROCESS, Job, why_unread
from lanescope.jobs.rank_tasks import RankTasks, rank_tasks
from lanescope.jobs.steps import COUNTED, WHOLE, JobSteps, job_steps
from lanescope.jobs.waits import waits
from lanescope.render.cells import many_text
from lanescope.trace.lazy import open_lazily
from lanescope.trace.numbering import find, numbered
from lanescope.trace.table import Array
from lanescope.workers.batch import Failure
from lanescope.workers.mapping import map_over
from lanescope.workers.pool import open_pool

_COMMUNICATION = "communication"
_FOUND = {
    COUNTED: "a step lasts from one operation of an even group to the next",
    WHOLE: "the whole recording is one step",
}
"""What steps are where no rank marks them."""


@dataclass(frozen=True, slots=True, eq=False)
class CollectiveParts:
    """Tasks that are a part of a collective, each in the place of its task; -1 for other tasks."""

    collective: Array
    """Number of the collective, from 0."""
    waited_for: Array
    """Mask: parts that wait do so until this one has started."""
    waits: Array
    """Mask: it waits for the start of others."""
    sends: Array
    """Mask: it sends a message, and may end before the receiver starts."""


@dataclass(frozen=True, slots=True, eq=False)
class JobTasks:
    """Tasks that ran in a step, by step, rank, lane and start.

    Steps that overlap, because a rank begins one while another is still at the one before, are one
    stretch. Times count from the start of the stretch, which is that of its first task.
    """

    steps: Array
    """Numbers of the steps."""
    first: Array
    """The tasks of step k are those from first[k] to before first[k + 1]."""
    stretches: Array
    """Places of the steps with which stretches begin, and the number of steps."""
    functions: tuple[str, ...]
    communicates: Array
    """By function: whether it communicates."""
    rank: Array
    """By task: place of its rank in the job."""
    lane: Array
    function: Array
    start: Array
    end: Array
    parts: CollectiveParts
    before: Array
    after: Array
    """Edges: `after[i]` waits for `before[i]`."""
    ordered: bool
    """Whether the edges tell all that a task waits for."""
    notes: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.start)

    @property
    def step(self) -> Array:
        """By task: place of its step in `steps`."""
        return np.repeat(np.arange(len(self.steps)), np.diff(self.first))

    def step_times(self, end: Array) -> Array:
        """How long each step takes if the tasks end so.

        A step ends with its last task, and begins where the one before it in its stretch ended.
        """
        if not len(end):
            return np.zeros(0, np.int64)
        ends = np.maximum.reduceat(end, self.first[:-1])
        times = ends.copy()
        for at, until in pairwise(self.stretches.tolist()):
            times[at:until] = np.diff(np.maximum.accumulate(ends[at:until]), prepend=0)
        return times


def job_tasks(job: Job) -> JobTasks:
    """Read the tasks of all ranks and put them on one axis."""
    ranks = _read(job)
    base = np.r_[0, np.cumsum([len(one.task) for one in ranks])].astype(np.int64)
    place = np.repeat(np.arange(len(ranks), dtype=np.int32), np.diff(base))
    start, end = (job.clock.common(place, _column(ranks, name)) for name in ("start", "end"))
    found = waits(job)
    steps = job_steps(job, found)
    step = _step_of(steps, start, base)
    chosen = np.flatnonzero(step >= 0)
    used, step = numbered(step[chosen])
    # A stable sort keeps rank, lane and start in order within a step.
    order = chosen[np.argsort(small(step), kind="stable")]
    first = np.r_[0, np.cumsum(np.bincount(step, minlength=len(used)))]
    start, end = start[order], end[order]
    stretches = _stretches(start, end, first)
    begins = first[stretches]
    zero = np.minimum.reduceat(start, begins[:-1]) if len(start) else start
    zero = np.repeat(zero, np.diff(begins))
    row = np.full(len(place), -1)
    row[order] = np.arange(len(order))
    edges = [row[_column(ranks, name, base)] for name in ("before", "after")]
    inside = (edges[0] >= 0) & (edges[1] >= 0)
    names, function = _functions(ranks)
    ordered = all(one.ordered for one in ranks)
    parts = _parts(job, found.detail.arrivals, ranks, (base, row))
    return JobTasks(
        steps=steps.step[used],
        first=first,
        stretches=stretches,
        functions=tuple(name or "(no name)" for name, _ in names),
        communicates=_communicates(names, function[order], parts),
        rank=place[order],
        lane=_column(ranks, "lane")[order],
        function=function[order],
        start=start - zero,
        end=end - zero,
        parts=parts,
        before=edges[0][inside],
        after=edges[1][inside],
        ordered=ordered,
        notes=_notes(steps, found.left_out, len(place) - len(order), ordered=ordered),
    )


def small(numbers: Array) -> Array:
    """Numbers of 0 or more in 16 bits where they fit: numpy sorts these much faster."""
    return numbers.astype(np.uint16) if int(numbers.max(initial=0)) < 1 << 16 else numbers


def _read(job: Job) -> list[RankTasks]:
    """The tasks of every rank, read by worker processes where there are many.

    Raises:
        LanescopeError: a trace can no longer be read.
    """
    if any(rank.part is not None for rank in job.ranks):
        return [rank_tasks(rank.trace()) for rank in job.ranks]
    places = [rank.place for rank in job.ranks]
    with open_pool(keys=len(places) // TRACES_PER_PROCESS) as pool:
        answers = dict(map_over(_tasks_at, places, pool=pool, label="reading tasks"))
    found = []
    for place in places:
        answer = answers[place]
        if isinstance(answer, Failure):
            raise LanescopeError(f"the job cannot be replayed: {why_unread(answer)}")
        found.append(answer)
    return found


def _tasks_at(place: str) -> RankTasks:
    """The tasks of the trace at a place; a worker calls it."""
    return rank_tasks(open_lazily(place))


def _column(ranks: Sequence[RankTasks], name: str, base: Array | None = None) -> Array:
    """A column of all ranks, one after the other; places of tasks are moved by `base`."""
    columns = [getattr(one, name) for one in ranks]
    if base is not None:
        columns = [column + base[at] for at, column in enumerate(columns)]
    return np.concatenate(columns)


def _functions(ranks: Sequence[RankTasks]) -> tuple[list[tuple[str, str]], Array]:
    """Functions of all ranks by name and work, and which one each task runs."""
    numbers: dict[tuple[str, str], int] = {}
    columns = []
    for one in ranks:
        codes = [numbers.setdefault(function, len(numbers)) for function in one.functions]
        columns.append(np.array(codes, np.int32)[one.function])
    return list(numbers), np.concatenate(columns)


def _step_of(steps: JobSteps, start: Array, base: Array) -> Array:
    """Place of the step in which each task starts, -1 where there is none.

    A step of a rank lasts until its next one begins, the last one to its own end.
    """
    found = np.full(len(start), -1)
    for place in range(len(base) - 1):
        own = slice(int(base[place]), int(base[place + 1]))
        known = np.flatnonzero(~np.isnan(steps.start[place]))
        if not len(known):
            continue
        known = known[np.argsort(steps.start[place, known], kind="stable")]
        at = np.searchsorted(steps.start[place, known], start[own], side="right") - 1
        inside = (at >= 0) & (start[own] <= np.nanmax(steps.end[place]))
        found[own] = np.where(inside, known[at], -1)
    return found


def _stretches(start: Array, end: Array, first: Array) -> Array:
    """Places of the steps before which everything has ended, and the number of steps."""
    if not len(start):
        return np.zeros(1, np.int64)
    begins = np.minimum.reduceat(start, first[:-1])
    ends = np.maximum.accumulate(np.maximum.reduceat(end, first[:-1]))
    later = np.minimum.accumulate(begins[::-1])[::-1]
    apart = 1 + np.flatnonzero(later[1:] >= ends[:-1])
    return np.concatenate([[0], apart, [len(begins)]])


def _parts(
    job: Job, arrivals: Arrivals, ranks: Sequence[RankTasks], places: tuple[Array, Array]
) -> CollectiveParts:
    """The tasks that are parts of collectives.

    `places` says where the tasks of each rank begin, and by task of all ranks its row, or -1.
    """
    base, row = places
    count = int(row.max(initial=-1)) + 1
    task_row = np.full(len(arrivals.rank), -1)
    for place, one in enumerate(ranks):
        own = np.flatnonzero(arrivals.rank == place)
        task = job.ranks[place].facts.arrivals.task[arrivals.row[own]]
        at = find(one.task, task)
        task_row[own] = np.where(at < 0, -1, row[at + base[place]])
    tie = arrivals.tie[arrivals.collective]
    root = arrivals.rank == arrivals.root[arrivals.collective]
    both = (tie == TOGETHER) | (tie == MESSAGE)
    rooted = arrivals.root[arrivals.collective] >= 0
    waited_for = both | (rooted & ((tie == TO_ROOT) | ((tie == FROM_ROOT) & root)))
    waiting = both | (rooted & ((tie == FROM_ROOT) | ((tie == TO_ROOT) & root)))
    known = (task_row >= 0) & (waited_for | waiting)
    at = task_row[known]
    collective = np.full(count, -1)
    collective[at] = arrivals.collective[known]
    masks = np.zeros((3, count), bool)
    masks[:, at] = np.stack([waited_for, waiting, (tie == MESSAGE) & root])[:, known]
    return CollectiveParts(collective, *masks)


def _communicates(
    names: Sequence[tuple[str, str]], function: Array, parts: CollectiveParts
) -> Array:
    """A function communicates if its source says so, or if it is part of collectives."""
    told = np.array([work == _COMMUNICATION for _, work in names], bool)
    unknown = np.array([not work for _, work in names], bool)
    seen = np.zeros(len(told), bool)
    seen[function[parts.collective >= 0]] = True
    communicates: Array = told | (seen & unknown)
    return communicates


def _notes(steps: JobSteps, collectives: int, left_out: int, *, ordered: bool) -> tuple[str, ...]:
    notes = []
    if collectives:
        them = "it" if collectives == 1 else "them"
        notes.append(
            f"{many_text(collectives, 'collective')} could not be compared; nobody waits for "
            f"others in {them}."
        )
    if steps.basis in _FOUND:
        notes.append(f"No rank marks its steps; {_FOUND[steps.basis]}.")
    if left_out:
        told = "lies in no step and was" if left_out == 1 else "lie in no step and were"
        notes.append(f"{many_text(left_out, 'task')} {told} left out.")
    if not ordered:
        notes.append(
            "The traces do not tell all that a task waits for, such as its launch, so every task "
            "keeps the time that passed between what it is known to wait for and its start."
        )
    return tuple(notes)
