"""The shapes in which records files can be written: one per generation that counts in cycles."""

from __future__ import annotations

from dataclasses import dataclass, replace

import msgspec
import numpy as np

from lanescope.errors import UsageError
from lanescope.trace import Table, Trace
from lanescope.trace.run_parts import single_runs
from lanescope.trace.schema import MISSING, MISSING32
from lanescope.trace.task_ids import TaskIds, impossible
from lanescope.trace.trace_ids import with_source_ids


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordsShape:
    """What a generation's file looks like."""

    level_key: str = "chip_swimlane_level"
    setup: bool = True
    """Whether a task's row says how long the core took from receiving it to starting it."""
    streams: bool = False
    """Whether schedulers are streams with an id, or lists by position."""
    schema_version: bool = False
    """Whether the two scheduler sections carry a version, and every stream its runtime."""
    epochs: bool = False
    """Whether rows say which run they are of."""


SHAPES = {
    "G6": RecordsShape(level_key="l2_swimlane_level", setup=False),
    "G7": RecordsShape(level_key="l2_swimlane_level"),
    "G8": RecordsShape(),
    "G9": RecordsShape(streams=True, schema_version=True),
    "G10": RecordsShape(streams=True, epochs=True),
}
NEWEST = "G10"

RUNTIME_NAMES = {
    TaskIds.RING: "tensormap_and_ringbuffer",
    TaskIds.SPACE: "host_build_graph",
}


@dataclass(frozen=True, slots=True)
class WrittenRun:
    """One run as it is written: its trace with the source's own task ids, and its epoch."""

    trace: Trace
    epoch: int


def written_runs(trace: Trace, generation: str) -> list[WrittenRun]:
    """The runs of a trace; a shape without epochs holds one."""
    ranks = sorted(set(trace.runs["rank"].tolist()) - {MISSING32})
    if len(ranks) > 1:
        raise UsageError(
            f"{trace.meta.name} holds {len(ranks)} ranks, and a records file is about one; "
            "choose it with --rank"
        )
    parts = list(single_runs(_counted_from_one(trace)))
    if len(parts) > 1 and not SHAPES[generation].epochs:
        raise UsageError(
            f"{trace.meta.name} holds {len(parts)} runs, and a file of generation {generation} "
            f"one; choose it with --run, or write {NEWEST}"
        )
    return [WrittenRun(with_source_ids(part), epoch_of(part)) for part in parts]


def _counted_from_one(trace: Trace) -> Trace:
    """The trace with later cycles where its first is 0: readers take a stamp of 0 for none."""
    tables = (trace.tasks, trace.phases, trace.runs)
    bounds = [table.bounds(name) for table in tables for name in _cycles(table)]
    later = 1 - min((least for least, _ in filter(None, bounds)), default=1)
    if later <= 0:
        return trace

    def moved(table: Table) -> Table:
        columns = {name: table[name] for name in _cycles(table)}
        return table.replace(
            **{name: np.where(c == MISSING, MISSING, c + later) for name, c in columns.items()}
        )

    base = None if trace.meta.base_cycles is None else trace.meta.base_cycles + later
    return replace(
        trace,
        meta=msgspec.structs.replace(trace.meta, base_cycles=base),
        tasks=moved(trace.tasks),
        phases=moved(trace.phases),
        runs=moved(trace.runs),
    )


def _cycles(table: Table) -> list[str]:
    return [column.name for column in table.present() if column.name.endswith("_cycles")]


def epoch_of(trace: Trace) -> int:
    """The source's number of a trace's only run; 0 where it has none."""
    epochs = trace.runs["epoch"].tolist()
    return epochs[0] if epochs and epochs[0] != MISSING else 0


def runtime_of(trace: Trace) -> str:
    """The runtime that is named as the writer of a trace: the one whose ids it has."""
    stated = trace.meta.extra.get("runtime")
    if isinstance(stated, str) and stated:
        return stated
    named = {str(form): name for form, name in RUNTIME_NAMES.items()}.get(trace.meta.task_ids)
    if named:
        return named
    host = (trace.phases["lane"] == trace.code("orchestrator")) & (
        trace.phases["start_cycles"] == MISSING
    )
    fits = not impossible(TaskIds.SPACE, trace.tasks["task"]).any()
    return RUNTIME_NAMES[TaskIds.SPACE if fits and host.any() else TaskIds.RING]
