"""What every core did at every moment: it ran, or one of nine reasons says why not. The verdict,
the viewer and the pictures all count from here.

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

Idle cores of a kind are alike: what all of them wait for at a moment is shared among them equally.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.analyze.columns.core_places import Chip
from lanescope.analyze.columns.events import intervals
from lanescope.analyze.cores.gaps import lost_intervals, stalled_intervals
from lanescope.analyze.cores.makespan import Span, makespan
from lanescope.analyze.graph.nodes import Nodes, nodes
from lanescope.native import tiling
from lanescope.native.paths import with_followers
from lanescope.native.tiling import Moments
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


REASONS = tuple(what for what in LABELS if what != "running")


@dataclass(frozen=True, slots=True, eq=False)
class _Runs:
    """Runs on cores of the chip: task row, place of the core, number of its kind."""

    row: Array
    core: Array
    kind: Array
    kinds: int


@dataclass(frozen=True, slots=True, eq=False)
class Account:
    """Everything that opens or closes on the cores of a chip in a window."""

    chip: Chip
    window: Span
    parts: list[Moments]
    rows: Array
    """Task rows that ran on a core of the chip, as STARTED has them."""
    explained: bool
    """Whether the trace can tell data from other reasons: graph and dispatch are known."""

    def areas(self) -> dict[str, Array]:
        """ns x cores per kind of the chip, by reason."""
        areas = tiling.tile(self.parts, self.chip.kind_of, len(self.chip.kinds), self._limits())
        return self._named(areas)

    def waits(self) -> tuple[dict[str, Array], dict[str, Array]]:
        """By reason, ns: before each of `rows` since its core's last run, and of each core after
        its last run."""
        found = tiling.tile_runs(
            self.parts, self.chip.kind_of, len(self.chip.kinds), self._limits()
        )
        return self._named(found.before), self._named(found.after)

    def _limits(self) -> tuple[int, int]:
        return self.window.start_ns, self.window.end_ns

    def _named(self, columns: Array) -> dict[str, Array]:
        named = dict(zip(tiling.TILES, columns.T, strict=True))
        if not self.explained:
            named["unexplained"] = named["unexplained"] + named["data"]
            named["data"] = np.zeros_like(named["data"])
        return {what: named[what] for what in LABELS}


def account(trace: Trace, found: Nodes | None = None, window: Span | None = None) -> Account | None:
    """None when no task has times, or for what is no chip (more than 65,535 cores or 126 kinds of
    them); nodes and window are those of the trace, if they are known already."""
    window = makespan(trace).window if window is None else window
    chip = Chip(trace)
    if window is None or not window.length_ns:
        return None
    if not 0 < len(chip.cores) <= tiling.MOST_CORES or len(chip.kinds) > tiling.MOST_KINDS:
        return None
    found = nodes(trace) if found is None else found
    runs = _runs(trace, chip)
    return Account(
        chip=chip,
        window=window,
        parts=[
            *_core_events(trace, chip, window),
            *_pool_events(trace, found, runs, window=window),
        ],
        rows=runs.row,
        explained=found.graph_known and bool((trace.tasks["dispatch_ns"] != MISSING).any()),
    )


def _runs(trace: Trace, chip: Chip) -> _Runs:
    rows = np.flatnonzero(trace.ran())
    core = chip.index(trace.tasks["core"][rows])
    on_chip = core >= 0
    if not on_chip.all():
        rows, core = rows[on_chip], core[on_chip]
    return _Runs(rows, core.astype(np.uint16), chip.kind_of[core], len(chip.kinds))


def _core_events(trace: Trace, chip: Chip, window: Span) -> list[Moments]:
    """When nothing is known of a core, and when recording stopped it."""
    lost, stalled = lost_intervals(trace, window), stalled_intervals(trace)
    return [
        *intervals(lost.start, lost.end, chip.index(lost.core), tiling.UNKNOWN),
        *intervals(stalled.start, stalled.end, chip.index(stalled.core), tiling.BLOCKED),
    ]


def _pool_events(trace: Trace, found: Nodes, runs: _Runs, *, window: Span) -> list[Moments]:
    """What waited for a core of each kind, was given to one, ran there."""
    tasks, rows, kind = trace.tasks, runs.row, runs.kind
    node = found.of_row[rows]
    start, dispatch = tasks["start_ns"][rows], tasks["dispatch_ns"][rows]
    given = np.where(dispatch != MISSING, np.minimum(dispatch, start), start)
    # Where nothing is known of its inputs, a task counts as ready only when it was dispatched.
    ready = ready_times(found)[node]
    unsure = ready == MISSING
    since = np.maximum(ready, window.start_ns)
    waited = ~unsure & (since < given)
    leaves = waited * np.int8(tiling.READY) + unsure * np.int8(tiling.UNSURE)
    kinds = np.arange(runs.kinds)
    begin = np.full(len(kinds), window.start_ns)
    pending = np.bincount(kind, minlength=len(kinds))
    doubted = np.bincount(kind[unsure], minlength=len(kinds))
    return [
        Moments(begin, kinds, tiling.PENDING, pending),
        Moments(begin, kinds, tiling.UNSURE, doubted),
        *_behind(found, (node, kind), window, kinds=runs.kinds),
        Moments(since[waited], kind[waited], tiling.READY, 1),
        Moments(given, runs.core, tiling.GIVEN, by=leaves),
        Moments(start, runs.core, tiling.STARTED),
        Moments(tasks["end_ns"][rows], runs.core, tiling.RUNNING, -1),
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
