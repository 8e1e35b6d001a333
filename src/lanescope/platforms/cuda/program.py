"""A program: the arrays of a graph, what each task does with them, and the right results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from lanescope.device.layouts import layout
from lanescope.native import Array

NS_PER_PASS = 1000
"""A task that asks for time (`amount` in ns) computes once for every so many nanoseconds."""


@dataclass(frozen=True, slots=True)
class Check:
    """Results of a run, compared with a reference that numpy computed."""

    compared: int
    """How many values were compared."""
    largest: float
    """The largest difference."""
    problem: str = ""
    """What is wrong; empty: the results are right."""

    @property
    def sentence(self) -> str:
        """The comparison in words."""
        if self.problem:
            return self.problem
        return (
            f"results right: {self.compared:,} values compared, "
            f"largest difference {self.largest:.3g}"
        )


class GpuProgram(Protocol):
    """What the GPU computes for one graph."""

    @property
    def tensors(self) -> Mapping[str, Array]:
        """All arrays by name, with their values before the run; results are NaN until written."""

    def works(self, address: Callable[[str], int]) -> Array:
        """Return a row of ls_mega_work for each task; `address` is that of an array by its name."""

    def check(self, read: Callable[[str], Array]) -> Check:
        """Compare the results with a reference; `read` copies an array from the device."""


def empty_works(count: int) -> Array:
    """Return rows of ls_mega_work with one pass each and nothing else."""
    works = np.zeros(count, layout("ls_mega_work"))
    works["passes"] = 1
    return works


def passes_of(amount_ns: Array) -> Array:
    """Return how often each task computes: once per microsecond asked for, and at least once."""
    passes: Array = np.maximum(np.rint(amount_ns / NS_PER_PASS), 1).astype(np.uint32)
    return passes


def compared(computed: Array, expected: Array, *, tolerance: float, what: str) -> Check:
    """Compare results with a reference; NaN is never right.

    The tolerance is relative to the largest expected value, or to 1 where that is larger.
    """
    difference = np.abs(computed.astype(np.float64) - expected)
    scale = float(np.abs(expected).max(initial=1.0))
    wrong = ~(difference <= tolerance * scale)
    largest = float(np.max(difference, initial=0.0))
    return verdict(wrong, largest, what=what)


def verdict(wrong: Array, largest: float, *, what: str) -> Check:
    """Return the check of results, from a mask of those that are wrong."""
    count = int(np.count_nonzero(wrong))
    if not count:
        return Check(wrong.size, largest)
    first = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
    where = ", ".join(str(int(index)) for index in first)
    return Check(
        wrong.size,
        largest,
        f"results wrong: {count:,} of {wrong.size:,} values of {what} differ from the reference, "
        f"the first at [{where}], by up to {largest:.3g}",
    )
