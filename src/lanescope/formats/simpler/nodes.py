"""Graph nodes that never ran on a core: alloc, dummy and skipped tasks, and what edges name."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.formats.simpler.deps import Graph
from lanescope.formats.simpler.records import Array, PhaseList, Records
from lanescope.trace import MISSING

KINDS = ("outside", "node", "alloc", "skipped", "dummy")
"""In rising order of certainty: a later kind found for an id replaces an earlier one."""


@dataclass(frozen=True, slots=True)
class Nodes:
    """Ids in rising order with the kind of each (an index into KINDS)."""

    task: Array
    kind: Array


def find_nodes(
    ran: Array, records: Records | None, graph: Graph | None, edges: tuple[Array, Array]
) -> Nodes:
    """Every task id that something names and no core ran."""
    phases = list(records.phases) if records else []
    if records and records.host:
        phases += records.host.phases
    named = [(_ids(edges[0]), 0), (_ids(edges[1]), 0)]
    submitted = _phase_ids(phases, lane="orchestrator")
    named.append((submitted, 2 if graph is not None and len(graph.task) else 1))
    if graph is not None:
        named.append((graph.task, 1))
        if records is not None and records.level >= 3:
            named.append((graph.task[(graph.kernels == -1).all(axis=1)], 2))
    named.append((_phase_ids(phases, kind="predicated_skip"), 3))
    named.append((_phase_ids(phases, kind="dummy_task"), 4))
    return _merge(ran, named)


def _merge(ran: Array, named: list[tuple[Array, int]]) -> Nodes:
    ids = np.unique(np.concatenate([ids for ids, _ in named]))
    ids = ids[~np.isin(ids, ran)] if len(ids) else ids
    kind = np.zeros(len(ids), np.int64)
    for some, code in named:
        if len(ids) and len(some):
            kind[np.isin(ids, some)] = code
    return Nodes(ids, kind)


def _ids(values: Array) -> Array:
    return np.unique(values[values != MISSING])


def _phase_ids(phases: list[PhaseList], *, lane: str = "", kind: str = "") -> Array:
    """Task ids of phases of a lane, or of a kind."""
    found = [np.empty(0, np.int64)]
    for some in phases:
        task = some.columns.get("task")
        if task is None or (lane and some.lane != lane):
            continue
        if kind:
            codes = [code for code, name in enumerate(some.kind_names) if name == kind]
            task = task[np.isin(some.kinds, codes)]
        found.append(task)
    return _ids(np.concatenate(found))
