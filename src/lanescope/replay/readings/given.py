"""The runs of a trace as its schedulers saw them: when each could be dispatched, and was."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.analyze.graph.nodes import Nodes
from lanescope.native.paths import readiness
from lanescope.replay.readings.machine import ReplayMachine, used_kinds
from lanescope.trace.schema import MISSING
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GivenRuns:
    """One entry per run on a core whose dispatch and finish are known, in the order of the
    dispatches. Times are ns from the trace's base."""

    row: Array
    """The row in the trace's `tasks`."""
    node: Array
    core: Array
    """Place of its core in the machine."""
    kind: Array
    """Kind of its core: a place in the machine's `kinds`."""
    scheduler: Array
    told: Array
    """Whether its last predecessor was finished after it was submitted."""
    ready_ns: Array
    """When its node was submitted and its last predecessor was finished; no later than dispatch."""
    dispatch_ns: Array
    end_ns: Array
    finish_ns: Array

    def rows(self, which: Array) -> GivenRuns:
        """The runs in a mask, or at these places."""
        return GivenRuns(**{name: getattr(self, name)[which] for name in self.__slots__})


def given_runs(
    trace: Trace, nodes: Nodes, machine: ReplayMachine, *, submit_ns: Array
) -> GivenRuns:
    """The runs of a trace on its machine; `submit_ns` says by node when it was submitted."""
    tasks = trace.tasks
    known = trace.ran() & (tasks["core"] >= 0)
    for name in ("dispatch_ns", "finish_ns"):
        known &= tasks[name] != MISSING
    rows = np.flatnonzero(known)
    rows = rows[np.argsort(tasks["dispatch_ns"][rows], kind="stable")]
    place = {core: number for number, core in enumerate(used_kinds(trace))}
    core = np.array([place[number] for number in tasks["core"][rows].tolist()], np.int64)
    done, node = np.full(len(nodes), MISSING), nodes.of_row[rows]
    np.maximum.at(done, node, tasks["finish_ns"][rows])
    inputs, _ = readiness(nodes.ordered, done)
    ready = np.maximum(inputs, submit_ns)
    return GivenRuns(
        row=rows,
        node=node,
        core=core,
        kind=machine.core_kind[core],
        scheduler=machine.scheduler[core],
        told=(inputs >= submit_ns)[node],
        ready_ns=np.minimum(ready[node], tasks["dispatch_ns"][rows]),
        dispatch_ns=tasks["dispatch_ns"][rows],
        end_ns=tasks["end_ns"][rows],
        finish_ns=tasks["finish_ns"][rows],
    )
