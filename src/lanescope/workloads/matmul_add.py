"""C = A × B + D by tiles: the product on matrix cores, the sum on vector cores."""

from __future__ import annotations

from lanescope.workloads.builder import GraphBuilder
from lanescope.workloads.graph import TaskGraph
from lanescope.workloads.kernels import matmul_kernel, vector_kernel


def matmul_add(*, rows: int = 8, columns: int = 8, tile: int = 256, depth: int = 1024) -> TaskGraph:
    """A product and a sum per tile of the result; kernels on both kinds of core."""
    builder = GraphBuilder("matmul_add")
    product, addition = matmul_kernel(tile, tile, depth), vector_kernel(tile * tile)
    for _ in range(rows * columns):
        done = builder.task("matmul", kind="aic", kernel=product)
        builder.task("add", kind="aiv", after=[done], kernel=addition)
    return builder.graph()
