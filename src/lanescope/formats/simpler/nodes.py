"""Finds graph nodes that never ran on a core: alloc, dummy and skipped tasks, and ends of edges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.formats.simpler.deps import Graph
from lanescope.formats.simpler.records import Array, PhaseList, Records
from lanescope.trace import MISSING
from lanescope.trace.numbering import numbered, places

KINDS = ("outside", "node", "alloc", "skipped", "dummy")
"""In rising order of certainty: a later kind found for an id replaces an earlier one."""


@dataclass(frozen=True, slots=True)
class GraphNodes:
    """Task ids in rising order, with the kind of each as an index into KINDS."""

    task: Array
    kind: Array


def find_nodes(
    ran: Array, records: Records | None, graph: Graph | None, edges: tuple[Array, Array]
) -> GraphNodes:
    """Find every task id that some record names and no core ran."""
    phases = list(records.phases) if records else []
    if records and records.host:
        phases += records.host.phases
    declared = graph is not None and len(graph.task) > 0
    named = [(edges[0], 0), (edges[1], 0)]
    named.append((_phase_ids(phases, lane="orchestrator"), 2 if declared else 1))
    if graph is not None:
        named.append((graph.task, 1))
        if records is not None and records.level >= 3:
            named.append((graph.task[(graph.kernels == -1).all(axis=0)], 2))
    named.append((_phase_ids(phases, kind="predicated_skip"), 3))
    named.append((_phase_ids(phases, kind="dummy_task"), 4))
    ran, _ = numbered(ran[ran != MISSING])
    return _merge([(_absent(ids, ran), code) for ids, code in named])


def _merge(named: list[tuple[Array, int]]) -> GraphNodes:
    kinds: dict[int, int] = {}
    for ids, code in named:
        kinds.update(dict.fromkeys(ids.tolist(), code))
    ordered = sorted(kinds)
    return GraphNodes(
        np.array(ordered, np.int64), np.array([kinds[task] for task in ordered], np.int64)
    )


def _absent(ids: Array, ran: Array) -> Array:
    """The known ids that are not in `ran`, whose ids rise."""
    absent: Array = ids[(places(ran, ids) < 0) & (ids != MISSING)]
    return absent


def _phase_ids(phases: list[PhaseList], *, lane: str = "", kind: str = "") -> Array:
    """Task ids of phases of a lane, or of a kind."""
    ids = [np.empty(0, np.int64)]
    for some in phases:
        task = some.columns.get("task")
        if task is None or (lane and some.lane != lane):
            continue
        if kind:
            codes = [code for code, name in enumerate(some.kind_names) if name == kind]
            task = task[np.isin(some.kinds, codes)] if codes else task[:0]
        ids.append(task)
    return np.concatenate(ids)
