"""What tasks read and write with real values: views in argument order, arrays, functions that
compute. A graph without arrays has none of this."""

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
"""Gets arrays, what the task reads, then what it writes, and fills the latter in place."""

_DTYPES = "bool, int8 to int64, uint8 to uint64, float16, float32 or float64"


class TaskArguments(NamedTuple):
    """An argument's number is its place in `reads`, then `writes`; edges count the same way."""

    reads: tuple[TensorView, ...]
    writes: tuple[TensorView, ...]

    @property
    def views(self) -> tuple[TensorView, ...]:
        return self.reads + self.writes

    def role(self, number: int) -> str:
        """inout: the task reads these very elements and writes them, too."""
        if self.views[number] in (self.writes if number < len(self.reads) else self.reads):
            return "inout"
        return "input" if number < len(self.reads) else "output"


class Arguments(NamedTuple):
    """The side table of a graph whose tasks work on arrays."""

    by_task: Mapping[int, TaskArguments]
    """Of the tasks that use a tensor with an array."""
    compute: Mapping[int, Compute]
    """By function."""
    data: Mapping[Tensor, Data]
    """What is in each tensor at the beginning."""

    def check(self, graph: TaskGraph) -> None:
        """Refuse arrays that do not fit, and tasks that compute with a tensor without one."""
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
    """Refuse an array that is not what its tensor says."""
    if not isinstance(array, np.ndarray):
        found = type(array).__name__
        raise UsageError(
            f"the data of tensor {tensor.name} is a {found}, expected a numpy array or a function "
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
    """Byte by byte, so that a NaN is the same as itself."""
    alike = (one.dtype, one.shape) == (other.dtype, other.shape)
    return alike and one.tobytes() == other.tobytes()
