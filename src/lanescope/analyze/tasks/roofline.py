"""How much a function computes per byte and per second, under the roofs of what it runs on.

The trace must say what one run computes and moves (`meta.extra["work"]`): simulated kernels and
predicted programs do.
"""

from __future__ import annotations

from dataclasses import dataclass

from lanescope.analyze.cores.makespan import makespan
from lanescope.analyze.tasks.functions import functions
from lanescope.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class Roof:
    """What a core, or a board, can do at most."""

    name: str
    flops_per_s: float
    bytes_per_s: float

    @property
    def ridge(self) -> float:
        """Operations per byte from which on computing can be the limit."""
        return self.flops_per_s / self.bytes_per_s

    def at(self, intensity: float) -> float:
        return min(self.flops_per_s, intensity * self.bytes_per_s)


@dataclass(frozen=True, slots=True)
class Point:
    """One function's mean run, or the whole program."""

    name: str
    roof: str
    flops: int
    bytes: int
    seconds: float

    @property
    def intensity(self) -> float:
        return self.flops / self.bytes

    @property
    def flops_per_s(self) -> float:
        return self.flops / self.seconds


@dataclass(frozen=True, slots=True)
class Roofline:
    """Points by roof, the fastest first, and the roofs they stand under."""

    points: tuple[Point, ...]
    roofs: tuple[Roof, ...]


def roofline(trace: Trace) -> Roofline | None:
    """None where the trace does not say what its functions compute and move."""
    work = trace.meta.extra.get("work")
    if work is None:
        return None
    points = [*_functions(trace, work.get("functions", ())), *_whole(trace, work.get("whole"))]
    roofs = tuple(Roof(**roof) for roof in work["roofs"])
    if not points:
        return None
    return Roofline(tuple(sorted(points, key=lambda one: (one.roof, -one.flops_per_s))), roofs)


def _functions(trace: Trace, rows: list[dict[str, int | str]]) -> list[Point]:
    cost = {row.func: row for row in functions(trace).rows}
    found = []
    for row in rows:
        func = cost.get(int(row["func"]))
        if func is not None and func.exec.total_ns:
            seconds = func.exec.mean_ns / 1e9
            work = int(row["flops"]), int(row["bytes"])
            found.append(Point(func.name, str(row["roof"]), *work, seconds))
    return found


def _whole(trace: Trace, work: dict[str, int | str] | None) -> list[Point]:
    window = makespan(trace).window
    if work is None or window is None or not window.length_ns:
        return []
    done = int(work["flops"]), int(work["bytes"])
    return [Point("whole program", str(work["roof"]), *done, window.length_ns / 1e9)]
