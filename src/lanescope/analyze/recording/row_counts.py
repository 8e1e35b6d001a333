"""What was captured, counted over rows that come some at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from lanescope.analyze.columns.core_kinds import UNKNOWN
from lanescope.analyze.recording.captured import Capture, CoreTally, Tally, capture
from lanescope.trace.schema import MISSING, TaskFlag
from lanescope.trace.table import Array, Table
from lanescope.trace.trace import Trace

_MOST_IDS = 1 << 29
"""Ids that spread over more than this are not counted: one byte for each is too much memory."""


class RowCounts:
    """Numbers of the rows so far."""

    COLUMNS = ("task", "kind", "flags", "blocks", "start_ns", "end_ns")
    """The columns of tasks that are needed."""

    def __init__(self, ids: tuple[int, int] | None) -> None:
        """`ids` are the least and the greatest id of a task; None where they are not known."""
        self._runs = 0
        self._kinds: Counter[str] = Counter()
        self._lanes: Counter[str] = Counter()
        self._ran, self._mix, self._spmd = (_DistinctIds(ids) for _ in range(3))

    def add_tasks(self, tasks: Table) -> None:
        """Add rows of the tasks table."""
        ran = (tasks["start_ns"] != MISSING) & (tasks["end_ns"] != MISSING)
        self._runs += int(np.count_nonzero(ran))
        self._kinds += _words(tasks, "kind")
        ids = tasks["task"]
        self._ran.add(ids[ran])
        self._mix.add(ids[tasks["flags"] & TaskFlag.MIX != 0])
        self._spmd.add(ids[tasks["blocks"] > 1])

    def add_phases(self, phases: Table) -> None:
        """Add rows of the phases table, of which the column `lane` is needed."""
        self._lanes += _words(phases, "lane")

    def result(self, trace: Trace, rows: Mapping[str, int], used: set[int]) -> Capture:
        """Return the answer.

        Args:
            trace: it has the small tables.
            rows: number of rows of the large tables.
            used: the cores on which a task ran.
        """
        whole = capture(trace)
        kinds = dict(zip(trace.cores["core"].tolist(), _kinds(trace), strict=True))
        running = Counter(kinds.get(core, UNKNOWN) for core in used)
        named = {tally.kind: tally.cores for tally in whole.cores}
        extra = {UNKNOWN: len(used - kinds.keys())} if used - kinds.keys() else {}
        return replace(
            whole,
            cores=tuple(
                CoreTally(kind, cores + extra.pop(kind, 0), running[kind])
                for kind, cores in named.items()
            )
            + tuple(CoreTally(kind, cores, cores) for kind, cores in extra.items()),
            runs=self._runs,
            tasks=self._ran.count(),
            nodes=_tallies(self._kinds, without="run"),
            mix_tasks=self._mix.count() or 0,
            spmd_tasks=self._spmd.count() or 0,
            phases=_tallies(self._lanes),
            edges=rows["edges"],
            edge_pairs=None if rows["edges"] else 0,
            marks=rows["marks"],
            counters=rows["counters"],
        )


class _DistinctIds:
    """Counts different ids with one byte for each that there may be."""

    def __init__(self, ends: tuple[int, int] | None) -> None:
        self._least = ends[0] if ends is not None else 0
        self._extent = ends[1] - ends[0] + 1 if ends is not None else _MOST_IDS + 1
        self._seen: Array | None = None

    def add(self, ids: Array) -> None:
        known = ids[ids != MISSING]
        if not len(known) or self._extent > _MOST_IDS:
            return
        if self._seen is None:
            self._seen = np.zeros(self._extent, bool)
        self._seen[known - self._least] = True

    def count(self) -> int | None:
        """Return how many there are; None where they spread too far."""
        if self._extent > _MOST_IDS:
            return None
        return 0 if self._seen is None else int(np.count_nonzero(self._seen))


def _words(table: Table, column: str) -> Counter[str]:
    codes, counts = np.unique(table[column], return_counts=True)
    words = [word or UNKNOWN for word in table.words_of(codes)]
    return Counter(dict(zip(words, counts.tolist(), strict=True)))


def _tallies(counts: Counter[str], without: str = "") -> tuple[Tally, ...]:
    return tuple(Tally(word, n) for word, n in sorted(counts.items()) if word != without)


def _kinds(trace: Trace) -> list[str]:
    return [kind or UNKNOWN for kind in trace.text("cores", "kind")]
