"""Elementwise work on tiles of two arrays: tiles do not wait for each other."""

from __future__ import annotations

from lanescope.workloads.builder import GraphBuilder
from lanescope.workloads.graph import TaskGraph
from lanescope.workloads.kernels import vector_kernel


def vector(*, tiles: int = 96, elements: int = 65536) -> TaskGraph:
    """Scale, then add, per tile of an array; kernels of pipe operations on vector cores."""
    builder = GraphBuilder("vector")
    kernel = vector_kernel(elements)
    for _ in range(tiles):
        scaled = builder.task("scale", kind="aiv", kernel=kernel)
        builder.task("add", kind="aiv", after=[scaled], kernel=kernel)
    return builder.graph()
