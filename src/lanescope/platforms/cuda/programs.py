"""Which program a graph becomes on the GPU."""

from __future__ import annotations

from lanescope.errors import UsageError
from lanescope.platforms.cuda.arrays import ArrayProgram, is_known
from lanescope.platforms.cuda.attention import Attention, is_attention
from lanescope.platforms.cuda.hashed import Hashed, is_timed
from lanescope.platforms.cuda.program import GpuProgram
from lanescope.workloads.graph import TaskGraph

_MOST_TASKS = 1 << 31


def program_of(graph: TaskGraph) -> GpuProgram:
    """Return the program of a graph; refuse one whose tasks the GPU cannot compute."""
    graph.check()
    if graph.is_plain and len(graph) < _MOST_TASKS:
        if is_attention(graph):
            return Attention(graph)
        if is_known(graph):
            return ArrayProgram(graph)
        if graph.arguments is None and is_timed(graph):
            return Hashed(graph)
    raise UsageError(
        f"{graph.name} has tasks that the GPU cannot compute; it runs vector, matmul_add, "
        "paged_attention, random_dag, chain and fan, and graphs of your own whose tasks ask for "
        "time (spin_ns)"
    )
