"""C = A × B + D by tiles: the product on matrix cores, the sum on vector cores."""

from __future__ import annotations

from functools import partial
from itertools import product

import numpy as np

from lanescope.native import Array
from lanescope.workloads.builder import GraphBuilder
from lanescope.workloads.graph import TaskGraph
from lanescope.workloads.kernels import matmul_kernel, vector_kernel
from lanescope.workloads.seeded import small_numbers
from lanescope.workloads.tensors import Tensor


def matmul_add(*, rows: int = 8, columns: int = 8, tile: int = 256, depth: int = 1024) -> TaskGraph:
    """A product and a sum for each tile of the result, as kernels on both kinds of core."""
    builder = GraphBuilder("matmul_add")
    product_kernel, sum_kernel = matmul_kernel(tile, tile, depth), vector_kernel(tile * tile)
    shape = (rows * tile, columns * tile)
    a = _half("A", (rows * tile, depth), seed=0)
    b = _half("B", (depth, columns * tile), seed=1)
    c = Tensor("C", shape, data=partial(np.zeros, shape, np.float32))
    d = Tensor("D", shape, data=partial(small_numbers, shape, np.float32, 2))
    for row, column in product(range(rows), range(columns)):
        down, across = (slice(at * tile, (at + 1) * tile) for at in (row, column))
        tile_of_c = c[down, across]
        builder.task(
            "matmul",
            kind="aic",
            kernel=product_kernel,
            reads=[a[down], b[:, across]],
            writes=[tile_of_c],
            compute=multiply,
        )
        builder.task(
            "add",
            kind="aiv",
            kernel=sum_kernel,
            reads=[tile_of_c, d[down, across]],
            writes=[tile_of_c],
            compute=add,
        )
    return builder.graph()


def _half(name: str, shape: tuple[int, int], *, seed: int) -> Tensor:
    """A tensor with two bytes per element, like the kernel's."""
    return Tensor(name, shape, 2, data=partial(small_numbers, shape, np.float16, seed))


def multiply(a: Array, b: Array, out: Array) -> None:
    """Multiply a tile of A with one of B; the sums are float32."""
    np.matmul(a.astype(np.float32), b.astype(np.float32), out=out)


def add(c: Array, d: Array, out: Array) -> None:
    """Add a tile of D to one of C."""
    np.add(c, d, out=out)
