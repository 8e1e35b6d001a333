"""Overhead as the simpler runtime's own tools define it, to compare figures with theirs.

Window: first start to last end. A kind of core has overhead while one of its cores that ran
anything is idle and a task for it is ready and not dispatched; ready is the end of the latest
predecessor that ran, or the dispatch where none did. A switch is the gap before a task that was
dispatched before the one before it had ended. (hw-native-sys/simpler,
simpler_setup/tools/sched_overhead_analysis.py; docs/reading-a-report.md says where we differ.)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.analyze.analysis import Analysis, Answers, Basis
from lanescope.analyze.columns.core_kinds import core_kinds
from lanescope.analyze.columns.events import intervals
from lanescope.analyze.graph.nodes import Nodes
from lanescope.native import tiling
from lanescope.native.paths import readiness
from lanescope.native.tiling import sorted_values
from lanescope.render.cells import percent_text, time_text
from lanescope.render.page import PageColumn, Section
from lanescope.results import Result
from lanescope.trace.schema import MISSING
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace

PERCENTS = (10, 25, 50, 75, 90, 95, 99)


@dataclass(frozen=True, slots=True)
class Quantiles(Result):
    """Values at 10, 25, 50, 75, 90, 95 and 99 percent of the sorted row, and all together."""

    count: int
    at: tuple[int, ...]
    max_ns: int
    total_ns: int


@dataclass(frozen=True, slots=True)
class PeerKind(Result):
    """One kind of core that ran something."""

    kind: str
    cores: int
    overhead_ns: int
    switches: int
    switch_ns: int
    """Of all cores together."""
    least_switch_ns: int
    """Of the core with the least."""
    most_switch_ns: int
    switch_in_overhead_ns: int
    """While other work was ready."""


@dataclass(frozen=True, slots=True)
class PeerOverhead(Result):
    """What `sched_overhead_analysis` prints in its parts 1 to 4."""

    window_ns: int
    kinds: tuple[PeerKind, ...]
    all_overhead_ns: int
    """Every kind had overhead."""
    has_overhead_ns: int
    """Every kind with ready work had an idle core."""
    head: Quantiles
    tail: Quantiles

    @property
    def switch_bounds_ns(self) -> tuple[int, int]:
        """Least of any core, and the sum of the kinds' least."""
        least = [kind.least_switch_ns for kind in self.kinds]
        return min(least, default=0), sum(least)


@dataclass(frozen=True, slots=True, eq=False)
class _Runs:
    """Rows with all their times, sorted by core, then start."""

    opens: Array
    """Whether it is the first of its core."""
    all_rows: bool
    """Whether they are all rows of the trace."""
    kind: Array
    core: Array
    node: Array
    dispatch: Array
    start: Array
    end: Array
    finish: Array


def peer_overhead(trace: Trace, found: Nodes) -> PeerOverhead | None:
    """None where the graph or dispatch and finish are not known."""
    kinds = core_kinds(trace)
    names = sorted(set(kinds.values()))
    runs = _runs(trace, found, {core: names.index(kind) for core, kind in kinds.items()})
    if not found.graph_known or not len(runs.core) or len(names) > tiling.MOST_KINDS:
        return None
    window = int(runs.start.min()), int(runs.end.max())
    work = _waiting(runs, found, window, kinds=len(names))
    cores = np.bincount(runs.kind[runs.opens], minlength=len(names))
    running = intervals(runs.start, runs.end, runs.kind, tiling.RUNNING)
    waiting = intervals(work.start, work.end, work.kind, tiling.READY)
    found_ns = tiling.overhead([*running, *waiting], cores).tolist()
    return PeerOverhead(
        window_ns=window[1] - window[0],
        kinds=tuple(
            _kind(runs, names[k], runs.kind == k, (found_ns[k], work.of_kind(k)))
            for k in np.flatnonzero(cores).tolist()
        ),
        all_overhead_ns=found_ns[-2],
        has_overhead_ns=found_ns[-1],
        head=_quantiles(_heads(runs)),
        tail=_quantiles(np.maximum(runs.finish - runs.end, 0)),
    )


