"""Waits of the recorded run that its replay does not have, and the other way round."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.native.paths import readiness
from lanescope.replay.readings.served import PS
from lanescope.replay.replica import Replica, replay
from lanescope.results import Result
from lanescope.trace.schema import MISSING
from lanescope.trace.table import Array

_MOST = 5
"""So many waits are listed."""


@dataclass(frozen=True, slots=True)
class UnexplainedWait(Result):
    """How long a task waited for its dispatch after its submit and its last predecessor."""

    task: int
    """Its id; -1 for a run without one."""
    function: str
    recorded_ns: int
    replayed_ns: int


def unexplained_waits(replica: Replica) -> tuple[UnexplainedWait, ...]:
    """The tasks whose recorded and replayed waits differ most, the largest difference first."""
    tasks, rows = replica.trace.tasks, replica.units.rows
    replayed = replay(replica).units
    begin = replica.submits.begin_ns
    recorded_ns = _waits(replica, tasks["dispatch_ns"][rows], tasks["finish_ns"][rows])
    replayed_ns = _waits(
        replica, replayed["dispatch"] // PS + begin, replayed["finish"] // PS + begin
    )
    off = np.abs(recorded_ns - replayed_ns)
    names = dict(
        zip(
            replica.trace.functions["func"].tolist(),
            replica.trace.text("functions", "name"),
            strict=True,
        )
    )
    node_of = np.repeat(np.arange(len(replica.nodes)), np.diff(replica.units.first))
    return tuple(
        UnexplainedWait(
            max(int(replica.nodes.ids[node_of[unit]]), -1),
            names.get(int(tasks["func"][rows[unit]])) or "",
            int(recorded_ns[unit]),
            int(replayed_ns[unit]),
        )
        for unit in np.argsort(-off, kind="stable")[:_MOST].tolist()
        if off[unit] > 0
    )


def _waits(replica: Replica, dispatch_ns: Array, finish_ns: Array) -> Array:
    """By unit: from when its node was ready to its dispatch."""
    node_of = np.repeat(np.arange(len(replica.nodes)), np.diff(replica.units.first))
    done = np.full(len(replica.nodes), MISSING)
    np.maximum.at(done, node_of, finish_ns)
    inputs, _ = readiness(replica.nodes.ordered, done)
    ready = np.maximum(inputs, replica.submits.at_ns())
    return np.asarray(np.maximum(dispatch_ns - ready[node_of], 0))
