"""Why the slowest task of a function was slow: its pipes compared with those of the median task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lanescope.analyze.analysis import Analysis, Answers, Basis
from lanescope.analyze.columns.groups import combine, group_by
from lanescope.analyze.inside.busy import TaskPipes, kinds_of, task_pipes
from lanescope.analyze.tasks.functions import function_labels
from lanescope.render.page import PageColumn, Section
from lanescope.results import Result
from lanescope.trace.schema import MISSING
from lanescope.trace.trace import Trace

_MAX_ROWS = 40


@dataclass(frozen=True, slots=True)
class Instance(Result):
    """One run of a task on a core."""

    task: int | None
    """Id of the task; None where the trace does not have it."""
    core: int
    start_ns: int
    length_ns: int
    """Time from its start to its end."""
    pipe_ns: int
    """Time in which `Slowest.pipe` worked in it; 0 without one."""
    bubble_ns: int
    """Time in which no pipe worked in it."""


@dataclass(frozen=True, slots=True)
class Slowest(Result):
    """The slowest task of a function on one kind of core, and the task of median length."""

    func: int
    name: str
    kind: str
    """The kind of core."""
    tasks: int
    """Number of tasks with busy intervals."""
    slowest: Instance
    median: Instance
    pipe: str | None
    """The pipe whose working time differs most between the two; None where all are equal."""


def slowest_instances(trace: Trace) -> tuple[Slowest, ...]:
    """The slowest and the median task of every function on every kind of core.

    Functions with one task are left out. The largest difference in length comes first.
    """
    pipes = task_pipes(trace)
    func = trace.tasks["func"][pipes.row]
    kind, kinds = kinds_of(trace, trace.tasks["core"][pipes.row])
    groups = group_by(combine(func, kind))
    order = np.lexsort((pipes.row, pipes.length_ns, groups.codes))
    counts = np.array(groups.counts(), np.int64)
    first = np.cumsum(counts) - counts
    last, middle = order[first + counts - 1], order[first + (counts - 1) // 2]
    labels = function_labels(trace, func[last])
    results = []
    for place in np.flatnonzero(counts > 1).tolist():
        slow, median = int(last[place]), int(middle[place])
        pipe = _differs_most(pipes, slow, median)
        results.append(
            Slowest(
                func=labels[place].func,
                name=labels[place].name,
                kind=kinds[int(kind[slow])],
                tasks=int(counts[place]),
                slowest=_instance(trace, pipes, slow, pipe=pipe),
                median=_instance(trace, pipes, median, pipe=pipe),
                pipe=pipe,
            )
        )
    return tuple(sorted(results, key=lambda one: (-_extra(one), one.func, one.kind)))


def _extra(one: Slowest) -> int:
    return one.slowest.length_ns - one.median.length_ns


def _differs_most(pipes: TaskPipes, slow: int, median: int) -> str | None:
    """The pipe whose working time differs most between two entries; None where all are equal."""
    gaps = {pipe: abs(int(ns[slow]) - int(ns[median])) for pipe, ns in pipes.busy_ns.items()}
    most = max(gaps, key=lambda pipe: gaps[pipe])
    return most if gaps[most] else None


def _instance(trace: Trace, pipes: TaskPipes, place: int, *, pipe: str | None) -> Instance:
    row, tasks = int(pipes.row[place]), trace.tasks
    task = int(tasks["task"][row])
    return Instance(
        task=None if task == MISSING else task,
        core=int(tasks["core"][row]),
        start_ns=int(tasks["start_ns"][row]),
        length_ns=int(pipes.length_ns[place]),
        pipe_ns=int(pipes.busy_ns[pipe][place]) if pipe else 0,
        bubble_ns=int(pipes.bubble_ns[place]),
    )


def _slow_columns(rows: Sequence[Slowest]) -> tuple[PageColumn, ...]:
    slow, median = [row.slowest for row in rows], [row.median for row in rows]
    return (
        PageColumn("function", "text", tuple(row.name for row in rows), key=True),
        PageColumn("cores", "text", tuple(row.kind for row in rows), key=True),
        PageColumn("slowest", "time", tuple(one.length_ns for one in slow), scale="length"),
        PageColumn("median", "time", tuple(one.length_ns for one in median), scale="length"),
        PageColumn("task", "text", tuple(None if s.task is None else str(s.task) for s in slow)),
        PageColumn("core", "text", tuple(str(one.core) for one in slow)),
        PageColumn("pipe", "text", tuple(row.pipe for row in rows)),
        PageColumn("more busy", "time", _more(slow, median, "pipe_ns"), scale="more"),
        PageColumn("more bubbles", "time", _more(slow, median, "bubble_ns"), scale="more"),
    )


def _more(slow: list[Instance], median: list[Instance], what: str) -> tuple[int, ...]:
    pairs = zip(slow, median, strict=True)
    return tuple(getattr(one, what) - getattr(other, what) for one, other in pairs)


def _sections(slowest: tuple[Slowest, ...], answers: Answers) -> list[Section]:
    if not slowest:
        return []
    return [
        Section(
            title="Inside the cores: slowest task against the median one",
            columns=_slow_columns(slowest[:_MAX_ROWS]),
            notes=(
                "pipe: the one whose working time differs most between the two; more busy, "
                "more bubbles: slowest minus median.",
            ),
        )
    ]


def _answer(basis: Basis) -> tuple[Slowest, ...]:
    return slowest_instances(basis.trace)


SLOWEST = Analysis(
    name="slowest",
    detail=True,
    question="Why was the slowest task of a function slow?",
    answer=_answer,
    families=frozenset({"cores"}),
    sections=_sections,
    place=80,
    keys="[func, name, kind, tasks, pipe, slowest and median [task, core, start_ns, length_ns, "
    "pipe_ns, bubble_ns]]",
)
