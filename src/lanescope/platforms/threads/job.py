"""One run as the C library takes it: the struct ls_threads_job and the arrays it points to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lanescope.device.layouts import layout
from lanescope.native import Array, library
from lanescope.workloads import TaskGraph


class ThreadsJob:
    """One packed run. It keeps every array alive whose address it holds."""

    def __init__(self) -> None:
        self._record = np.zeros(1, layout("ls_threads_job"))
        self._arrays: dict[str, Array] = {}

    def set(self, fields: Mapping[str, int]) -> None:
        """Write these fields of the struct."""
        for name, value in fields.items():
            self._record[name] = value

    def point(self, name: str, values: Array) -> None:
        """Write the address of an array into a field; C may write to the array."""
        self._arrays[name] = values
        self._record[name] = values.ctypes.data

    def give(self, name: str, values: Array, dtype: type[np.generic]) -> None:
        """Write the address of a copy into a field; the copy has the type that C expects."""
        self.point(name, np.array(values, dtype, order="C"))

    def output(self, name: str) -> int:
        """Return a field that C has written."""
        return int(self._record[name][0])

    def run(self) -> int:
        """Run to the end and return a code of enum ls_threads_problem.

        Other Python threads go on meanwhile.
        """
        return int(library().ls_threads_run(self._record.ctypes.data))


def pack_graph(job: ThreadsJob, graph: TaskGraph) -> None:
    """Put the graph's tasks and edges into the job; edges must name tasks that exist."""
    offsets, successors = graph.successors()
    job.set({"task_count": len(graph)})
    job.give("func", graph.func, np.uint32)
    job.give("work", graph.work, np.uint32)
    job.give("amount", graph.amount, np.uint64)
    job.give("successor_offsets", offsets, np.int64)
    job.give("successors", successors, np.int64)
    job.give("predecessors", graph.predecessor_counts(), np.int32)


def pack_kinds(job: ThreadsJob, graph: TaskGraph, cores: Sequence[str]) -> None:
    """Put the kinds of tasks and cores into the job.

    Both use the same numbers: the graph's kinds come first, then those that no task needs.
    """
    kinds = list(dict.fromkeys([*graph.kinds, *cores]))
    job.set({"kind_count": len(kinds), "core_count": len(cores)})
    job.give("kind", graph.kind, np.int32)
    job.give("core_kinds", np.array([kinds.index(kind) for kind in cores]), np.int32)
