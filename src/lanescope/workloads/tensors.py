"""Tensors and views of them: which elements of a buffer a task reads or writes.

Shapes, strides and offsets count elements. The elements of a tensor are stored row by row without
gaps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from math import prod

from lanescope.errors import UsageError
from lanescope.native import Array
from lanescope.workloads.strides import Dims, dims_of, includes, meet

Index = slice | int
Data = Array | Callable[[], Array]
"""An array, or a function that makes one, which is called only when a run computes."""


@dataclass(frozen=True)
class Tensor:
    """A buffer. Equal tensors are the same buffer. `data` holds its first values."""

    name: str
    shape: tuple[int, ...]
    element_bytes: int = 4
    data: Data | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", tuple(self.shape))
        if min(self.shape, default=0) < 0:
            raise UsageError(f"tensor {self.name} has the shape {self.shape}; none may be negative")
        if self.element_bytes < 1:
            raise UsageError(
                f"tensor {self.name} has elements of {self.element_bytes} bytes, expected 1 or more"
            )

    @property
    def size(self) -> int:
        """Number of elements."""
        return prod(self.shape)

    def view(
        self, shape: tuple[int, ...], strides: tuple[int, ...] | None = None, *, offset: int = 0
    ) -> TensorView:
        """Return a view of the elements offset + i · strides, for every index i in shape.

        Without strides the view's elements are stored row by row without gaps.
        """
        return TensorView(self, shape, _row_by_row(shape) if strides is None else strides, offset)

    def whole(self) -> TensorView:
        """Return a view of all elements."""
        return self.view(self.shape)

    def __getitem__(self, index: Index | tuple[Index, ...]) -> TensorView:
        """Return a view, like tensor[rows, columns] in numpy: a slice or a number per dimension.

        A slice may have a step. Dimensions at the end may be left out. Unlike numpy's, a slice must
        not end outside the tensor.
        """
        given = index if isinstance(index, tuple) else (index,)
        if len(given) > len(self.shape):
            raise UsageError(
                f"tensor {self.name} has {len(self.shape)} dimensions, found {len(given)} indices"
            )
        offset, shape, strides = 0, [], []
        for dimension, stride in enumerate(_row_by_row(self.shape)):
            one = given[dimension] if dimension < len(given) else slice(None)
            chosen = self._chosen(dimension, one)
            offset += chosen.start * stride
            if isinstance(one, slice):
                shape.append(len(chosen))
                strides.append(stride * chosen.step)
        return TensorView(self, tuple(shape), tuple(strides), offset)

    def _chosen(self, dimension: int, index: Index) -> range:
        size = self.shape[dimension]
        if isinstance(index, slice):
            step = 1 if index.step is None else index.step
            start = 0 if index.start is None else _from_front(index.start, size)
            stop = size if index.stop is None else _from_front(index.stop, size)
            shown = f"{start}:{stop}"
        else:
            step, start = 1, _from_front(index, size)
            stop, shown = start + 1, str(start)
        if step < 1:
            raise UsageError(
                f"a slice of tensor {self.name} has the step {step}, expected 1 or more"
            )
        if min(start, stop) < 0 or max(start, stop) > size:
            raise UsageError(
                f"dimension {dimension} of tensor {self.name} has the size {size}, found {shown}"
            )
        return range(start, stop, step)


@dataclass(frozen=True)
class TensorView:
    """Some elements of a tensor: offset + i · strides, for every index i in shape."""

    tensor: Tensor
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", tuple(self.shape))
        object.__setattr__(self, "strides", tuple(self.strides))
        what = f"a view of tensor {self.tensor.name}"
        if len(self.shape) != len(self.strides):
            raise UsageError(
                f"{what} has {len(self.shape)} dimensions, but {len(self.strides)} strides"
            )
        for name, values in (("shape", self.shape), ("strides", self.strides)):
            if min(values, default=0) < 0:
                raise UsageError(f"{what} has the {name} {values}; none may be negative")
        if self.size and (self.offset < 0 or self.last >= self.tensor.size):
            raise UsageError(
                f"{what} has elements {self.offset} to {self.last}, but the tensor only "
                f"0 to {self.tensor.size - 1}"
            )

    @property
    def size(self) -> int:
        """Number of elements; one that the view names twice counts twice."""
        return prod(self.shape)

    @property
    def last(self) -> int:
        """Position of the last element in the buffer; without meaning for an empty view."""
        return self.offset + sum((n - 1) * s for n, s in zip(self.shape, self.strides, strict=True))

    @property
    def byte_range(self) -> tuple[int, int]:
        """First byte in the buffer, and the byte after the last; equal for an empty view."""
        width = self.tensor.element_bytes
        return self.offset * width, (self.last + 1 if self.size else self.offset) * width

    @property
    def dims(self) -> Dims:
        """Strides and counts of the dimensions that matter."""
        return dims_of(self.shape, self.strides)

    @property
    def is_contiguous(self) -> bool:
        """Whether the elements are stored row by row without gaps."""
        steps = zip(self.shape, self.strides, _row_by_row(self.shape), strict=True)
        return not self.size or all(n == 1 or stride == row for n, stride, row in steps)


def views_of(given: Iterable[TensorView | Tensor]) -> list[TensorView]:
    """Return views; a tensor stands for all its elements."""
    return [one.whole() if isinstance(one, Tensor) else one for one in given]


def overlaps(a: TensorView, b: TensorView) -> bool:
    """Say whether two views have an element in common.

    The answer is exact unless strides do not nest and there are very many: after
    strides.MOST_TRIES tries two views are taken to overlap. Then a task waits without need.
    """
    if a.tensor != b.tensor or not a.size or not b.size:
        return False
    if a.last < b.offset or b.last < a.offset:
        return False
    return meet(b.last - a.offset, a.dims, b.dims)


def covers(a: TensorView, b: TensorView) -> bool:
    """Say whether every element of `b` is one of `a`.

    The answer is exact for slices. For other views it may be False although `a` has them all; it is
    never True where `a` lacks one.
    """
    if not b.size:
        return True
    if a.tensor != b.tensor or not a.size or b.offset < a.offset or b.last > a.last:
        return False
    return includes(b.offset - a.offset, a.dims, b.dims)


def _row_by_row(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(prod(shape[dimension + 1 :]) for dimension in range(len(shape)))


def _from_front(index: int, size: int) -> int:
    return index + size if index < 0 else index
