"""Where the time of each controller thread went: per kind of phase, idle, per loop, per submit.

    span ├──────────────────────────────────────────────────────────┤
    outer  [complete      ]  [dispatch ]        [release]              takes time from the thread
    inner     [resolve]                                                lies inside an outer phase
    marker          |             |                                    has no length
    idle                   ░░           ░░░░░░░░         ░░░░░░░░░░░   = span - union of outer

Old captures record idle time as phases; they count as idle here. A kind that is not in the lists
below is outer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from lanescope.analyze.columns.core_kinds import UNKNOWN
from lanescope.analyze.columns.groups import combine, distinct, group_by
from lanescope.analyze.columns.union import covered_ns
from lanescope.render.cells import many_text, percent_text, time_text
from lanescope.render.names import clean
from lanescope.results import Result
from lanescope.trace.lanes import controller_names
from lanescope.trace.numbering import different
from lanescope.trace.schema import MISSING, MISSING32
from lanescope.trace.table import Array, Table
from lanescope.trace.trace import Trace

INNER = frozenset(
    {
        *("resolve", "drain_prepare", "drain_publish"),
        *("submit_task", "alloc_tensors", "record_node", "graph_submit", "build_definition"),
    }
)
"""Kinds of inner phases. Those in the first line lie in a scheduler's complete, dummy or drain,
those in the second in host_orch."""
MARKERS = frozenset({"dummy_task", "predicated_skip"})
"""Kinds of phases that mark a moment."""
IDLE = frozenset({"idle", "scan", "poll"})
"""Kinds of phases in which a thread has nothing to do."""


@dataclass(frozen=True, slots=True)
class PhaseBudget(Result):
    """All phases of one kind in one thread."""

    kind: str
    role: str
    """outer, inner, marker or idle"""
    count: int
    total_ns: int
    share: float | None
    """total_ns / span of the thread; None when the span has no length."""


@dataclass(frozen=True, slots=True)
class Controller(Result):
    """Where the time of one controller thread went; None for what no record tells.

    busy_ns + idle_ns = span_ns. The totals of the outer kinds add up to busy_ns + overlap_ns.
    """

    DERIVED = (
        "span_ns",
        "idle_ns",
        "busy_share",
        "idle_share",
        "ns_per_loop",
        "ns_per_submit",
        "pop_hit_rate",
    )

    lane: str
    """What the thread is: scheduler, orchestrator, host, …"""
    controller: int | None
    """Its number among the threads of its lane."""
    phases: int
    """Number of its phases."""
    untimed: int
    """Phases without usable times. They count in `phases`, and in no time."""
    start_ns: int | None
    """Start of its first phase."""
    end_ns: int | None
    """End of its last phase."""
    busy_ns: int
    """Time that outer phases cover."""
    overlap_ns: int
    """Time that two outer phases claim at once; 0 in a correct recording."""
    loops: int | None
    """Rounds of its loop: last loop number - first loop number + 1."""
    dispatched: int | None
    """Tasks handled by dispatch phases."""
    completed: int | None
    """Tasks handled by complete phases."""
    pop_hits: int | None
    """Times that it took a task from a ready queue."""
    pop_misses: int | None
    """Times that a ready queue was empty when it asked."""
    submits: int | None
    """Different submit numbers in its phases."""
    kinds: tuple[PhaseBudget, ...]
    """The kinds of its phases, the longest total first."""
    name: str = ""
    """What its source calls it; empty for one that has a number only."""

    @property
    def span_ns(self) -> int:
        """Nanoseconds from its first to its last moment; 0 without usable times."""
        if self.start_ns is None or self.end_ns is None:
            return 0
        return self.end_ns - self.start_ns

    @property
    def idle_ns(self) -> int:
        """Nanoseconds of the span that no outer phase covers."""
        return self.span_ns - self.busy_ns

    @property
    def busy_share(self) -> float | None:
        """busy_ns / span_ns, from 0 to 1."""
        return _ratio(self.busy_ns, self.span_ns)

    @property
    def idle_share(self) -> float | None:
        """idle_ns / span_ns, from 0 to 1."""
        return _ratio(self.idle_ns, self.span_ns)

    @property
    def ns_per_loop(self) -> float | None:
        """Nanoseconds of the span per round of its loop."""
        return _ratio(self.span_ns, self.loops) if self.span_ns else None

    @property
    def ns_per_submit(self) -> float | None:
        """Busy nanoseconds per submit."""
        return _ratio(self.busy_ns, self.submits)

    @property
    def pop_hit_rate(self) -> float | None:
        """pop_hits / (pop_hits + pop_misses), from 0 to 1."""
        hits, misses = self.pop_hits or 0, self.pop_misses or 0
        return _ratio(hits, hits + misses)

    def __repr__(self) -> str:
        number = "?" if self.controller is None else self.controller
        busy = percent_text(self.busy_share)
        span = time_text(self.span_ns)
        phases = many_text(self.phases, "phase")
        return f"<Controller {clean(self.lane)} {number}: {phases}, busy {busy} of {span}>"


_LANES = {"scheduler": 0, "orchestrator": 1, "host": 2}
_COLUMNS = (
    *("lane", "controller", "kind", "start_ns", "end_ns"),
    *("loop", "tasks", "pop_hit", "pop_miss", "submit"),
)


def controllers(trace: Trace) -> tuple[Controller, ...]:
    """The threads that have phases: schedulers first, then orchestrators, host threads, others.

    Threads of one lane are in order of their numbers. Rows with a category, which the
    program marked itself, are no phases of a controller's loop.
    """
    phases = Table(trace.phases.schema, {name: trace.phases[name] for name in _COLUMNS})
    noted = trace.phases["category"] >= 0
    phases = phases.rows(~noted) if noted.any() else phases
    names = controller_names(trace)
    threads = [_controller(trace, phases.rows(rows), names) for rows in _threads(phases)]
    return tuple(sorted(threads, key=lambda thread: _LANES.get(thread.lane, len(_LANES))))


def _threads(phases: Table) -> list[Array | slice]:
    """Phase rows of each thread, in the order of (lane, controller)."""
    lane, thread = phases["lane"], np.maximum(phases["controller"], -1)
    changed = (lane[1:] != lane[:-1]) | (thread[1:] != thread[:-1])
    first = np.flatnonzero(np.append(True, changed)[: len(phases)])
    keys = list(zip(lane[first].tolist(), thread[first].tolist(), strict=True))
    bounds = pairwise([*first.tolist(), len(phases)])
    if len(set(keys)) == len(keys):
        runs = [slice(begin, end) for begin, end in bounds]
        return [run for _, run in sorted(zip(keys, runs, strict=True), key=lambda one: one[0])]
    groups = group_by(combine(lane, thread))
    ends = pairwise([*groups.first.tolist(), len(phases)])
    return [groups.order[begin:end] for begin, end in ends]


def _controller(trace: Trace, phases: Table, names: Mapping[tuple[int, int], str]) -> Controller:
    """The figures of one thread, from its phases in recorded order."""
    name = names.get((int(phases["lane"][0]), int(phases["controller"][0])), "")
    number = int(phases["controller"][0])
    has_times = (phases["start_ns"] != MISSING) & (phases["end_ns"] >= phases["start_ns"])
    timed = phases if has_times.all() else phases.rows(has_times)
    start, end = _least(timed["start_ns"]), _most(timed["end_ns"])
    span = 0 if start is None or end is None else end - start
    kinds = _budgets(trace, timed, span)
    busy = _busy(trace, timed)
    outer = sum(budget.total_ns for budget in kinds if budget.role == "outer")
    submits = phases["submit"][phases["submit"] != MISSING32]
    return Controller(
        lane=trace.word(int(phases["lane"][0])) or UNKNOWN,
        controller=None if number == MISSING32 else number,
        phases=len(phases),
        untimed=len(phases) - len(timed),
        start_ns=start,
        end_ns=end,
        busy_ns=busy,
        overlap_ns=outer - busy,
        loops=_loops(phases["loop"]),
        dispatched=_sum(phases["tasks"][phases["kind"] == trace.code("dispatch")]),
        completed=_sum(phases["tasks"][phases["kind"] == trace.code("complete")]),
        pop_hits=_sum(phases["pop_hit"]),
        pop_misses=_sum(phases["pop_miss"]),
        submits=distinct(submits) or None,
        kinds=kinds,
        name="" if name == f"{trace.word(int(phases['lane'][0]))} {number}" else name,
    )


def _budgets(trace: Trace, timed: Table, span_ns: int) -> tuple[PhaseBudget, ...]:
    """The kinds of a thread's phases, the longest total first."""
    groups = group_by(timed["kind"])
    totals = groups.sums(timed["end_ns"] - timed["start_ns"])
    counts = groups.counts()
    budgets = []
    for place, code in enumerate(groups.keys.tolist()):
        kind = trace.word(code) or UNKNOWN
        share = _ratio(totals[place], span_ns)
        budgets.append(PhaseBudget(kind, role(kind), counts[place], totals[place], share))
    return tuple(sorted(budgets, key=lambda budget: (-budget.total_ns, budget.kind)))


def role(kind: str) -> str:
    """What a phase of this kind does with its thread's time: outer, inner, marker or idle."""
    if kind in INNER:
        return "inner"
    if kind in MARKERS:
        return "marker"
    return "idle" if kind in IDLE else "outer"


def _busy(trace: Trace, timed: Table) -> int:
    """Nanoseconds that the outer phases cover."""
    codes = [c for c in different(timed["kind"]).tolist() if role(trace.word(c)) == "outer"]
    outer = np.isin(timed["kind"], codes)
    start, end = timed["start_ns"][outer], timed["end_ns"][outer]
    return int(covered_ns(np.zeros(len(start), np.int64), start, end, groups=1)[0])


def _loops(loop: Array) -> int | None:
    known = loop[loop != MISSING]
    return int(known.max()) - int(known.min()) + 1 if len(known) else None


def _sum(values: Array) -> int | None:
    known = values[values != MISSING32]
    return int(known.sum(dtype=np.int64)) if len(known) else None


def _least(values: Array) -> int | None:
    return int(values.min()) if len(values) else None


def _most(values: Array) -> int | None:
    return int(values.max()) if len(values) else None


def _ratio(part: int, whole: int | None) -> float | None:
    return part / whole if whole else None
