"""Elementwise work on tiles of two arrays, Z = 2·X + Y. Tiles do not wait for each other."""

from __future__ import annotations

from functools import partial

import numpy as np

from lanescope.native import Array
from lanescope.workloads.builder import GraphBuilder
from lanescope.workloads.graph import TaskGraph
from lanescope.workloads.kernels import vector_kernel
from lanescope.workloads.seeded import small_numbers
from lanescope.workloads.tensors import Tensor


def vector(*, tiles: int = 96, elements: int = 65536) -> TaskGraph:
    """Scale, then add, for each tile of an array, as kernels on vector cores."""
    builder = GraphBuilder("vector")
    kernel = vector_kernel(elements)
    shape, zeros = (elements,), partial(np.zeros, elements, np.float32)
    for tile in range(tiles):
        # Every tile is a tensor of its own: with views of one large tensor, each further task takes
        # longer to find the tasks that it waits for.
        x, y = (
            Tensor(f"{name}{tile}", shape, data=partial(small_numbers, shape, np.float32, seed))
            for name, seed in (("X", 2 * tile), ("Y", 2 * tile + 1))
        )
        twice, z = (Tensor(f"{name}{tile}", shape, data=zeros) for name in ("T", "Z"))
        builder.task("scale", kind="aiv", kernel=kernel, reads=[x], writes=[twice], compute=double)
        builder.task("add", kind="aiv", kernel=kernel, reads=[twice, y], writes=[z], compute=add)
    return builder.graph()


def double(x: Array, out: Array) -> None:
    """Multiply by two."""
    np.multiply(x, x.dtype.type(2), out=out)


def add(one: Array, other: Array, out: Array) -> None:
    """Add two arrays."""
    np.add(one, other, out=out)
