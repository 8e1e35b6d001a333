"""What the pipes inside the cores did, per function and kind of core.

Shares are of the time that tasks spent on the core, start to end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lanescope.analyze.analysis import Analysis, Answers, Basis
from lanescope.analyze.columns.groups import Groups, combine, group_by
from lanescope.analyze.inside.busy import TaskPipes, busy_rows, kinds_of, task_pipes
from lanescope.analyze.tasks.functions import function_labels
from lanescope.render.cells import count_text
from lanescope.render.page import PageColumn, Section
from lanescope.results import Result
from lanescope.trace.pipes import BUSY, PIPES, ROLES
from lanescope.trace.schema import MISSING
from lanescope.trace.trace import Trace

_MAX_ROWS = 40


@dataclass(frozen=True, slots=True)
class PipeShare(Result):
    """One pipe in all tasks of a function."""

    pipe: str
    busy_ns: int
    share: float | None


@dataclass(frozen=True, slots=True)
class PipeUse(Result):
    """One function on one kind of core."""

    func: int
    name: str
    kind: str
    tasks: int
    total_ns: int
    """Time of all its tasks."""
    pipes: tuple[PipeShare, ...]
    """Those that worked at all, in the hardware's order."""
    bound: str | None
    """The pipe that worked longest: no task gets faster while it does not."""
    load_ns: int
    overlap_ns: int
    """Time in which loading (mte2) and computing (cube, vector) went on together."""
    overlap_share: float | None
    """Of the loading time; None when nothing was loaded."""
    bubble_ns: int
    """Time inside tasks in which no pipe worked."""
    bubble_share: float | None


@dataclass(frozen=True, slots=True)
class Inside(Result):
    """Functions by total time, and the rows that could not take part."""

    rows: tuple[PipeUse, ...]
    tasks_without: int
    """Tasks that ran, of which no busy pipe is known; 0 when no pipes were recorded at all."""
    marks_without_task: int
    """Busy intervals and marks that lie in no task."""
    one_ended: int
    """Busy intervals of which only one end is known."""


def inside(trace: Trace) -> Inside:
    """Pipe shares, overlap, bound and bubbles; empty where no pipes were recorded."""
    found = task_pipes(trace)
    func = trace.tasks["func"][found.row]
    kind, kinds = kinds_of(trace, trace.tasks["core"][found.row])
    groups = group_by(combine(func, kind))
    first = groups.order[groups.first] if len(groups) else groups.order
    labels = function_labels(trace, func[first])
    names = [kinds[code] for code in kind[first].tolist()]
    rows = _uses(found, groups, list(zip(labels, names, strict=True)))
    marks = trace.marks
    lone = (marks["start_ns"] == MISSING) | (marks["end_ns"] == MISSING)
    busy = bool(busy_rows(trace).any())
    return Inside(
        rows=tuple(sorted(rows, key=lambda row: (-row.total_ns, row.func, row.kind))),
        tasks_without=int(trace.ran().sum()) - len(found.row) if busy else 0,
        marks_without_task=int(np.count_nonzero(marks["task"] == MISSING)) if busy else 0,
        one_ended=int(np.count_nonzero(lone & (marks["name"] == trace.code(BUSY)))),
    )


def _uses(
    found: TaskPipes, groups: Groups, labels: list[tuple[tuple[int, str], str]]
) -> list[PipeUse]:
    total = groups.sums(found.length_ns)
    busy = {pipe: groups.sums(values) for pipe, values in found.busy_ns.items()}
    load, overlap = groups.sums(found.load_ns), groups.sums(found.overlap_ns)
    bubble, counts = groups.sums(found.bubble_ns), groups.counts()
    uses = []
    for place, ((func, name), kind) in enumerate(labels):
        length = total[place]
        pipes = tuple(
            PipeShare(pipe, sums[place], _share(sums[place], length))
            for pipe, sums in busy.items()
            if sums[place]
        )
        uses.append(
            PipeUse(
                func=func,
                name=name,
                kind=kind,
                tasks=counts[place],
                total_ns=length,
                pipes=pipes,
                bound=max(pipes, key=lambda one: one.busy_ns).pipe if pipes else None,
                load_ns=load[place],
                overlap_ns=overlap[place],
                overlap_share=_share(overlap[place], load[place]),
                bubble_ns=bubble[place],
                bubble_share=_share(bubble[place], length),
            )
        )
    return uses


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _use_columns(rows: Sequence[PipeUse]) -> tuple[PageColumn, ...]:
    shares = [{one.pipe: one.share for one in row.pipes} for row in rows]
    pipes = ROLES if any(pipe in share for share in shares for pipe in ROLES) else PIPES
    return (
        PageColumn("function", "text", tuple(row.name for row in rows), key=True),
        PageColumn("cores", "text", tuple(row.kind for row in rows), key=True),
        PageColumn("tasks", "count", tuple(row.tasks for row in rows)),
        PageColumn("total", "time", tuple(row.total_ns for row in rows)),
        *(PageColumn(pipe, "percent", tuple(s.get(pipe) for s in shares)) for pipe in pipes),
        PageColumn("bound by", "text", tuple(row.bound for row in rows)),
        PageColumn("load hidden", "percent", tuple(row.overlap_share for row in rows)),
        PageColumn("bubbles", "percent", tuple(row.bubble_share for row in rows)),
    )


def _loading(inside: Inside) -> str:
    """Which pipe loads, and which compute meanwhile."""
    used = {pipe.pipe for row in inside.rows for pipe in row.pipes}
    if used.isdisjoint(ROLES):
        return "mte2's time in which cube or vector"
    return "load's time in which compute"


def _notes(inside: Inside) -> tuple[str, ...]:
    notes = []
    if inside.rows:
        notes.append(
            "Of the time from start to end. load hidden: the part of "
            f"{_loading(inside)} worked too; bubbles: no pipe worked."
        )
    if len(inside.rows) > _MAX_ROWS:
        hidden = count_text(len(inside.rows) - _MAX_ROWS)
        notes.append(f"{hidden} functions with less total time are not shown.")
    for count, what in (
        (inside.tasks_without, "Tasks that ran without a busy pipe"),
        (inside.marks_without_task, "Marks and busy intervals in no task"),
        (inside.one_ended, "Busy intervals with one end only, in no figure"),
    ):
        if count:
            notes.append(f"{what}: {count_text(count)}.")
    return tuple(notes)


def _sections(inside: Inside, answers: Answers) -> list[Section]:
    """Nothing where no pipes were recorded."""
    if not inside.rows and not inside.marks_without_task:
        return []
    return [
        Section(
            title="Inside the cores",
            columns=_use_columns(inside.rows[:_MAX_ROWS]) if inside.rows else (),
            notes=_notes(inside),
        )
    ]


def _answer(basis: Basis) -> Inside:
    return inside(basis.trace)


INSIDE = Analysis(
    name="inside",
    question="What did the pipes inside the cores do?",
    answer=_answer,
    sections=_sections,
    place=70,
    keys="rows [func, name, kind, tasks, total_ns, pipes [pipe, busy_ns, share], bound, load_ns, "
    "overlap_ns, overlap_share, bubble_ns, bubble_share], tasks_without, marks_without_task, "
    "one_ended",
)
