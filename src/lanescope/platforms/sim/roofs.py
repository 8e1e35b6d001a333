"""What a roofline needs of a simulated run: the work of each kernel, and what one core can do."""

from __future__ import annotations

import numpy as np

from lanescope.platforms.sim.chip import Chip
from lanescope.platforms.sim.costs import core_rates
from lanescope.trace.meta import FunctionWork, RoofFacts, WorkFacts
from lanescope.workloads.graph import TaskGraph, WorkKind
from lanescope.workloads.kernels import PEAK_FLOPS_PER_CYCLE
from lanescope.workloads.pipes import ROUTES


def work_of(graph: TaskGraph, chip: Chip) -> WorkFacts | None:
    """For `meta.work`: operations and bytes per run of each function that runs a kernel, and the
    roofs of its kind of core; None without kernels."""
    rows, kinds = [], set()
    for func, kernel in enumerate(graph.kernels):
        tasks = np.flatnonzero((graph.func == func) & (graph.work == WorkKind.PIPES))
        if kernel is None or not len(tasks) or not kernel.flops or not kernel.shared_total:
            continue
        kind = graph.kinds[graph.kind[tasks[0]]]
        kinds.add(kind)
        rows.append(FunctionWork(func, f"one {kind} core", kernel.flops, kernel.shared_total))
    if not rows:
        return None
    roofs = tuple(_roof(chip, kind) for kind in sorted(kinds))
    return WorkFacts(functions=tuple(rows), roofs=roofs)


def _roof(chip: Chip, kind: str) -> RoofFacts:
    """Return the most that one core of a kind can do: operations and bytes per second.

    Loading and storing have routes of their own, so their rates add up. The chip's memory limits
    the sum where it has a limit.
    """
    rates = core_rates(chip, kind)
    through = [name for name in ROUTES if name.startswith("gm_") or name.endswith("_to_gm")]
    moved = sum(rates.bytes_per_s.get(name, 0) for name in through)
    if chip.memory.hbm_bytes_per_s is not None:
        moved = min(moved, chip.memory.hbm_bytes_per_s)
    peak = PEAK_FLOPS_PER_CYCLE[kind] * rates.core_hz
    return RoofFacts(name=f"one {kind} core", flops_per_s=peak, bytes_per_s=moved)
