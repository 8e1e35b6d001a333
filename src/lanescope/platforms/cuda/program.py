"""A program: the numbers of a graph, what each task does with them, and what must come out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from lanescope.device.layouts import layout
from lanescope.native import Array

NS_PER_PASS = 1000
"""A task that asks for time (`amount` in ns) computes once for each of these."""


@dataclass(frozen=True, slots=True)
class Check:
    """What came out, against a reference computed with numpy."""

    compared: int
    largest: float
    """The largest difference."""
    problem: str = ""
    """Empty: the results are right."""

    @property
    def sentence(self) -> str:
        if self.problem:
            return self.problem
        return (
            f"results right: {self.compared:,} values compared, "
            f"largest difference {self.largest:.3g}"
        )


class GpuProgram(Protocol):
    """Made for one graph."""

    @property
    def tensors(self) -> Mapping[str, Array]:
        """All arrays by name, with their values before the run; results are poisoned."""

    def works(self, address: Callable[[str], int]) -> Array:
        """A row of ls_mega_work per task; `address` says where an array lies on the device."""

    def check(self, read: Callable[[str], Array]) -> Check:
        """Compare what `read` finds on the device after the run."""


def empty_works(count: int) -> Array:
    works = np.zeros(count, layout("ls_mega_work"))
    works["passes"] = 1
    return works


def passes_of(amount_ns: Array) -> Array:
    """How often each task computes: once per microsecond asked for, at least once."""
    passes: Array = np.maximum(np.rint(amount_ns / NS_PER_PASS), 1).astype(np.uint32)
    return passes


def compared(found: Array, expected: Array, *, tolerance: float, what: str) -> Check:
    """Differences relative to the largest expected value; NaN is never right."""
    difference = np.abs(found.astype(np.float64) - expected)
    scale = float(np.abs(expected).max(initial=1.0))
    wrong = ~(difference <= tolerance * scale)
    largest = float(np.max(difference, initial=0.0))
    return verdict(wrong, largest, what=what)


def verdict(wrong: Array, largest: float, *, what: str) -> Check:
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
