"""How well a replay does on a part of the run that nothing was read from: costs, pick-ups, waits
and rules are read from one half of the run, and the other half is replayed with them.

The lengths of tasks and the submits are recorded ones in both halves; a replay does not predict
them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lanescope.analyze.columns.quantiles import median
from lanescope.analyze.graph.nodes import nodes as nodes_of
from lanescope.replay.calibration.calibrate import calibrate
from lanescope.replay.calibration.own import redrawn
from lanescope.replay.nearest import with_own
from lanescope.replay.readings.policy import policy_of
from lanescope.replay.readings.served import PS
from lanescope.replay.replica import Replica, replay
from lanescope.trace.table import Array

DRAWN = 4
"""So often are values drawn; the middle of all replays counts."""
_FEWEST = 20
"""A half with fewer runs of tasks tells nothing."""


def unseen_distances(replica: Replica) -> tuple[float, ...]:
    """How far the replay of each half is off when everything is read from the other one, as a part
    of that half's time: the first half, then the second. Empty where a half has too few runs."""
    tasks, rows = replica.trace.tasks, replica.units.rows
    dispatch, finish = tasks["dispatch_ns"][rows], tasks["finish_ns"][rows]
    middle = int(median(dispatch)) if len(rows) else 0
    early = dispatch <= middle
    if min(np.count_nonzero(early), np.count_nonzero(~early)) < _FEWEST:
        return ()
    distances = []
    for half, begin in ((early, int(dispatch.min())), (~early, middle)):
        end = int(finish[half].max())
        known = _with_half(replica, middle, ~half, first=half is not early)
        replayed = median([_end_ns(one, half) for one in known])
        distances.append((replayed - end) / max(end - begin, 1))
    return tuple(distances)


def _end_ns(replica: Replica, half: Array) -> float:
    """The last finish of these units in a replay."""
    return float(replay(replica).units["finish"][half].max()) / PS + replica.submits.begin_ns


def _with_half(replica: Replica, middle_ns: int, known: Array, *, first: bool) -> list[Replica]:
    """Replicas that know one half of the run: the units `known` were dispatched in it."""
    if replica.own is not None:
        given = replica.own.given
        mine = given.rows((given.dispatch_ns <= middle_ns) == first)
        machine = replace(replica.machine, policy=policy_of(mine))
        own = replace(replica.own, machine=machine)
        return [with_own(replica, redrawn(own, known, seed=seed)) for seed in range(DRAWN)]
    half = replica.trace.select(until=middle_ns) if first else replica.trace.select(since=middle_ns)
    costs, kept = calibrate(half, nodes_of(half)).costs, replica.costs
    costs = replace(
        costs, poll_engine=kept.poll_engine, rotate=kept.rotate, host_latency=kept.host_latency
    )
    return [replace(replica, costs=costs)]
