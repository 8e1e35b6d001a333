"""The arrays that tasks compute with: views in argument order, and the functions that compute.

A graph whose tasks only take time has none of this.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lanescope.errors import UsageError
from lanescope.native import Array
from lanescope.workloads.tensors import Data, Tensor, TensorView

if TYPE_CHECKING:
    from lanescope.workloads.graph import TaskGraph

Compute = Callable[..., None]
"""Computes one task: it is called with the arrays that the task reads, then those that it writes.
It fills the latter in place and returns nothing."""

_DTYPES = "bool, int8 to int64, uint8 to uint64, float16, float32 or float64"


class TaskArguments(NamedTuple):
    """What one task reads and writes.

    Arguments are numbered through `reads` and then `writes`; edges use the same numbers.
    """

    reads: tuple[TensorView, ...]
    writes: tuple[TensorView, ...]

    @property
    def views(self) -> tuple[TensorView, ...]:
        """All arguments in the order of their numbers."""
        return self.reads + self.writes

    def role(self, number: int) -> str:
        """Return `input` or `output`; `inout` where the task reads and writes the same elements."""
        if self.views[number] in (self.writes if number < len(self.reads) else self.reads):
            return "inout"
        return "input" if number < len(self.reads) else "output"


class Arguments(NamedTuple):
    """Everything that a graph's tasks compute with."""

    by_task: Mapping[int, TaskArguments]
    """Arguments of each task that uses a tensor with an array."""
    compute: Mapping[int, Compute]
    """What each function computes, by the function's number."""
    data: Mapping[Tensor, Data]
    """Values of each tensor at the beginning of a run."""

    def check(self, graph: TaskGraph) -> None:
        """Refuse an array that does not fit its tensor, and a task whose tensor has no array."""
        for tensor, data in self.data.items():
            if not callable(data):
                check_array(tensor, data)
        for func in self.compute:
            for task in np.flatnonzero(graph.func == func).tolist():
                self._check_task(f"task {task} ({graph.functions[func]}) of {graph.name}", task)

    def _check_task(self, what: str, task: int) -> None:
        arguments = self.by_task.get(task)
        if arguments is None or not arguments.writes:
            raise UsageError(f"{what} computes, but writes no tensor; name one with writes=")
        for view in arguments.views:
            if view.tensor not in self.data:
                name = view.tensor.name
                raise UsageError(
                    f"{what} computes, but tensor {name} has no array; give it one with "
                    f"Tensor({name!r}, …, data=…)"
                )


def check_array(tensor: Tensor, array: Array) -> None:
    """Refuse an array whose shape or type is not that of its tensor."""
    if not isinstance(array, np.ndarray):
        kind = type(array).__name__
        raise UsageError(
            f"the data of tensor {tensor.name} is a {kind}, expected a numpy array or a function "
            "that makes one"
        )
    if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
        raise UsageError(
            f"the array of tensor {tensor.name} has the dtype {array.dtype}, expected {_DTYPES}"
        )
    if (array.shape, array.dtype.itemsize) != (tensor.shape, tensor.element_bytes):
        raise UsageError(
            f"tensor {tensor.name} has the shape {tensor.shape} and {tensor.element_bytes} bytes "
            f"per element, but its array the shape {array.shape} and {array.dtype.itemsize} bytes"
        )


def same_values(one: Array, other: Array) -> bool:
    """Compare two arrays byte by byte, so that a NaN equals itself."""
    alike = (one.dtype, one.shape) == (other.dtype, other.shape)
    return alike and one.tobytes() == other.tobytes()
