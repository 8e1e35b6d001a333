"""The sections about the controllers: for each lane, a table of threads and one of phase kinds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lanescope.analyze.analysis import Analysis, Answers, Basis
from lanescope.analyze.controllers.threads import Controller, PhaseBudget, controllers
from lanescope.render.cells import count_text
from lanescope.render.page import Cell, PageColumn, Section

_MAX_THREADS = 40
_MAX_THREAD_COLUMNS = 8
_ROLES = ("outer", "idle", "inner", "marker")


@dataclass(frozen=True, slots=True)
class _PhaseRow:
    """One line of the phase table: phases of one kind in all threads of a lane."""

    kind: str
    role: str
    count: int | None
    """Number of phases; None in the line of idle time, which is no phase."""
    per_thread_ns: tuple[int, ...]

    @property
    def total_ns(self) -> int:
        """Nanoseconds of all threads together."""
        return sum(self.per_thread_ns)


def controller_sections(threads: Sequence[Controller]) -> list[Section]:
    """For each lane, a table of its threads and one of the kinds of their phases."""
    lanes: dict[str, list[Controller]] = {}
    for thread in threads:
        lanes.setdefault(thread.lane, []).append(thread)
    sections = []
    for lane, members in lanes.items():
        sections += [_threads(lane, members), _phases(lane, members)]
    return sections


def _threads(lane: str, threads: list[Controller]) -> Section:
    shown = threads[:_MAX_THREADS]
    hidden = len(threads) - len(shown)

    def column(title: str, kind: str, of: Callable[[Controller], Cell]) -> PageColumn:
        return PageColumn(title, kind, tuple(of(thread) for thread in shown))

    return Section(
        title=f"{lane.capitalize()} threads",
        columns=(
            PageColumn("thread", "text", tuple(_name(thread) for thread in shown), key=True),
            column("phases", "count", lambda t: t.phases),
            column("span", "time", lambda t: t.span_ns if t.start_ns is not None else None),
            column("busy", "percent", lambda t: t.busy_share),
            column("idle", "percent", lambda t: t.idle_share),
            column("loops", "count", lambda t: t.loops),
            column("per loop", "time", lambda t: t.ns_per_loop),
            column("dispatched", "count", lambda t: t.dispatched),
            column("completed", "count", lambda t: t.completed),
            column("pop hits", "count", lambda t: t.pop_hits),
            column("misses", "count", lambda t: t.pop_misses),
            column("hit rate", "percent", lambda t: t.pop_hit_rate),
            column("submits", "count", lambda t: t.submits),
            column("per submit", "time", lambda t: t.ns_per_submit),
        ),
        notes=_thread_notes(threads, hidden),
    )


def _thread_notes(threads: list[Controller], hidden: int) -> tuple[str, ...]:
    notes = []
    if hidden > 0:
        notes.append(f"{count_text(hidden)} more threads are not shown.")
    untimed = sum(thread.untimed for thread in threads)
    if untimed:
        notes.append(f"{count_text(untimed)} phases without usable times are left out.")
    return tuple(notes)


def _name(thread: Controller) -> str:
    if thread.name:
        return thread.name
    return "?" if thread.controller is None else str(thread.controller)


def _phases(lane: str, threads: list[Controller]) -> Section:
    """Kinds of phases in all threads of a lane; few threads have a column of shares each."""
    rows = _phase_rows(threads)
    span = sum(thread.span_ns for thread in threads)
    columns = [
        PageColumn("phase", "text", tuple(row.kind for row in rows), key=True),
        PageColumn("role", "text", tuple(_role(row) for row in rows)),
        PageColumn("count", "count", tuple(row.count for row in rows)),
        PageColumn("total", "time", tuple(row.total_ns for row in rows)),
        PageColumn("share", "percent", tuple(_share(row.total_ns, span) for row in rows)),
    ]
    if 1 < len(threads) <= _MAX_THREAD_COLUMNS:
        for place, thread in enumerate(threads):
            shares = tuple(_share(row.per_thread_ns[place], thread.span_ns) for row in rows)
            columns.append(PageColumn(thread.name or f"thread {_name(thread)}", "percent", shares))
    return Section(
        title=f"{lane.capitalize()} phases",
        columns=tuple(columns),
        notes=_phase_notes(rows, threads),
    )


def _role(row: _PhaseRow) -> str:
    return "in idle" if row.role == "idle" and row.count is not None else row.role


def _phase_rows(threads: list[Controller]) -> list[_PhaseRow]:
    """The outer kinds and idle, which add up to the span, then the kinds inside them."""
    kinds = {(budget.kind, budget.role) for thread in threads for budget in thread.kinds}
    rows = [_phase_row(kind, role, threads) for kind, role in kinds]
    rows.sort(key=lambda row: (_ROLES.index(row.role), -row.total_ns, row.kind))
    outer = [row for row in rows if row.role == "outer"]
    idle = _PhaseRow("idle", "idle", None, tuple(thread.idle_ns for thread in threads))
    return [*outer, idle, *rows[len(outer) :]]


def _phase_row(kind: str, role: str, threads: list[Controller]) -> _PhaseRow:
    budgets = [_budget(thread, kind) for thread in threads]
    count = sum(budget.count for budget in budgets if budget)
    per_thread = tuple(budget.total_ns if budget else 0 for budget in budgets)
    return _PhaseRow(kind, role, count, per_thread)


def _budget(thread: Controller, kind: str) -> PhaseBudget | None:
    return next((budget for budget in thread.kinds if budget.kind == kind), None)


def _phase_notes(rows: list[_PhaseRow], threads: list[Controller]) -> tuple[str, ...]:
    notes = ["The outer phases and idle add up to the span."]
    if any(thread.overlap_ns for thread in threads):
        notes = ["Some outer phases overlap, so with idle they add up to more than the span."]
    if any(row.role == "inner" for row in rows):
        notes.append("Inner phases lie inside outer ones.")
    if any(row.role == "idle" and row.count is not None for row in rows):
        notes.append("The recorded idle phases are part of idle.")
    return (" ".join(notes),)


def _share(part_ns: int, span_ns: int) -> float | None:
    return part_ns / span_ns if span_ns else None


def _sections(controllers: tuple[Controller, ...], answers: Answers) -> list[Section]:
    return controller_sections(controllers)


def _answer(basis: Basis) -> tuple[Controller, ...]:
    return controllers(basis.trace)


CONTROLLERS = Analysis(
    name="controllers",
    detail=True,
    question="Where did the time of each controller thread go?",
    answer=_answer,
    families=frozenset({"cores"}),
    sections=_sections,
    place=90,
    keys="[lane, controller, phases, untimed, start_ns, end_ns, busy_ns, overlap_ns, loops, "
    "dispatched, completed, pop_hits, pop_misses, submits, kinds [kind, role, count, total_ns, "
    "share], name, span_ns, idle_ns, busy_share, idle_share, ns_per_loop, ns_per_submit, "
    "pop_hit_rate]",
)
