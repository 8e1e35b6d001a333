"""Refuses a graph that a chip is too small for."""

from __future__ import annotations

import numpy as np

from lanescope.errors import UsageError
from lanescope.platforms.sim.chip import Chip
from lanescope.workloads.graph import TaskGraph


def check_size(graph: TaskGraph, chip: Chip) -> None:
    """Refuse a task that needs more cores of a cluster, or of the chip, than there are."""
    most = 0 if graph.partners is None else int(graph.partners.max(initial=0))
    if most > chip.aiv_per_cluster or (most and chip.aic_per_cluster != 1):
        raise UsageError(
            f"a task of {graph.name} needs a cube core and {most} vector cores of one cluster; "
            f"a cluster of {chip.name} has {chip.aic_per_cluster} and {chip.aiv_per_cluster}"
        )
    _check_together(graph, chip)
    if chip.orchestrators != 1:
        raise UsageError(f"{chip.name} has {chip.orchestrators} orchestrators; one is simulated")


def _check_together(graph: TaskGraph, chip: Chip) -> None:
    """Refuse a task that starts on more cores at once than the chip has."""
    if graph.together is None or graph.blocks is None:
        return
    kinds = chip.core_kinds()
    for task in np.flatnonzero(graph.together).tolist():
        kind, blocks = graph.kinds[graph.kind[task]], int(graph.blocks[task])
        if blocks > kinds.count(kind):
            raise UsageError(
                f"task {task} of {graph.name} starts on {blocks} cores at once; {chip.name} has "
                f"{kinds.count(kind)} of kind {kind}"
            )
