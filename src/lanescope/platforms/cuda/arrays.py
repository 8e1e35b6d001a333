"""Graphs whose tasks compute with arrays (vector, matmul_add), with the same arrays on the GPU."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from lanescope.device.layouts import constant
from lanescope.errors import UsageError
from lanescope.native import Array
from lanescope.platforms.cuda.program import Check, compared, empty_works
from lanescope.workloads.arguments import Compute
from lanescope.workloads.arrays import Arrays
from lanescope.workloads.graph import TaskGraph
from lanescope.workloads.matmul_add import add as add_tile
from lanescope.workloads.matmul_add import multiply
from lanescope.workloads.tensors import Tensor, TensorView
from lanescope.workloads.vector import add, double

OPERATIONS: Mapping[Compute, str] = {
    double: "SCALE",
    add: "ADD",
    multiply: "MATMUL",
    add_tile: "ADD",
}
"""A numpy function to the operation of the GPU that computes the same."""
TOLERANCE = 1e-6
"""Largest relative difference that is right; sums of small whole numbers are exact in float32."""


def is_known(graph: TaskGraph) -> bool:
    """Say whether the GPU can compute what every task computes."""
    if graph.arguments is None:
        return False
    known = {func for func, compute in graph.arguments.compute.items() if compute in OPERATIONS}
    return set(np.unique(graph.func).tolist()) <= known


class ArrayProgram:
    """The program of such a graph: each tensor is an array on the device."""

    def __init__(self, graph: TaskGraph) -> None:
        assert graph.arguments is not None  # is_known() saw to that
        self._graph = graph
        self._arguments = graph.arguments
        self._reference = Arrays(graph)
        self._names = {tensor: tensor.name for tensor in graph.arguments.data}
        self.tensors: Mapping[str, Array] = {
            name: self._reference.whole(name).copy() for name in self._names.values()
        }
        for name in self._written():
            self.tensors[name].fill(np.nan)

    def works(self, address: Callable[[str], int]) -> Array:
        """Return a row of ls_mega_work for each task."""
        works = empty_works(len(self._graph))
        for task, arguments in self._arguments.by_task.items():
            compute = self._arguments.compute[int(self._graph.func[task])]
            works[task]["op"] = constant(f"LS_MEGA_{OPERATIONS[compute]}")
            matrices = [self._matrix(view, address) for view in arguments.reads]
            for number, (at, _, stride) in enumerate(matrices):
                works[task]["in"][number] = at
                works[task]["size"][2 + number] = stride
            at, shape, stride = self._matrix(arguments.writes[0], address)
            works[task]["out"] = at
            works[task]["size"][4] = stride
            works[task]["size"][:2] = shape
            works[task]["size"][5] = matrices[0][1][1]  # a product's depth
        return works

    def _matrix(
        self, view: TensorView, address: Callable[[str], int]
    ) -> tuple[int, tuple[int, int], int]:
        """Return a view's address, its rows and columns, and the distance of rows in elements."""
        shape = (1, view.shape[0]) if len(view.shape) == 1 else view.shape
        if len(shape) != 2 or (shape[1] > 1 and view.strides[-1] != 1):
            raise UsageError(
                f"the GPU computes with rows that lie together, but a view of {view.tensor.name} "
                f"has the shape {view.shape} and strides {view.strides}"
            )
        at = address(view.tensor.name) + view.offset * view.tensor.element_bytes
        stride = view.strides[0] if len(view.shape) == 2 else shape[1]
        return at, (shape[0], shape[1]), stride

    def _written(self) -> list[str]:
        """Return the names of the tensors that tasks write."""
        written: dict[Tensor, None] = {}
        for arguments in self._arguments.by_task.values():
            written |= dict.fromkeys(view.tensor for view in arguments.writes)
        return [self._names[tensor] for tensor in written]

    def check(self, read: Callable[[str], Array]) -> Check:
        """Compare the device's results with numpy's.

        The tasks are computed in the order of their numbers, in which they may run.
        """
        for task in range(len(self._graph)):
            self._reference.compute(task)
        names = self._written()
        expected = np.concatenate([self._reference.whole(name).ravel() for name in names])
        computed = np.concatenate([read(name).ravel() for name in names])
        return compared(computed, expected, tolerance=TOLERANCE, what=", ".join(names[:3]))
