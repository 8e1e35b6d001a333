"""C = A × B + D by tiles: the product on matrix cores, the sum on vector cores."""

from __future__ import annotations

from itertools import product

from lanescope.workloads.builder import GraphBuilder
from lanescope.workloads.graph import TaskGraph
from lanescope.workloads.kernels import matmul_kernel, vector_kernel
from lanescope.workloads.tensors import Tensor


def matmul_add(*, rows: int = 8, columns: int = 8, tile: int = 256, depth: int = 1024) -> TaskGraph:
    """A product and a sum per tile of the result; kernels on both kinds of core."""
    builder = GraphBuilder("matmul_add")
    multiply, add = matmul_kernel(tile, tile, depth), vector_kernel(tile * tile)
    a, b = Tensor("A", (rows * tile, depth)), Tensor("B", (depth, columns * tile))
    c, d = (Tensor(name, (rows * tile, columns * tile)) for name in "CD")
    for row, column in product(range(rows), range(columns)):
        down, across = (slice(at * tile, (at + 1) * tile) for at in (row, column))
        tile_of_c = c[down, across]
        builder.task(
            "matmul", kind="aic", kernel=multiply, reads=[a[down], b[:, across]], writes=[tile_of_c]
        )
        builder.task(
            "add", kind="aiv", kernel=add, reads=[tile_of_c, d[down, across]], writes=[tile_of_c]
        )
    return builder.graph()
