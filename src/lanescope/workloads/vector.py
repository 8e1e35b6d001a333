"""Elementwise work on tiles of two arrays, Z = 2·X + Y: tiles do not wait for each other."""

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
    """Scale, then add, per tile of an array; kernels of pipe operations on vector cores."""
    builder = GraphBuilder("vector")
    kernel = vector_kernel(elements)
    shape, zeros = (elements,), partial(np.zeros, elements, np.float32)
    for tile in range(tiles):
        # A tensor each: among views of one, finding who wrote a tile before takes ever longer.
        x, y = (
            Tensor(f"{name}{tile}", shape, data=partial(small_numbers, shape, np.float32, seed))
            for name, seed in (("X", 2 * tile), ("Y", 2 * tile + 1))
        )
        twice, z = (Tensor(f"{name}{tile}", shape, data=zeros) for name in ("T", "Z"))
        builder.task("scale", kind="aiv", kernel=kernel, reads=[x], writes=[twice], compute=double)
        builder.task("add", kind="aiv", kernel=kernel, reads=[twice, y], writes=[z], compute=add)
    return builder.graph()


def double(x: Array, out: Array) -> None:
    np.multiply(x, x.dtype.type(2), out=out)


def add(one: Array, other: Array, out: Array) -> None:
    np.add(one, other, out=out)
