"""The roofline: what a function computes per byte and per second, and what its core could.

The trace must say what one run computes and moves (`meta.work`): simulated kernels and
predicted programs do.
"""

from __future__ import annotations

from dataclasses import dataclass

from lanescope.analyze.cores.makespan import makespan
from lanescope.analyze.tasks.functions import functions
from lanescope.results import Result
from lanescope.trace.meta import FunctionWork, ProgramWork
from lanescope.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class Roof(Result):
    """The highest rates of a core or a board."""

    DERIVED = ("ridge",)

    name: str
    flops_per_s: float
    """Operations per second."""
    bytes_per_s: float
    """Bytes from and to memory per second."""

    @property
    def ridge(self) -> float:
        """Operations per byte at which both rates are the limit; above it, computing is."""
        return self.flops_per_s / self.bytes_per_s

    def at(self, intensity: float) -> float:
        """Highest operations per second of code with this many operations per byte."""
        return min(self.flops_per_s, intensity * self.bytes_per_s)


@dataclass(frozen=True, slots=True)
class Point(Result):
    """The mean run of one function, or the whole program."""

    DERIVED = ("intensity", "flops_per_s")

    name: str
    roof: str
    """Name of the roof that it stands under."""
    flops: int
    """Operations that it computes."""
    bytes: int
    """Bytes that it moves from and to memory."""
    seconds: float

    @property
    def intensity(self) -> float:
        """Operations per byte."""
        return self.flops / self.bytes

    @property
    def flops_per_s(self) -> float:
        """Operations per second."""
        return self.flops / self.seconds


@dataclass(frozen=True, slots=True)
class Roofline(Result):
    """Functions as points under roofs."""

    points: tuple[Point, ...]
    """By roof, then the highest rate first."""
    roofs: tuple[Roof, ...]


def roofline(trace: Trace) -> Roofline | None:
    """The roofline of a run; None where the trace does not say what its functions compute."""
    work = trace.meta.work
    if work is None:
        return None
    points = [*_functions(trace, work.functions), *_whole(trace, work.whole)]
    roofs = tuple(Roof(roof.name, roof.flops_per_s, roof.bytes_per_s) for roof in work.roofs)
    if not points:
        return None
    return Roofline(tuple(sorted(points, key=lambda one: (one.roof, -one.flops_per_s))), roofs)


def _functions(trace: Trace, rows: tuple[FunctionWork, ...]) -> list[Point]:
    cost = {row.func: row for row in functions(trace).rows}
    points = []
    for row in rows:
        func = cost.get(row.func)
        if func is not None and func.exec.total_ns:
            seconds = func.exec.mean_ns / 1e9
            points.append(Point(func.name, row.roof, row.flops, row.bytes, seconds))
    return points


def _whole(trace: Trace, work: ProgramWork | None) -> list[Point]:
    window = makespan(trace).window
    if work is None or window is None or not window.length_ns:
        return []
    seconds = window.length_ns / 1e9
    return [Point("whole program", work.roof, work.flops, work.bytes, seconds)]