def _runs(trace: Trace, found: Nodes, kind_of: dict[int, int]) -> _Runs:
    tasks = trace.tasks
    whole = trace.ran() & (tasks["dispatch_ns"] != MISSING) & (tasks["finish_ns"] != MISSING)
    rows = np.flatnonzero(whole)
    core, start = tasks["core"][rows].astype(np.int64), tasks["start_ns"][rows]
    same = core[1:] == core[:-1]
    if not ((core[1:] > core[:-1]) | (same & (start[1:] >= start[:-1]))).all():
        rows = rows[np.lexsort((start, core))]
        core = tasks["core"][rows].astype(np.int64)
    opens = np.append(True, core[1:] != core[:-1])[: len(core)]
    kinds = np.array([kind_of.get(c, 0) for c in core[opens].tolist()], np.int64)
    return _Runs(
        opens,
        len(rows) == len(tasks),
        kinds[np.cumsum(opens) - 1] if len(core) else core,
        core,
        found.of_row[rows],
        *(tasks[f"{name}_ns"][rows] for name in ("dispatch", "start", "end", "finish")),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Waiting:
    """When tasks were ready and not dispatched; a task of several kinds counts for each."""

    kind: Array
    start: Array
    end: Array

    def of_kind(self, kind: int) -> tuple[Array, Array]:
        """Starts and ends of the intervals in which there was one for this kind of core."""
        mine = self.kind == kind
        start, end = sorted_values(self.start[mine]), sorted_values(self.end[mine])
        # In sorted starts and ends, nothing is open before start[i] if end[i - 1] <= it.
        opens = np.append(True, start[1:] > end[:-1])[: len(start)]
        return start[opens], end[np.append(opens[1:], True)[: len(end)]]


def _waiting(runs: _Runs, found: Nodes, window: tuple[int, int], *, kinds: int) -> _Waiting:
    ready, dispatch = _ready(runs, found)
    present = np.zeros(len(found) * kinds, bool)
    present[runs.node * kinds + runs.kind] = True
    node, kind = np.divmod(np.flatnonzero(present), kinds)
    start, end = np.clip(ready[node], *window), np.clip(dispatch[node], *window)
    wide = end > start
    return _Waiting(kind[wide], start[wide], end[wide])


def _ready(runs: _Runs, found: Nodes) -> tuple[Array, Array]:
    """Of each node: the latest end of its direct predecessors, or its dispatch."""
    if runs.all_rows and not found.silent.any():
        return np.where(found.ready == MISSING, found.dispatch, found.ready), found.dispatch
    dispatch = np.full(len(found), np.iinfo(np.int64).max, np.int64)
    np.minimum.at(dispatch, runs.node, runs.dispatch)
    end = np.full(len(found), MISSING, np.int64)
    np.maximum.at(end, runs.node, runs.end)
    ready = np.full(len(found), MISSING, np.int64)
    if found.silent.any():
        timed = end[found.pred] != MISSING
        np.maximum.at(ready, found.succ[timed], end[found.pred[timed]])
    else:
        ready, _ = readiness(found.graph, end)
    return np.where(ready == MISSING, dispatch, ready), dispatch


def _kind(runs: _Runs, name: str, mine: Array, facts: tuple[int, tuple[Array, Array]]) -> PeerKind:
    overhead_ns, work = facts
    core, start, end = runs.core[mine], runs.start[mine], runs.end[mine]
    gap = start[1:] - end[:-1]
    is_switch = (core[1:] == core[:-1]) & (gap > 0) & (runs.dispatch[mine][1:] < end[:-1])
    at = np.flatnonzero(is_switch)
    of_core = np.cumsum(runs.opens[mine]) - 1
    per_core = np.zeros(int(of_core[-1]) + 1, np.int64)
    np.add.at(per_core, of_core[at + 1], gap[at])
    return PeerKind(
        kind=name,
        cores=len(per_core),
        overhead_ns=overhead_ns,
        switches=len(at),
        switch_ns=int(per_core.sum()),
        least_switch_ns=int(per_core.min()),
        most_switch_ns=int(per_core.max()),
        switch_in_overhead_ns=_overlap(work, end[at], start[at + 1]),
    )


def _overlap(work: tuple[Array, Array], start: Array, end: Array) -> int:
    """How much of the intervals lies in those of `work`, which are disjoint and in order."""
    opens, closes = work
    if not len(start) or not len(opens):
        return 0
    before = np.concatenate([[0], np.cumsum(closes - opens)])

    def until(moment: Array) -> int:
        at = np.searchsorted(opens, moment, side="right")
        inside = np.minimum(moment, closes[at - 1]) - opens[at - 1]
        return int(np.where(at > 0, before[at - 1] + inside, 0).sum())

    return until(end) - until(start)


def _heads(runs: _Runs) -> Array:
    """Dispatch or the end of the core's last task, whichever is later, to start."""
    head = runs.start - runs.dispatch
    same = runs.core[1:] == runs.core[:-1]
    since = runs.start[1:] - runs.end[:-1]
    head[1:] = np.where(same, np.minimum(head[1:], since), head[1:])
    return np.asarray(np.maximum(head, 0))


def _quantiles(values: Array) -> Quantiles:
    count = len(values)
    places = [min(count * percent // 100, count - 1) for percent in PERCENTS]
    ordered = np.partition(values, [*places, count - 1])
    return Quantiles(
        count, tuple(int(ordered[p]) for p in places), int(ordered[-1]), int(values.sum())
    )


def peer_sections(peer: PeerOverhead) -> list[Section]:
    """Figures to hold against those of the simpler runtime's own tools."""
    window = peer.window_ns
    low, high = peer.switch_bounds_ns
    facts = (
        ("window", f"{time_text(window)} (first start to last end)"),
        ("all overhead", _of(peer.all_overhead_ns, window)),
        ("has overhead", _of(peer.has_overhead_ns, window)),
        ("switch bound", f"{time_text(low)} to {time_text(high)}"),
    )
    kinds = peer.kinds
    columns = (
        PageColumn("cores", "text", tuple(kind.kind for kind in kinds), key=True),
        PageColumn("used", "count", tuple(kind.cores for kind in kinds)),
        PageColumn(
            "overhead", "percent", tuple(kind.overhead_ns / max(window, 1) for kind in kinds)
        ),
        PageColumn("switches", "count", tuple(kind.switches for kind in kinds)),
        PageColumn(
            "each", "time", tuple(k.switch_ns / (k.switches or 1) for k in kinds), scale="s"
        ),
        PageColumn("least/core", "time", tuple(kind.least_switch_ns for kind in kinds), scale="s"),
        PageColumn("mean/core", "time", tuple(k.switch_ns / k.cores for k in kinds), scale="s"),
        PageColumn("most/core", "time", tuple(kind.most_switch_ns for kind in kinds), scale="s"),
        PageColumn(
            "with work ready",
            "percent",
            tuple(k.switch_in_overhead_ns / k.switch_ns if k.switch_ns else None for k in kinds),
        ),
    )
    title = "Overhead as the simpler runtime's tools define it"
    return [Section(title=title, facts=facts, columns=columns), _distributions(peer)]


def _distributions(peer: PeerOverhead) -> Section:
    rows: tuple[tuple[str, Quantiles], ...] = (("head", peer.head), ("tail", peer.tail))
    columns = [PageColumn("", "text", tuple(name for name, _ in rows), key=True)]
    for place, percent in enumerate(PERCENTS):
        cells = tuple(row.at[place] for _, row in rows)
        columns.append(PageColumn(f"p{percent}", "time", cells, scale="d"))
    columns.append(PageColumn("max", "time", tuple(row.max_ns for _, row in rows), scale="d"))
    means = tuple(row.total_ns / row.count for _, row in rows)
    columns.append(PageColumn("mean", "time", means, scale="d"))
    return Section(
        title="Head and tail by the same tools",
        columns=tuple(columns),
        notes=(
            "Head: start after dispatch or after the core's last task, whichever is later. "
            "Tail: from end to finish.",
        ),
    )


def _of(part_ns: int, whole_ns: int) -> str:
    return f"{percent_text(part_ns / whole_ns if whole_ns else None)} of it"


def _sections(peer: PeerOverhead | None, answers: Answers) -> list[Section]:
    return [] if peer is None else peer_sections(peer)


def _answer(basis: Basis) -> PeerOverhead | None:
    return peer_overhead(basis.trace, basis.graph)


PEER = Analysis(
    name="peer",
    question="What is the overhead as the simpler runtime's own tools count it?",
    answer=_answer,
    sections=_sections,
    place=110,
    large=True,
    keys="null, or window_ns, all_overhead_ns, has_overhead_ns, kinds [kind, cores, overhead_ns, "
    "switches, switch_ns, least_switch_ns, most_switch_ns, switch_in_overhead_ns], head and tail "
    "[count, at, max_ns, total_ns]",
)
