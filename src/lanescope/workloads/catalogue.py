"""The built-in workloads by name, and the one way from what a user names to a task graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from os import PathLike, fspath
from typing import Any

from lanescope.errors import UsageError, did_you_mean
from lanescope.workloads.builder import GraphBuilder
from lanescope.workloads.chain import chain
from lanescope.workloads.decode_layer import decode_layer
from lanescope.workloads.fan import fan
from lanescope.workloads.graph import TaskGraph
from lanescope.workloads.matmul_add import matmul_add
from lanescope.workloads.mixed import mixed, spmd_mix
from lanescope.workloads.paged_attention import paged_attention
from lanescope.workloads.random_dag import random_dag
from lanescope.workloads.settings import WorkloadSummary, convert, parameters_of, summary_of
from lanescope.workloads.user_file import describe_graph_file, load_graph_file
from lanescope.workloads.vector import vector

Workload = str | PathLike[str] | GraphBuilder | TaskGraph
"""A built-in workload's name, a file NAME.py of the user's own, or a graph made in Python."""

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
"""Name of a built-in workload to the function that makes its graph."""

COMPUTING = ("matmul_add", "vector")
"""Names of the built-in workloads whose tasks compute with arrays."""


def list_workloads(file: str | PathLike[str] | None = None) -> tuple[WorkloadSummary, ...]:
    """Lists the workloads that `lanescope.run` can run, with their settings.

    Args:
        file: A file NAME.py of your own; the list then holds that workload alone.

    Returns:
        For each workload its name, a sentence, and its settings with their defaults.

    Raises:
        InputError: The file has no function `graph()`, or cannot be read.

    Examples:
        >>> [workload["name"] for workload in lanescope.list_workloads()][:3]
        ['chain', 'decode_layer', 'fan']
    """
    if file is not None:
        return (describe_graph_file(fspath(file)),)
    return tuple(summary_of(name, make, parameters_of(make)) for name, make in WORKLOADS.items())


def build_workload(name: str, settings: Mapping[str, str]) -> TaskGraph:
    """Make the graph of a built-in workload, or of a user's file whose name ends in `.py`.

    `settings` maps a parameter's name to its value as text. A parameter that is left out keeps
    its default.
    """
    if name.endswith(".py"):
        return load_graph_file(name, settings)
    make = WORKLOADS.get(name)
    if make is None:
        raise UsageError(
            f"there is no workload {name!r}; choose one of: {', '.join(WORKLOADS)}, "
            f"or a file of your own, NAME.py{did_you_mean(name, WORKLOADS)}"
        )
    return make(**convert(settings, parameters_of(make), workload=name))


def graph_of(workload: Workload, settings: Mapping[str, Any] | None = None) -> TaskGraph:
    """Turn whatever names a workload into its task graph.

    Only a built-in workload and a user's file have settings; a graph made in Python is refused
    together with them.
    """
    texts = {name: str(value) for name, value in (settings or {}).items()}
    if isinstance(workload, str):
        return build_workload(workload, texts)
    if isinstance(workload, PathLike):
        return load_graph_file(fspath(workload), texts)
    if not isinstance(workload, GraphBuilder | TaskGraph):
        raise UsageError(
            "expected a workload's name, a file NAME.py, a GraphBuilder or a TaskGraph, found a "
            f"value of type {type(workload).__name__}"
        )
    if texts:
        raise UsageError(
            f"the settings {', '.join(texts)} are for a built-in workload or a file; this graph "
            "is already made"
        )
    return workload.graph() if isinstance(workload, GraphBuilder) else workload
