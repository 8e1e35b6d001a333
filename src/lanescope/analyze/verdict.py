"""Where the time of the cores went: every nanosecond of every core has exactly one answer.

    core   [running ][ switch ][running ]         [running ]
                      ↑ dispatched to it, not started
    idle                                  ░░░░░░░           ░░░░░░
                                          as many idle cores of a kind as there are tasks for it …
    scheduler     … whose data is there, which are submitted, but not dispatched
    queued        … that were dispatched to a busy core and wait behind another task
    orchestrator  … that wait, themselves or through their latest producers, for the submit of a
                  task for which a core would be idle
    data          … of which a producer has not ended
    unexplained   … of which the trace does not say what they wait for
    nothing       the rest: there are fewer tasks left than cores

Data is there when the latest producer ended; barriers and allocations hand on what they wait for.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lanescope.analyze.cores import core_kinds
from lanescope.analyze.events import Moments, events_of, intervals
from lanescope.analyze.gaps import lost_intervals, stalled_intervals
from lanescope.analyze.makespan import Span, makespan
from lanescope.analyze.nodes import Nodes, nodes
from lanescope.native import tiling
from lanescope.native.paths import with_followers
from lanescope.trace.schema import MISSING
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace

LABELS = {
    "running": "running",
    "data": "waiting on data",
    "scheduler": "ready, not dispatched (scheduler)",
    "switch": "dispatched, not picked up (switch)",
    "queued": "queued on a busy core",
    "orchestrator": "not submitted yet (orchestrator)",
    "blocked": "blocked by the profiler",
    "lost": "unknown, records were lost",
    "unexplained": "idle, the trace cannot tell why",
    "nothing": "no task for this core",
}
"""Every answer, in the order of the table."""


@dataclass(frozen=True, slots=True)
class Share:
    """One answer for one kind of core; `high_ns` counts all lost time to it."""

    what: str
    label: str
    ns: int
    high_ns: int
    share: float | None
    high_share: float | None


@dataclass(frozen=True, slots=True)
class KindVerdict:
    """All cores of one kind, or of the chip: the shares' ns add up to total_ns."""

    kind: str
    cores: int
    total_ns: int
    """Length of the window x cores."""
    shares: tuple[Share, ...]

    def ns(self, what: str) -> int:
        return next(share.ns for share in self.shares if share.what == what)

    def share(self, what: str) -> float:
        return self.ns(what) / self.total_ns if self.total_ns else 0.0


@dataclass(frozen=True, slots=True)
class Verdict:
    """The chip first, then each kind of core; empty when no task has times, or for what is no chip
    (more than 65,535 cores or 126 kinds of them)."""

    window: Span | None
    kinds: tuple[KindVerdict, ...]
    graph_known: bool
    has_dispatch: bool
    has_submits: bool
    doubtful: int
    """Tasks with a predecessor whose end is not known."""

    @property
    def chip(self) -> KindVerdict | None:
        return self.kinds[0] if self.kinds else None


def verdict(trace: Trace, found: Nodes | None = None, window: Span | None = None) -> Verdict:
    """Tile window x cores; nodes and window are those of the trace, if they are known already."""
    found = nodes(trace) if found is None else found
    window = makespan(trace).window if window is None else window
    result = Verdict(
        window=window,
        kinds=(),
        graph_known=found.graph_known,
        has_dispatch=bool((trace.tasks["dispatch_ns"] != MISSING).any()),
        has_submits=bool((found.submit != MISSING).any()),
        doubtful=int(np.count_nonzero(found.doubtful)),
    )
    if window is None or not window.length_ns:
        return result
    chip = Chip(trace)
    if not 0 < len(chip.cores) <= tiling.MOST_CORES or len(chip.kinds) > tiling.MOST_KINDS:
        return result
    parts = [*core_events(trace, chip, window), *pool_events(trace, chip, found, window=window)]
    areas = tiling.tile(
        events_of(parts), chip.kind_of, len(chip.kinds), (window.start_ns, window.end_ns)
    )
    explained = result.graph_known and result.has_dispatch
    kinds = [
        _kind(kind, int((chip.kind_of == number).sum()), areas[number].tolist(), explained)
        for number, kind in enumerate(chip.kinds)
    ]
    whole = _kind("chip", len(chip.kind_of), areas.sum(axis=0).tolist(), explained)
    return replace(result, kinds=(whole, *kinds))


