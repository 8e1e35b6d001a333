"""Makespan and use of the cores, added up over task rows that come some at a time."""

from __future__ import annotations

import numpy as np

from lanescope.analyze.columns.accumulated import union
from lanescope.analyze.columns.core_kinds import UNKNOWN, core_kinds
from lanescope.analyze.cores.makespan import CoreUse, Makespan, Span, joint_span, kind_uses
from lanescope.trace.numbering import different
from lanescope.trace.schema import MISSING, MISSING32
from lanescope.trace.table import Array, Table
from lanescope.trace.trace import Trace

_KEPT = 1 << 18
"""How many intervals of a core are remembered, the latest ones."""


class CoreSums:
    """What each core did in the rows so far.

    Rows are sorted by core. The rows of a core come in about the order of their times. What a row
    covers before all that is remembered of its core is not added: `out_of_order` counts such rows.
    """

    COLUMNS = ("core", "dispatch_ns", "receive_ns", "start_ns", "end_ns", "finish_ns")
    """The columns that are needed."""

    def __init__(self) -> None:
        self.out_of_order = 0
        """Number of rows that began before all that was remembered of their core."""
        self._least: dict[str, int] = {}
        self._most: dict[str, int] = {}
        self._uses: dict[int, CoreUse] = {}
        self._covered: dict[int, tuple[Array, Array]] = {}
        self._forgotten: dict[int, int] = {}
        self._named: set[int] = set()

    def add(self, tasks: Table) -> None:
        """Add rows of the tasks table."""
        ran = (tasks["start_ns"] != MISSING) & (tasks["end_ns"] != MISSING)
        for name in ("dispatch_ns", "finish_ns"):
            self._extend(name, tasks[name])
        for name in ("receive_ns", "start_ns", "end_ns"):
            self._extend(name, tasks[name][ran])
        core, start, end = (tasks[name][ran] for name in ("core", "start_ns", "end_ns"))
        self._named |= set(different(tasks["core"]).tolist()) - {MISSING32}
        here = different(core).tolist()
        for number in self._covered.keys() - set(here) if here else ():
            self._forget(number, self._covered.pop(number))
        for number in here:
            own = core == number
            self._add_core(number, start[own], end[own])

    def used_cores(self) -> set[int]:
        """Return the cores on which a task ran."""
        return self._uses.keys() - {MISSING32}

    def result(self, trace: Trace) -> Makespan:
        """Return the answer; `trace` has the table of cores."""
        controlled = self._span("dispatch_ns", "finish_ns")
        observed = timed = self._span("start_ns", "end_ns")
        if observed is not None and "receive_ns" in self._least:
            first = min(observed.start_ns, self._least["receive_ns"])
            observed = Span(first, observed.end_ns)
        window = joint_span(controlled, observed)
        kinds = core_kinds(trace)
        for core in sorted(self._named - kinds.keys()):
            kinds[core] = UNKNOWN
        return Makespan(
            time_range=timed,
            makespan=controlled,
            observed=observed,
            window=window,
            kinds=kind_uses(kinds, self._uses, 0 if window is None else window.length_ns),
        )

    def _extend(self, name: str, values: Array) -> None:
        known = values[values != MISSING]
        if len(known):
            least, most = int(known.min()), int(known.max())
            self._least[name] = min(self._least.get(name, least), least)
            self._most[name] = max(self._most.get(name, most), most)

    def _span(self, first: str, last: str) -> Span | None:
        if first not in self._least or last not in self._most:
            return None
        return Span(self._least[first], self._most[last])

    def _add_core(self, core: int, start: Array, end: Array) -> None:
        use = self._uses.get(core, CoreUse(0, 0))
        old = self._covered.get(core, (start[:0], end[:0]))
        count, before = len(start), self._forgotten.get(core)
        if before is not None:
            self.out_of_order += int(np.count_nonzero(start < before))
            start, end = np.maximum(start, before), np.maximum(end, before)
        both = union(np.concatenate([old[0], start]), np.concatenate([old[1], end]))
        busy = int((both[1] - both[0]).sum()) - int((old[1] - old[0]).sum())
        self._uses[core] = CoreUse(use.busy_ns + busy, use.tasks + count)
        self._forget(core, (both[0][:-_KEPT], both[1][:-_KEPT]))
        self._covered[core] = both[0][-_KEPT:], both[1][-_KEPT:]

    def _forget(self, core: int, intervals: tuple[Array, Array]) -> None:
        """Note until when time of a core is not known any more."""
        if len(intervals[1]):
            self._forgotten[core] = int(intervals[1][-1])
