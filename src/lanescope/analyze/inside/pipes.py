"""What the pipes inside the cores did, per function and kind of core.

A share is of the time that the tasks took from start to end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lanescope.analyze.analysis import Analysis, Answers, Basis
from lanescope.analyze.columns.groups import Groups, combine, group_by
from lanescope.analyze.inside.busy import TaskPipes, busy_rows, kinds_of, task_pipes
from lanescope.analyze.tasks.functions import FunctionLabel, function_labels
from lanescope.render.cells import count_text
from lanescope.render.names import clean
from lanescope.render.page import PageColumn, Section
from lanescope.results import Result
from lanescope.trace.pipes import BUSY, PIPES, ROLES
from lanescope.trace.schema import MISSING
from lanescope.trace.trace import Trace

_MAX_ROWS = 40
_NAMED = 3
"""Functions that `repr` names."""


@dataclass(frozen=True, slots=True)
class PipeShare(Result):
    """How long one pipe worked in all tasks of a function."""

    pipe: str
    busy_ns: int
    share: float | None
    """busy_ns / time of the tasks; None when they took no time."""


@dataclass(frozen=True, slots=True)
class PipeUse(Result):
    """What the pipes did in the tasks of one function on one kind of core."""

    func: int
    name: str
    kind: str
    """The kind of core."""
    tasks: int
    """Number of tasks with busy intervals."""
    total_ns: int
    """Time of all of them, start to end."""
    pipes: tuple[PipeShare, ...]
    """The pipes that worked at all, in the hardware's order."""
    bound: str | None
    """The pipe that worked longest. The tasks cannot take less time than it works."""
    load_ns: int
    """Time in which a load pipe (mte2) worked."""
    overlap_ns: int
    """Time in which a load pipe and a compute pipe (cube, vector) worked at once."""
    overlap_share: float | None
    """overlap_ns / load_ns; None when nothing was loaded."""
    bubble_ns: int
    """Time in which no pipe worked."""
    bubble_share: float | None
    """bubble_ns / total_ns; None when the tasks took no time."""


@dataclass(frozen=True, slots=True)
class Inside(Result):
    """What the pipes did, function by function, and how many records could not take part."""

    rows: tuple[PipeUse, ...]
    """One per function and kind of core, the longest total time first."""
    tasks_without: int
    """Tasks that ran without a busy interval; 0 when no pipes were recorded at all."""
    marks_without_task: int
    """Busy intervals and marks that lie in no task."""
    one_ended: int
    """Busy intervals of which only one end is known."""

    def __repr__(self) -> str:
        if not self.rows:
            return "<Inside: no pipes>"
        bounds = [f"{clean(row.name)} bound by {row.bound}" for row in self.rows[:_NAMED]]
        more = ", …" if len(self.rows) > _NAMED else ""
        return f"<Inside: {', '.join(bounds)}{more}>"


def inside(trace: Trace) -> Inside:
    """What the pipes did in every function; no rows where no pipes were recorded."""
    pipes = task_pipes(trace)
    func = trace.tasks["func"][pipes.row]
    kind, kinds = kinds_of(trace, trace.tasks["core"][pipes.row])
    groups = group_by(combine(func, kind))
    first = groups.order[groups.first] if len(groups) else groups.order
    labels = function_labels(trace, func[first])
    names = [kinds[code] for code in kind[first].tolist()]
    rows = _uses(pipes, groups, labels, kinds=names)
    marks = trace.marks
    lone = (marks["start_ns"] == MISSING) | (marks["end_ns"] == MISSING)
    busy = bool(busy_rows(trace).any())
    return Inside(
        rows=tuple(sorted(rows, key=lambda row: (-row.total_ns, row.func, row.kind))),
        tasks_without=int(trace.ran().sum()) - len(pipes.row) if busy else 0,
        marks_without_task=int(np.count_nonzero(marks["task"] == MISSING)) if busy else 0,
        one_ended=int(np.count_nonzero(lone & (marks["name"] == trace.code(BUSY)))),
    )


def _uses(
    tasks: TaskPipes, groups: Groups, labels: list[FunctionLabel], *, kinds: list[str]
) -> list[PipeUse]:
    """The figures of each group of tasks; `labels` and `kinds` have one entry per group."""
    total = groups.sums(tasks.length_ns)
    busy = {pipe: groups.sums(values) for pipe, values in tasks.busy_ns.items()}
    load, overlap = groups.sums(tasks.load_ns), groups.sums(tasks.overlap_ns)
    bubble, counts = groups.sums(tasks.bubble_ns), groups.counts()
    uses = []
    for place, (label, kind) in enumerate(zip(labels, kinds, strict=True)):
        length = total[place]
        pipes = tuple(
            PipeShare(pipe, sums[place], _share(sums[place], length))
            for pipe, sums in busy.items()
            if sums[place]
        )
        uses.append(
            PipeUse(
                func=label.func,
                name=label.name,
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
    """The words for the pipe that loads and the pipes that compute meanwhile."""
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
    """No section where no pipes were recorded."""
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
    families=frozenset({"cores"}),
    sections=_sections,
    place=70,
    keys="rows [func, name, kind, tasks, total_ns, pipes [pipe, busy_ns, share], bound, load_ns, "
    "overlap_ns, overlap_share, bubble_ns, bubble_share], tasks_without, marks_without_task, "
    "one_ended",
)