class Chip:
    """The cores of a trace by position, and their kinds by number."""

    def __init__(self, trace: Trace) -> None:
        known = core_kinds(trace)
        self.kinds = list(dict.fromkeys(known.values()))
        self.cores = np.array(list(known), np.int64)
        self.kind_of = np.array([self.kinds.index(kind) for kind in known.values()], np.int32)
        self._order = np.argsort(self.cores)

    def index(self, core: Array) -> Array:
        """Position of each core, -1 for none."""
        if not len(self.cores):
            return np.full(len(core), -1, np.int64)
        at = np.searchsorted(self.cores, core, sorter=self._order)
        place = self._order[np.minimum(at, len(self.cores) - 1)]
        return np.where(self.cores[place] == core, place, -1)


def core_events(trace: Trace, chip: Chip, window: Span) -> list[Moments]:
    """When nothing is known of a core, and when recording stopped it."""
    lost, stalled = lost_intervals(trace, window), stalled_intervals(trace)
    return [
        *intervals(lost.start, lost.end, chip.index(lost.core), tiling.UNKNOWN),
        *intervals(stalled.start, stalled.end, chip.index(stalled.core), tiling.BLOCKED),
    ]


def pool_events(trace: Trace, chip: Chip, found: Nodes, *, window: Span) -> list[Moments]:
    """What waited for a core of each kind, was given to one, ran there."""
    tasks = trace.tasks
    core = chip.index(tasks["core"])
    rows = np.flatnonzero(trace.ran() & (core >= 0))
    core, node = core[rows].astype(np.uint16), found.of_row[rows]
    kind = chip.kind_of[core].astype(np.int64)
    start, dispatch = tasks["start_ns"][rows], tasks["dispatch_ns"][rows]
    given = np.where(dispatch != MISSING, np.minimum(dispatch, start), start)
    # Where nothing is known of its inputs, a task counts as ready only when it was dispatched.
    ready = ready_times(found)[node]
    unsure = ready == MISSING
    since = np.maximum(ready, window.start_ns)
    waited = ~unsure & (since < given)
    leaves = np.where(waited, tiling.READY, np.where(unsure, tiling.UNSURE, 0)).astype(np.int8)
    kinds = np.arange(len(chip.kinds))
    begin = np.full(len(kinds), window.start_ns)
    pending = np.bincount(kind, minlength=len(kinds))
    doubted = np.bincount(kind[unsure], minlength=len(kinds))
    return [
        Moments(begin, kinds, tiling.PENDING, pending),
        Moments(begin, kinds, tiling.UNSURE, doubted),
        *_behind(found, (node, kind), window, kinds=len(kinds)),
        Moments(since[waited], kind[waited], tiling.READY, 1),
        Moments(given, core, tiling.GIVEN, by=leaves),
        Moments(start, core, tiling.STARTED),
        Moments(tasks["end_ns"][rows], core, tiling.RUNNING, -1),
    ]


def ready_times(found: Nodes) -> Array:
    """Since when each node could have been dispatched: data there, and submitted; MISSING where
    neither is known."""
    known = found.roots | (found.ready != MISSING)
    submitted = np.where(known, found.submit, MISSING)
    return np.maximum(found.ready, submitted)


def _behind(found: Nodes, rows: tuple[Array, Array], window: Span, *, kinds: int) -> list[Moments]:
    """A node that has its data and is not submitted holds up itself and all nodes whose latest
    producer, or that one's, it is."""
    since = np.where(found.roots, window.start_ns, found.ready)
    late = (found.submit != MISSING) & (since != MISSING) & (found.submit > since)
    if not late.any():
        return []
    node, kind = rows
    by = np.full(len(found), kinds, np.int64)
    by[node] = kind
    events: list[Moments] = []
    for number in range(kinds):
        waiting = np.bincount(node[kind == number], minlength=len(found))
        held_up = with_followers(found.graph, found.gate, waiting)
        some = np.flatnonzero(late & (held_up > 0))
        where = np.full(len(some), number, np.int64)
        events += intervals(
            since[some], found.submit[some], where, tiling.BEHIND, held_up[some], by[some]
        )
    return events


def _kind(kind: str, cores: int, areas: list[int], explained: bool) -> KindVerdict:
    known = dict(zip(tiling.TILES, areas, strict=True))
    if not explained:
        known["unexplained"] += known.pop("data")
        known["data"] = 0
    total = sum(known.values())
    shares = tuple(
        Share(
            what,
            label,
            known[what],
            known[what] + (0 if what == "lost" else known["lost"]),
            known[what] / total if total else None,
            (known[what] + (0 if what == "lost" else known["lost"])) / total if total else None,
        )
        for what, label in LABELS.items()
    )
    return KindVerdict(kind, cores, total, shares)
