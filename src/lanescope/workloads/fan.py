"""A fan: one source, many tasks that wait only for it, one sink that waits for all of them."""

from __future__ import annotations

import numpy as np

from lanescope.workloads.graph import TaskGraph, WorkKind

SOURCE, MIDDLE, SINK = range(3)


def fan(*, width: int = 1024, spin_ns: int = 2000, kind: str = "aiv") -> TaskGraph:
    """One task, then many at once, then one; its makespan shows how well cores are kept busy."""
    tasks = width + 2
    middle = np.arange(1, width + 1)
    func = np.full(tasks, MIDDLE, np.int32)
    func[0], func[-1] = SOURCE, SINK
    return TaskGraph(
        name="fan",
        functions=("SOURCE", "MIDDLE", "SINK"),
        kinds=(kind,),
        func=func,
        kind=np.zeros(tasks, np.int32),
        work=np.full(tasks, WorkKind.SPIN, np.int32),
        amount=np.full(tasks, spin_ns, np.int64),
        pred=np.concatenate([np.zeros(width, np.int64), middle]),
        succ=np.concatenate([middle, np.full(width, tasks - 1)]),
    )
