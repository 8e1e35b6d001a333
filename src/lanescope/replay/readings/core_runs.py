"""The task rows that ran on a core of the replay's machine."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.analyze.graph.nodes import Nodes
from lanescope.replay.readings.machine import ReplayMachine, used_kinds
from lanescope.trace.numbering import numbered
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace


@dataclass(frozen=True, slots=True, eq=False)
class CoreRuns:
    """One entry per task row that ran on a core, in the trace's order."""

    rows: Array
    """The row in the trace's `tasks`."""
    node: Array
    """The graph's node that the row is a run of."""
    kind: Array
    """The kind of its core: a place in the machine's `kinds`."""
    cluster: Array
    """The cluster of its core."""


def core_runs(trace: Trace, nodes: Nodes, machine: ReplayMachine) -> CoreRuns:
    """`machine` is the one that the same trace gives."""
    tasks = trace.tasks
    rows = np.flatnonzero(trace.ran() & (tasks["core"] >= 0))
    position = {core: place for place, core in enumerate(used_kinds(trace))}
    used, place = numbered(tasks["core"][rows])
    at = np.array([position[core] for core in used.tolist()], np.int64)
    core = at[place]
    return CoreRuns(rows, nodes.of_row[rows], machine.core_kind[core], machine.cluster[core])
