"""How long the run took, and how much of that time the cores worked.

The controllers' records give one span (dispatch to finish), where the level has them. The cores'
records give another (receive or start to end).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from lanescope.analyze.analysis import Analysis, Answers, Basis
from lanescope.analyze.columns.core_kinds import UNKNOWN, core_kinds
from lanescope.analyze.columns.union import covered_ns
from lanescope.render.cells import count_text, percent_text, time_text
from lanescope.render.names import clean
from lanescope.render.page import PageColumn, Section
from lanescope.results import Result
from lanescope.trace.numbering import different, replaced
from lanescope.trace.schema import MISSING, MISSING32
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace
from lanescope.trace.vocabulary import CORES, Vocabulary


@dataclass(frozen=True, slots=True)
class Span(Result):
    """The time from one moment to another; both are ns from the trace's base."""

    DERIVED = ("length_ns",)

    start_ns: int
    end_ns: int

    @property
    def length_ns(self) -> int:
        """Nanoseconds from start to end."""
        return self.end_ns - self.start_ns


@dataclass(frozen=True, slots=True)
class KindUse(Result):
    """How much the cores of one kind worked."""

    kind: str
    cores: int
    used: int
    """Cores that ran a task."""
    tasks: int
    """Task rows that ran on them."""
    busy_ns: int
    """Time in which they ran a task, added up over the cores. Tasks that overlap on a core count
    once."""
    utilisation: float | None
    """busy_ns / (cores x window); None when the window has no length."""


@dataclass(frozen=True, slots=True)
class Makespan(Result):
    """Spans of a run, each None where the trace does not have the times, and the cores' work."""

    time_range: Span | None
    """First start to last end of a task."""
    makespan: Span | None
    """Earliest dispatch to latest finish."""
    observed: Span | None
    """Earliest receive or start to latest end."""
    window: Span | None
    """From the earlier start to the later end of makespan and observed. Utilisation is of it."""
    kinds: tuple[KindUse, ...]
    """One per kind of core."""

    def __repr__(self) -> str:
        if self.window is None:
            return "<Makespan: no task has times>"
        use = [f"{clean(kind.kind)} {percent_text(kind.utilisation)} busy" for kind in self.kinds]
        return f"<Makespan: {', '.join([time_text(self.window.length_ns), *use])}>"


def makespan(trace: Trace) -> Makespan:
    """Spans and utilisation of a run.

    A task row without start and end counts only by its dispatch and finish.
    """
    tasks = trace.tasks
    start, end, receive = trace.of_runs("start_ns", "end_ns", "receive_ns")
    controlled = _span(_known(tasks["dispatch_ns"]), _known(tasks["finish_ns"]))
    observed = _span(start, end)
    received = _known(receive)
    if observed is not None and len(received):
        observed = Span(min(observed.start_ns, int(received.min())), observed.end_ns)
    window = joint_span(controlled, observed)
    return Makespan(
        time_range=_span(start, end),
        makespan=controlled,
        observed=observed,
        window=window,
        kinds=kind_uses(
            core_kinds(trace), _per_core(trace), 0 if window is None else window.length_ns
        ),
    )


@dataclass(frozen=True, slots=True)
class CoreUse:
    """How much one core worked."""

    busy_ns: int
    tasks: int


def kind_uses(
    kinds: Mapping[int, str], uses: Mapping[int, CoreUse], window_ns: int
) -> tuple[KindUse, ...]:
    """The work of every kind of core; task rows without a core are one core of unknown kind.

    `kinds` has the kind of each core, and `uses` the cores that ran a task.
    """
    members: dict[str, list[int]] = {}
    for core, kind in kinds.items():
        members.setdefault(kind, []).append(core)
    if MISSING32 in uses:
        members.setdefault(UNKNOWN, []).append(MISSING32)
    return tuple(
        _kind_use(
            kind,
            [uses[core] for core in cores if core in uses],
            cores=len(cores),
            window_ns=window_ns,
        )
        for kind, cores in members.items()
    )


def _kind_use(kind: str, used: list[CoreUse], *, cores: int, window_ns: int) -> KindUse:
    busy_ns = sum(core.busy_ns for core in used)
    return KindUse(
        kind=kind,
        cores=cores,
        used=len(used),
        tasks=sum(core.tasks for core in used),
        busy_ns=busy_ns,
        utilisation=busy_ns / (cores * window_ns) if window_ns > 0 else None,
    )


def _per_core(trace: Trace) -> dict[int, CoreUse]:
    """Core id to its work, for every core that ran a task."""
    core, start, end = trace.of_runs("core", "start_ns", "end_ns")
    used = different(core)
    codes = replaced(core, used, np.arange(len(used), dtype=np.int32))
    busy = covered_ns(codes, start, end, groups=len(used)).tolist()
    tasks = np.bincount(codes, minlength=len(used)).tolist()
    return dict(zip(used.tolist(), map(CoreUse, busy, tasks), strict=True))


def _known(times: Array) -> Array:
    known = times != MISSING
    return times if known.all() else times[known]


def _span(starts: Array, ends: Array) -> Span | None:
    if not len(starts) or not len(ends):
        return None
    return Span(int(starts.min()), int(ends.max()))


def joint_span(left: Span | None, right: Span | None) -> Span | None:
    """From the earlier start to the later end; one of them where the other is not known."""
    if left is None or right is None:
        return left or right
    return Span(min(left.start_ns, right.start_ns), max(left.end_ns, right.end_ns))


def makespan_section(
    makespan: Makespan,
    *,
    clock_hz: int | None,
    base_cycles: int | None,
    words: Vocabulary = CORES,
) -> Section:
    """The spans and a table of the kinds of core; `base_cycles` is the clock's count at 0 ns."""
    observed = makespan.observed if words.family == "cores" else None
    facts = (
        ("makespan", _span_text(makespan.makespan, "earliest dispatch to latest finish")),
        ("observed", _span_text(observed, "earliest receive or start to latest end")),
        ("time range", _span_text(makespan.time_range, "first start to last end")),
        ("base", _base(clock_hz, base_cycles)),
    )
    kinds = makespan.kinds
    columns = (
        PageColumn(f"{words.lane}s", "text", tuple(kind.kind for kind in kinds), key=True),
        PageColumn("number", "count", tuple(kind.cores for kind in kinds)),
        PageColumn("used", "count", tuple(kind.used for kind in kinds)),
        PageColumn(f"{words.task}s", "count", tuple(kind.tasks for kind in kinds)),
        PageColumn("busy", "time", tuple(kind.busy_ns for kind in kinds)),
        PageColumn("utilisation", "percent", tuple(kind.utilisation for kind in kinds)),
    )
    timed = makespan.window is not None
    if words.family == "streams":
        kinds = ()
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
    clock_hz, base_cycles = answers.capture.clock_hz, answers.capture.base_cycles
    times = {"clock_hz": clock_hz, "base_cycles": base_cycles}
    return [makespan_section(makespan, **times, words=answers.vocabulary)]


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
