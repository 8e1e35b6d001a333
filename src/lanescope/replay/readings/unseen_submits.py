"""When nodes were submitted, in runs that do not record it.

A task that was dispatched long after its predecessors had finished and its core had room waited for
its submit. Submits between two such tasks are taken to be even. Where there are no such tasks, the
orchestrator is taken to be far ahead.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lanescope.analyze.graph.nodes import Nodes
from lanescope.native.paths import readiness
from lanescope.native.replay import Costs
from lanescope.replay.readings.served import PS
from lanescope.trace.schema import MISSING
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace

_LATE = 3
"""A dispatch is late when it comes so many times later than a controller may take."""


class GuessedSubmits(NamedTuple):
    """Guessed moments, ns from the trace's base."""

    at_ns: Array
    """By node, in rising order."""
    begin_ns: int
    """When the orchestrator begins."""


def unseen_submits(
    trace: Trace, nodes: Nodes, costs: Costs, *, pre_dispatch: int
) -> GuessedSubmits:
    """Nodes are submitted in the order of their ids, each before its dispatch."""
    lead = (costs.pop + costs.dispatch) // PS
    latest = np.where(nodes.dispatch != MISSING, nodes.dispatch - lead, np.iinfo(np.int64).max)
    latest = np.minimum.accumulate(latest[::-1])[::-1]
    begin = int(latest.min(initial=np.iinfo(np.int64).max))
    held = np.flatnonzero(_held_by_submit(trace, nodes, costs, pre_dispatch=pre_dispatch))
    if len(held) < 2:
        return GuessedSubmits(np.full(len(nodes), begin), begin)
    first, last = int(held[0]), int(held[-1])
    each = (int(latest[last]) - int(latest[first])) / max(last - first, 1)
    place = np.arange(len(nodes))
    at = np.interp(place, held, latest[held])
    at = np.where(place < first, latest[first] - (first - place) * each, at)
    at = np.where(place > last, latest[last] + (place - last) * each, at)
    at = np.minimum(np.round(at).astype(np.int64), latest)
    return GuessedSubmits(np.maximum.accumulate(at), int(at.min()))


def _held_by_submit(trace: Trace, nodes: Nodes, costs: Costs, *, pre_dispatch: int) -> Array:
    """Which nodes have one run, and were dispatched so late that only their submit can be the
    reason."""
    tasks, count = trace.tasks, len(nodes)
    rows = np.flatnonzero(trace.ran() & (tasks["dispatch_ns"] != MISSING))
    rows = rows[np.lexsort((tasks["start_ns"][rows], tasks["core"][rows]))]
    node, finish = nodes.of_row[rows], tasks["finish_ns"][rows]
    done = np.full(count, MISSING)
    np.maximum.at(done, node, finish)
    inputs, _ = readiness(nodes.ordered, done)
    ahead = pre_dispatch + 1
    same = tasks["core"][rows][ahead:] == tasks["core"][rows][:-ahead]
    room = np.full(len(rows), MISSING)
    room[ahead:] = np.where(same, finish[:-ahead], MISSING)
    # What a controller does at most before it comes to dispatch a task that it could dispatch.
    usual = costs.complete + costs.task_record + costs.resolve_edge + costs.pop + costs.dispatch
    usual = _LATE * (usual + 4 * costs.scheduler_phase + costs.loop + 4 * costs.poll_core) // PS
    late = tasks["dispatch_ns"][rows] > np.maximum(inputs[node], room) + usual
    runs = np.bincount(node, minlength=count)
    held = np.zeros(count, bool)
    held[node[late]] = True
    return np.asarray(held & (runs == 1) & ~nodes.doubtful)
