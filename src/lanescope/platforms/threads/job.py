"""One run as the C library takes it: the struct ls_threads_job and the arrays it points to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lanescope.device.layouts import layout
from lanescope.native import Array, library
from lanescope.workloads import TaskGraph


class ThreadsJob:
    """A packed job. It keeps every array alive whose address it holds."""

    def __init__(self) -> None:
        self._record = np.zeros(1, layout("ls_threads_job"))
        self._arrays: dict[str, Array] = {}

    def set(self, fields: Mapping[str, int]) -> None:
        for name, value in fields.items():
            self._record[name] = value

    def point(self, name: str, values: Array) -> None:
        """Let the field `name` hold the address of the array, which C may write to."""
        self._arrays[name] = values
        self._record[name] = values.ctypes.data

    def give(self, name: str, values: Array, dtype: type[np.generic]) -> None:
        """Let the field hold the address of a copy of the values as the type C expects."""
        self.point(name, np.array(values, dtype, order="C"))

    def output(self, name: str) -> int:
        return int(self._record[name][0])

    def run(self) -> int:
        """Run it to the end; enum ls_threads_problem. Other Python threads go on meanwhile."""
        return int(library().ls_threads_run(self._record.ctypes.data))


def pack_graph(job: ThreadsJob, graph: TaskGraph) -> None:
    """The graph's tasks and edges; edges must name tasks that exist."""
    offsets, successors = graph.successors()
    job.set({"task_count": len(graph)})
    job.give("func", graph.func, np.uint32)
    job.give("work", graph.work, np.uint32)
    job.give("amount", graph.amount, np.uint64)
    job.give("successor_offsets", offsets, np.int64)
    job.give("successors", successors, np.int64)
    job.give("predecessors", graph.predecessor_counts(), np.int32)


def pack_kinds(job: ThreadsJob, graph: TaskGraph, cores: Sequence[str]) -> None:
    """Kinds of tasks and cores, numbered alike: first the graph's, then those it does not use."""
    kinds = list(dict.fromkeys([*graph.kinds, *cores]))
    job.set({"kind_count": len(kinds), "core_count": len(cores)})
    job.give("kind", graph.kind, np.int32)
    job.give("core_kinds", np.array([kinds.index(kind) for kind in cores]), np.int32)
