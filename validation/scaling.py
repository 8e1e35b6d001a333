"""How the window of paged attention changes with the number of schedulers: S + P / N.

Source: huawei-csl/simpler docs/asim/calibration.md and validation/fidelity.md, 1 to 4 threads on
the chip: it follows S + P / N, and at one thread the parallel part P is 83 % of it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lanescope.platforms.sim.chip import load_chip
from lanescope.platforms.sim.run import simulate
from lanescope.platforms.sim.setup import SimSetup
from lanescope.trace.flags import Feature
from lanescope.workloads import TaskGraph
from lanescope.workloads.lengths import Draw, drawn

PARALLEL = 0.83
MOST_POINTS = 0.05
SCHEDULERS = (1, 2, 3, 4)


@dataclass(frozen=True)
class Scaling:
    """Windows by number of schedulers, in µs."""

    windows_us: tuple[float, ...]

    @property
    def parts_us(self) -> tuple[float, float]:
        """S and P of least squares."""
        inverse = 1 / np.array(SCHEDULERS)
        table = np.stack([np.ones_like(inverse), inverse], axis=1)
        serial, parallel = np.linalg.lstsq(table, np.array(self.windows_us), rcond=None)[0]
        return float(serial), float(parallel)

    @property
    def parallel(self) -> float:
        """The parallel part's share of the window at one scheduler."""
        serial, parallel = self.parts_us
        return parallel / (serial + parallel)

    @property
    def worst(self) -> float:
        """How far the windows lie from S + P / N at most."""
        serial, parallel = self.parts_us
        pairs = zip(self.windows_us, SCHEDULERS, strict=True)
        return max(abs(window / (serial + parallel / count) - 1) for window, count in pairs)


def scaling(graph: TaskGraph, chip: str) -> Scaling:
    """Run the graph on the chip with 1 to 4 schedulers, nothing recorded."""
    one = drawn(graph, Draw())
    chips = (replace(load_chip(chip), schedulers=count) for count in SCHEDULERS)
    results = [simulate(one, SimSetup(chip=own, features=Feature(0))) for own in chips]
    return Scaling(tuple(max(result.scheduler_ps) / 1e6 for result in results))


def print_scaling(found: Scaling) -> list[str]:
    """Print the windows and the parallel part; return what does not hold."""
    windows = ", ".join(f"{window:,.0f}" for window in found.windows_us)
    holds = abs(found.parallel - PARALLEL) <= MOST_POINTS
    print(
        f"  paged_attention Case1 with 1 to 4 schedulers: {windows} µs; S + P / N within "
        f"{found.worst:.1%}, P is {found.parallel:.1%} at one (chip {PARALLEL:.0%}), within "
        f"{100 * MOST_POINTS:.0f} points: {'holds' if holds else 'DOES NOT HOLD'}"
    )
    return [] if holds else [f"paged_attention Case1: parallel part {found.parallel:.1%}"]
