"""A random graph without cycles; a seed gives the same graph on every machine.

It is made from raw 64-bit words of PCG64 only, which numpy keeps the same in all versions.
"""

from __future__ import annotations

import numpy as np

from lanescope.errors import UsageError
from lanescope.native import Array
from lanescope.workloads.graph import TaskGraph, WorkKind


def random_dag(
    *,
    tasks: int = 1000,
    seed: int = 1,
    edges_per_task: float = 2.0,
    min_spin_ns: int = 500,
    max_spin_ns: int = 5000,
) -> TaskGraph:
    """Tasks of random length on two kinds of core, with random edges to later tasks."""
    if min_spin_ns > max_spin_ns:
        raise UsageError(
            f"min_spin_ns is {min_spin_ns} and max_spin_ns is {max_spin_ns}; "
            "the shortest task cannot be longer than the longest"
        )
    words = np.random.PCG64(seed)
    kind = _below(words, np.full(tasks, 2)).astype(np.int32)
    spin_ns = min_spin_ns + _below(words, np.full(tasks, max_spin_ns - min_spin_ns + 1))
    pred, succ = _edges(words, tasks, edges_per_task)
    return TaskGraph(
        name="random_dag",
        functions=("MATRIX", "VECTOR"),
        kinds=("aic", "aiv"),
        func=kind,
        kind=kind,
        work=np.full(tasks, WorkKind.SPIN, np.int32),
        amount=spin_ns,
        pred=pred,
        succ=succ,
    )


def _edges(words: np.random.PCG64, tasks: int, edges_per_task: float) -> tuple[Array, Array]:
    """Return distinct edges, each to a later task; an edge that is drawn twice comes once."""
    if tasks < 2:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    count = round(tasks * edges_per_task)
    succ = 1 + _below(words, np.full(count, tasks - 1))
    pred = _below(words, succ)
    both = np.unique(pred * tasks + succ)
    return both // tasks, both % tasks


def _below(words: np.random.PCG64, limits: Array) -> Array:
    """Draw a number from 0 to limit - 1 for each limit."""
    raw = np.asarray(words.random_raw(len(limits)), np.uint64)
    return (raw % limits.astype(np.uint64)).astype(np.int64)
