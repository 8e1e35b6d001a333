"""The arrays of a graph during one run: made when the run begins, and dropped with it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout

import numpy as np
from numpy.lib.stride_tricks import as_strided

from lanescope.errors import LanescopeError, UsageError
from lanescope.native import Array
from lanescope.workloads.arguments import check_array, same_values
from lanescope.workloads.graph import TaskGraph
from lanescope.workloads.tensors import Data, Tensor, TensorView


class Arrays:
    """The present values of every tensor of one run."""

    def __init__(self, graph: TaskGraph) -> None:
        if graph.arguments is None:
            raise UsageError(f"{graph.name} works on no arrays")
        self._graph = graph
        self._arguments = graph.arguments
        self._flat = {
            tensor: _made(tensor, data).reshape(-1) for tensor, data in graph.arguments.data.items()
        }

    def whole(self, name: str) -> Array:
        """Return the present values of the tensor of that name."""
        for tensor, flat in self._flat.items():
            if tensor.name == name:
                return flat.reshape(tensor.shape)
        known = ", ".join(tensor.name for tensor in self._flat)
        raise UsageError(f"{self._graph.name} has no array {name!r}; it has: {known}")

    def of(self, view: TensorView) -> Array | None:
        """Return a view's elements without copying them; None where its tensor has no array."""
        flat = self._flat.get(view.tensor)
        if flat is None:
            return None
        if not view.size:
            return np.empty(view.shape, flat.dtype)
        strides = tuple(stride * flat.itemsize for stride in view.strides)
        return as_strided(flat[view.offset :], view.shape, strides)

    def compute(self, task: int) -> None:
        """Call the task's function, if it has one; it cannot write to its inputs."""
        func = int(self._graph.func[task])
        function = self._arguments.compute.get(func)
        if function is None:
            return
        arguments = self._arguments.by_task[task]
        arrays = [self.of(view) for view in arguments.views]
        for array in arrays[: len(arguments.reads)]:
            assert array is not None  # graph.check() saw to that
            array.flags.writeable = False
        what = f"task {task} ({self._graph.functions[func]}) of {self._graph.name}"
        with _users_code(f"computing {what}"), np.errstate(all="ignore"):
            returned = function(*arrays)
        if returned is not None:
            raise LanescopeError(
                f"{what} computed a value of type {type(returned).__name__} and returned it; "
                "write into the output arrays instead, and return nothing"
            )


def _made(tensor: Tensor, data: Data) -> Array:
    """Return the tensor's first values as a contiguous little-endian copy.

    A function that makes them is called twice, to refuse one that makes other values each time.
    """
    if not callable(data):
        return _copy(data)
    with _users_code(f"making the array of tensor {tensor.name}"):
        array, again = data(), data()
    check_array(tensor, array)
    if not same_values(array, again):
        raise UsageError(
            f"the function that makes the array of tensor {tensor.name} makes another one each "
            "time it is called; seed your random numbers in it"
        )
    return _copy(array)


@contextmanager
def _users_code(doing: str) -> Iterator[None]:
    """Run code of the user's: what it prints goes to stderr, what it raises becomes our error."""
    try:
        with redirect_stdout(sys.stderr):
            yield
    except Exception as error:
        raise LanescopeError(f"{doing} raised {type(error).__name__}: {error}") from error


def _copy(array: Array) -> Array:
    return np.array(array, dtype=array.dtype.newbyteorder("<"), order="C")
