"""The edges that a replay follows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.analyze.graph.nodes import Nodes, places
from lanescope.trace.schema import MISSING32, EdgeFlag
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace


@dataclass(frozen=True, slots=True, eq=False)
class ReplayEdges:
    """One entry per edge: the node that comes first, and the node that waits for it."""

    pred: Array
    succ: Array


def edges_of(trace: Trace, nodes: Nodes) -> ReplayEdges:
    """The edges of a trace between its nodes.

    A trace may record a pair of nodes several times, once per argument. A scheduler pays for every
    successor that it tells. So a pair counts as often as it is recorded where the schedulers told
    that many successors, and once in all other traces.
    """
    pred, succ = places(nodes.ids, trace.edges["pred"]), places(nodes.ids, trace.edges["succ"])
    known = (pred >= 0) & (succ >= 0) & (pred != succ)
    told = trace.phases["tasks"][trace.phases["kind"] == trace.code("resolve")]
    recorded, distinct = int(np.count_nonzero(known)), len(nodes.pred)
    if recorded > distinct and int(told[told > 0].sum()) > (recorded + distinct) // 2:
        flags = trace.edges["flags"]
        known &= (flags == MISSING32) | (flags & EdgeFlag.CYCLIC == 0)
        return ReplayEdges(pred[known], succ[known])
    return ReplayEdges(nodes.pred, nodes.succ)
