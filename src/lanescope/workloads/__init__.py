"""Task graphs: the built-in workloads by name, and the classes to make one's own.

The functions that make the built-in graphs stay in their own modules: a name here would hide the
module of the same name.
"""

from __future__ import annotations

from lanescope.workloads.builder import GraphBuilder
from lanescope.workloads.catalogue import (
    COMPUTING,
    WORKLOADS,
    Workload,
    build_workload,
    graph_of,
    list_workloads,
)
from lanescope.workloads.graph import TaskGraph, WorkKind
from lanescope.workloads.settings import WorkloadSummary
from lanescope.workloads.tensors import Tensor, TensorView
from lanescope.workloads.user_file import describe_graph_file, load_graph_file

__all__ = [
    "COMPUTING",
    "WORKLOADS",
    "GraphBuilder",
    "TaskGraph",
    "Tensor",
    "TensorView",
    "WorkKind",
    "Workload",
    "WorkloadSummary",
    "build_workload",
    "describe_graph_file",
    "graph_of",
    "list_workloads",
    "load_graph_file",
]
