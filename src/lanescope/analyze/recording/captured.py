"""What was captured: the level, and how much of everything the trace holds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.analyze.columns.core_kinds import UNKNOWN, core_kinds, used_cores
from lanescope.analyze.columns.groups import distinct, distinct_pairs, group_by
from lanescope.analyze.graph.nodes import Nodes
from lanescope.trace.flags import LEVEL_DOCS, Feature
from lanescope.trace.meta import Source
from lanescope.trace.schema import MISSING, TaskFlag
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class Tally:
    """How many of one kind."""

    kind: str
    count: int


@dataclass(frozen=True, slots=True)
class CoreTally:
    """Cores of one kind, and those of them that ran something."""

    kind: str
    cores: int
    used: int


@dataclass(frozen=True, slots=True)
class Capture:
    """A trace in numbers."""

    name: str
    origin: str
    tool: str
    chip: str
    clock_hz: int | None
    base_cycles: int | None
    level: int
    level_doc: str
    features: tuple[str, ...]
    sources: tuple[Source, ...]
    cores: tuple[CoreTally, ...]
    runs: int
    """Task rows that ran: have both start and end."""
    tasks: int
    """Distinct tasks among them; rows of one SPMD or MIX task share it."""
    nodes: tuple[Tally, ...]
    """Nodes of the task graph that never ran on a core, by kind."""
    mix_tasks: int
    spmd_tasks: int
    phases: tuple[Tally, ...]
    """Phase rows per kind of lane."""
    edges: int
    edge_pairs: int
    """Distinct (pred, succ)."""
    marks: int
    counters: int
    """Counter values."""
    notes: tuple[str, ...]

    @property
    def core_count(self) -> int:
        return sum(tally.cores for tally in self.cores)

    @property
    def used_core_count(self) -> int:
        return sum(tally.used for tally in self.cores)


def capture(trace: Trace, found: Nodes | None = None) -> Capture:
    """Count everything once; nodes are those of the trace, if they are known already."""
    meta, tasks, edges = trace.meta, trace.tasks, trace.edges
    return Capture(
        name=meta.name,
        origin=meta.origin,
        tool=meta.tool,
        chip=meta.chip,
        clock_hz=meta.clock_hz,
        base_cycles=meta.base_cycles,
        level=meta.level,
        level_doc=_level_doc(meta.level),
        features=tuple(f.name.lower() for f in Feature if f & meta.flags and f.name),
        sources=meta.sources,
        cores=_cores(trace),
        runs=int(np.count_nonzero(trace.ran())),
        tasks=_distinct_tasks(trace, trace.ran()),
        nodes=tuple(tally for tally in _tallies(trace, "tasks", "kind") if tally.kind != "run"),
        mix_tasks=_distinct_tasks(trace, tasks["flags"] & TaskFlag.MIX != 0),
        spmd_tasks=_distinct_tasks(trace, tasks["blocks"] > 1),
        phases=_tallies(trace, "phases", "lane"),
        edges=len(edges),
        edge_pairs=distinct_pairs(edges["pred"], edges["succ"]) if found is None else found.pairs,
        marks=len(trace.marks),
        counters=len(trace.counters),
        notes=meta.notes,
    )


def _distinct_tasks(trace: Trace, rows: Array) -> int:
    ids = trace.tasks["task"][rows]
    return distinct(ids[ids != MISSING])


def _level_doc(level: int) -> str:
    return LEVEL_DOCS[level] if 0 <= level < len(LEVEL_DOCS) else "not a level lanescope knows"


def _cores(trace: Trace) -> tuple[CoreTally, ...]:
    kinds = core_kinds(trace)
    used = set(used_cores(trace))
    tallies = []
    for kind in dict.fromkeys(kinds.values()):
        members = {core for core, own in kinds.items() if own == kind}
        tallies.append(CoreTally(kind, len(members), len(members & used)))
    return tuple(tallies)


def _tallies(trace: Trace, table: str, column: str) -> tuple[Tally, ...]:
    groups = group_by(trace.table(table)[column])
    words = [trace.word(code) or UNKNOWN for code in groups.keys.tolist()]
    return tuple(Tally(word, n) for word, n in zip(words, groups.counts(), strict=True))
