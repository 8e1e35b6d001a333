"""Task graphs: the built-in workloads by name, and the classes to make one's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lanescope.errors import UsageError
from lanescope.workloads.builder import GraphBuilder
from lanescope.workloads.chain import chain
from lanescope.workloads.decode_layer import decode_layer
from lanescope.workloads.fan import fan
from lanescope.workloads.graph import TaskGraph, WorkKind
from lanescope.workloads.matmul_add import matmul_add
from lanescope.workloads.mixed import mixed, spmd_mix
from lanescope.workloads.paged_attention import paged_attention
from lanescope.workloads.random_dag import random_dag
from lanescope.workloads.settings import WorkloadSummary, convert, parameters_of, summary_of
from lanescope.workloads.tensors import Tensor, TensorView
from lanescope.workloads.user_file import describe_graph_file, load_graph_file
from lanescope.workloads.vector import vector

__all__ = [
    "COMPUTING",
    "WORKLOADS",
    "GraphBuilder",
    "TaskGraph",
    "Tensor",
    "TensorView",
    "WorkKind",
    "WorkloadSummary",
    "build_workload",
    "describe",
    "describe_graph_file",
    "load_graph_file",
]

WORKLOADS: dict[str, Callable[..., TaskGraph]] = {
    "chain": chain,
    "decode_layer": decode_layer,
    "fan": fan,
    "matmul_add": matmul_add,
    "mixed": mixed,
    "paged_attention": paged_attention,
    "random_dag": random_dag,
    "spmd_mix": spmd_mix,
    "vector": vector,
}

COMPUTING = ("matmul_add", "vector")
"""Those that work on arrays."""


def describe() -> tuple[WorkloadSummary, ...]:
    """All built-in workloads."""
    return tuple(summary_of(name, make, parameters_of(make)) for name, make in WORKLOADS.items())


def build_workload(name: str, settings: Mapping[str, str]) -> TaskGraph:
    """The workload `name`, built-in or a user's file NAME.py, its parameters given as text.

    Those left out keep their defaults.
    """
    if name.endswith(".py"):
        return load_graph_file(name, settings)
    make = WORKLOADS.get(name)
    if make is None:
        raise UsageError(
            f"there is no workload {name!r}; choose one of: {', '.join(WORKLOADS)}, "
            "or a file of your own, NAME.py"
        )
    return make(**convert(settings, parameters_of(make), workload=name))
