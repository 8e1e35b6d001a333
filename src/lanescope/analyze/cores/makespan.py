"""How long the run took and how much of that time the cores worked.

Measured from the controller where the level records it (dispatch → finish), and from the cores
in any case (receive or start → end).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lanescope.analyze.analysis import Analysis, Answers, Basis
from lanescope.analyze.columns.core_kinds import UNKNOWN, core_kinds
from lanescope.analyze.columns.union import covered_ns
from lanescope.render.cells import count_text, time_text
from lanescope.render.page import PageColumn, Section
from lanescope.results import Result
from lanescope.trace.numbering import different, replaced
from lanescope.trace.schema import MISSING, MISSING32
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class Span(Result):
    """From one moment to another, ns from the trace's base."""

    DERIVED = ("length_ns",)

    start_ns: int
    end_ns: int

    @property
    def length_ns(self) -> int:
        return self.end_ns - self.start_ns


@dataclass(frozen=True, slots=True)
class KindUse(Result):
    """How much the cores of one kind worked; `busy_ns` counts overlapping tasks once."""

    kind: str
    cores: int
    used: int
    tasks: int
    busy_ns: int
    utilisation: float | None
    """busy / (cores x window); None when the window has no length."""


@dataclass(frozen=True, slots=True)
class Makespan(Result):
    """Spans that the trace can tell; None where it has no such times."""

    time_range: Span | None
    """First start to last end of a task."""
    makespan: Span | None
    """Earliest dispatch to latest finish."""
    observed: Span | None
    """Earliest receive (start where receive is not known) to latest end."""
    window: Span | None
    """What utilisation is measured against: the union of makespan and observed."""
    kinds: tuple[KindUse, ...]


def makespan(trace: Trace) -> Makespan:
    """Spans and utilisation; rows without start and end count only by dispatch and finish."""
    tasks = trace.tasks
    start, end, receive = trace.of_runs("start_ns", "end_ns", "receive_ns")
    controlled = _span(_known(tasks["dispatch_ns"]), _known(tasks["finish_ns"]))
    observed = _span(start, end)
    received = _known(receive)
    if observed is not None and len(received):
        observed = Span(min(observed.start_ns, int(received.min())), observed.end_ns)
    window = _union(controlled, observed)
    return Makespan(
        time_range=_span(start, end),
        makespan=controlled,
        observed=observed,
        window=window,
        kinds=_kinds(trace, 0 if window is None else window.length_ns),
    )


def _kinds(trace: Trace, window_ns: int) -> tuple[KindUse, ...]:
    kinds = core_kinds(trace)
    busy, tasks = _per_core(trace)
    members: dict[str, list[int]] = {}
    for core, kind in kinds.items():
        members.setdefault(kind, []).append(core)
    if MISSING32 in tasks:
        members.setdefault(UNKNOWN, []).append(MISSING32)
    return tuple(_use(kind, cores, (busy, tasks, window_ns)) for kind, cores in members.items())


def _use(
    kind: str, cores: Sequence[int], facts: tuple[dict[int, int], dict[int, int], int]
) -> KindUse:
    busy, tasks, window_ns = facts
    worked = sum(busy.get(core, 0) for core in cores)
    return KindUse(
        kind=kind,
        cores=len(cores),
        used=sum(core in tasks for core in cores),
        tasks=sum(tasks.get(core, 0) for core in cores),
        busy_ns=worked,
        utilisation=worked / (len(cores) * window_ns) if window_ns > 0 else None,
    )


def _per_core(trace: Trace) -> tuple[dict[int, int], dict[int, int]]:
    """Busy ns and task rows of every core that ran something."""
    core, start, end = trace.of_runs("core", "start_ns", "end_ns")
    used = different(core)
    codes = replaced(core, used, np.arange(len(used), dtype=np.int32))
    busy = covered_ns(codes, start, end, groups=len(used)).tolist()
    cores, tasks = used.tolist(), np.bincount(codes, minlength=len(used)).tolist()
    return dict(zip(cores, busy, strict=True)), dict(zip(cores, tasks, strict=True))


def _known(times: Array) -> Array:
    known = times != MISSING
    return times if known.all() else times[known]


def _span(starts: Array, ends: Array) -> Span | None:
    if not len(starts) or not len(ends):
        return None
    return Span(int(starts.min()), int(ends.max()))


def _union(left: Span | None, right: Span | None) -> Span | None:
    if left is None or right is None:
        return left or right
    return Span(min(left.start_ns, right.start_ns), max(left.end_ns, right.end_ns))


def makespan_section(makespan: Makespan, clock: tuple[int | None, int | None]) -> Section:
    """`clock` is the device's clock_hz and the cycle count at 0 ns."""
    facts = (
        ("makespan", _span_text(makespan.makespan, "earliest dispatch to latest finish")),
        ("observed", _span_text(makespan.observed, "earliest receive or start to latest end")),
        ("time range", _span_text(makespan.time_range, "first start to last end")),
        ("base", _base(*clock)),
    )
    kinds = makespan.kinds
    columns = (
        PageColumn("cores", "text", tuple(kind.kind for kind in kinds), key=True),
        PageColumn("number", "count", tuple(kind.cores for kind in kinds)),
        PageColumn("used", "count", tuple(kind.used for kind in kinds)),
        PageColumn("tasks", "count", tuple(kind.tasks for kind in kinds)),
        PageColumn("busy", "time", tuple(kind.busy_ns for kind in kinds)),
        PageColumn("utilisation", "percent", tuple(kind.utilisation for kind in kinds)),
    )
    timed = makespan.window is not None
    return Section(
        title="Time",
        facts=tuple(fact for fact in facts if fact[1]),
        lines=() if timed else ("No task has times.",),
        columns=columns if kinds and timed else (),
    )


def _base(clock_hz: int | None, base_cycles: int | None) -> str:
    if clock_hz is None or base_cycles is None:
        return ""
    return f"0 ns is cycle {count_text(base_cycles)}"


def _span_text(span: Span | None, what: str) -> str:
    if span is None:
        return ""
    edges = f"{time_text(span.start_ns)} to {time_text(span.end_ns)}"
    return f"{time_text(span.length_ns)}, {what} ({edges})"


def _sections(makespan: Makespan, answers: Answers) -> list[Section]:
    capture = answers.capture
    return [makespan_section(makespan, (capture.clock_hz, capture.base_cycles))]


def _answer(basis: Basis) -> Makespan:
    return basis.makespan


MAKESPAN = Analysis(
    name="makespan",
    question="How long did the run take, and how much of that did the cores work?",
    answer=_answer,
    sections=_sections,
    place=40,
    keys="time_range, makespan, observed, window: each [start_ns, end_ns, length_ns] or null; "
    "kinds [kind, cores, used, tasks, busy_ns, utilisation]",
)
