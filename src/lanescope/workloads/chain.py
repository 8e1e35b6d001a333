"""A chain: every task waits for the one before. No two tasks ever run at the same time."""

from __future__ import annotations

import numpy as np

from lanescope.workloads.graph import TaskGraph, WorkKind


def chain(*, tasks: int = 1024, spin_ns: int = 2000, kind: str = "aiv") -> TaskGraph:
    """Tasks one after the other; their distance is the latency of dispatching."""
    return TaskGraph(
        name="chain",
        functions=("LINK",),
        kinds=(kind,),
        func=np.zeros(tasks, np.int32),
        kind=np.zeros(tasks, np.int32),
        work=np.full(tasks, WorkKind.SPIN, np.int32),
        amount=np.full(tasks, spin_ns, np.int64),
        pred=np.arange(max(tasks - 1, 0)),
        succ=np.arange(1, max(tasks, 1)),
    )
