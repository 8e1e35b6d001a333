"""The sections that say what happened inside the cores: pipes, overlap, bubbles, slow tasks."""

from __future__ import annotations

from collections.abc import Sequence

from lanescope.analyze.inside.instances import Instance, Slowest
from lanescope.analyze.inside.pipes import Inside, PipeUse
from lanescope.render.cells import count_text
from lanescope.render.page import Column, Section
from lanescope.trace.pipes import PIPES, ROLES

_MAX_ROWS = 40


def inside_sections(inside: Inside, slowest: Sequence[Slowest]) -> list[Section]:
    """Nothing where no pipes were recorded."""
    sections = []
    if inside.rows or inside.marks_without_task:
        sections.append(
            Section(
                title="Inside the cores",
                columns=_use_columns(inside.rows[:_MAX_ROWS]) if inside.rows else (),
                notes=_notes(inside),
            )
        )
    if slowest:
        sections.append(
            Section(
                title="Inside the cores: slowest task against the median one",
                columns=_slow_columns(slowest[:_MAX_ROWS]),
                notes=(
                    "pipe: the one whose working time differs most between the two; more busy, "
                    "more bubbles: slowest minus median.",
                ),
            )
        )
    return sections


def _use_columns(rows: Sequence[PipeUse]) -> tuple[Column, ...]:
    shares = [{one.pipe: one.share for one in row.pipes} for row in rows]
    pipes = ROLES if any(pipe in share for share in shares for pipe in ROLES) else PIPES
    return (
        Column("function", "text", tuple(row.name for row in rows), key=True),
        Column("cores", "text", tuple(row.kind for row in rows), key=True),
        Column("tasks", "count", tuple(row.tasks for row in rows)),
        Column("total", "time", tuple(row.total_ns for row in rows)),
        *(Column(pipe, "percent", tuple(s.get(pipe) for s in shares)) for pipe in pipes),
        Column("bound by", "text", tuple(row.bound for row in rows)),
        Column("load hidden", "percent", tuple(row.overlap_share for row in rows)),
        Column("bubbles", "percent", tuple(row.bubble_share for row in rows)),
    )


def _slow_columns(rows: Sequence[Slowest]) -> tuple[Column, ...]:
    slow, median = [row.slowest for row in rows], [row.median for row in rows]
    return (
        Column("function", "text", tuple(row.name for row in rows), key=True),
        Column("cores", "text", tuple(row.kind for row in rows), key=True),
        Column("slowest", "time", tuple(one.length_ns for one in slow), scale="length"),
        Column("median", "time", tuple(one.length_ns for one in median), scale="length"),
        Column("task", "text", tuple(None if s.task is None else str(s.task) for s in slow)),
        Column("core", "text", tuple(str(one.core) for one in slow)),
        Column("pipe", "text", tuple(row.pipe for row in rows)),
        Column("more busy", "time", _more(slow, median, "pipe_ns"), scale="more"),
        Column("more bubbles", "time", _more(slow, median, "bubble_ns"), scale="more"),
    )


def _more(slow: list[Instance], median: list[Instance], what: str) -> tuple[int, ...]:
    pairs = zip(slow, median, strict=True)
    return tuple(getattr(one, what) - getattr(other, what) for one, other in pairs)


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
