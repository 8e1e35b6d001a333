"""Refuses a graph that a chip cannot run."""

from __future__ import annotations

import numpy as np

from lanescope.errors import UsageError
from lanescope.platforms.sim.chip import Chip
from lanescope.render.cells import many_text
from lanescope.workloads.graph import TaskGraph


def check_fit(graph: TaskGraph, chip: Chip) -> None:
    """Refuse a graph that needs cores which the chip has not, or another order of its tasks."""
    kinds = chip.core_kinds()
    lacking = [kind for kind in graph.kinds if kind not in kinds]
    if lacking:
        has = ", ".join(dict.fromkeys(kinds))
        raise UsageError(
            f"{graph.name} needs cores of kind {', '.join(lacking)}; {chip.name} has {has}"
        )
    most = 0 if graph.partners is None else int(graph.partners.max(initial=0))
    needs = f"a task of {graph.name} needs a cube core and {many_text(most, 'vector core')} of one "
    if most and chip.aic_per_cluster != 1:
        raise UsageError(
            f"{needs}cluster, which only chips with 1 cube core per cluster run; a cluster of "
            f"{chip.name} has {chip.aic_per_cluster}"
        )
    if most > chip.aiv_per_cluster:
        has = many_text(chip.aiv_per_cluster, "vector core")
        raise UsageError(f"{needs}cluster; a cluster of {chip.name} has {has}")
    _check_together(graph, chip)
    if len(graph) > chip.orchestrator.window_tasks and chip.orchestrators:
        _check_window(graph, chip.orchestrator.window_tasks)


def _check_together(graph: TaskGraph, chip: Chip) -> None:
    """Refuse a task that starts on more cores at once than the chip has."""
    if graph.together is None or graph.blocks is None:
        return
    kinds = chip.core_kinds()
    for task in np.flatnonzero(graph.together).tolist():
        kind, blocks = graph.kinds[graph.kind[task]], int(graph.blocks[task])
        if blocks > kinds.count(kind):
            raise UsageError(
                f"task {task} of {graph.name} starts on {many_text(blocks, 'core')} at once; "
                f"{chip.name} has {kinds.count(kind)} of kind {kind}"
            )


def _check_window(graph: TaskGraph, places: int) -> None:
    """Refuse a graph that waits for itself in a window of so many tasks."""
    backward = graph.pred > graph.succ
    if backward.any():
        edge = int(backward.argmax())
        raise UsageError(
            f"task {graph.succ[edge]} of {graph.name} waits for task {graph.pred[edge]}, which "
            f"comes after it; a chip that keeps {places} of {len(graph)} tasks needs them in "
            "the order of their edges"
        )
    scopes: list[list[int]] = [] if graph.scopes is None else graph.scopes.tolist()
    innermost = np.full(len(graph), -1)
    for scope in range(len(scopes) - 1, -1, -1):
        innermost[slice(*scopes[scope])] = scope
    for scope, (_, end) in enumerate(scopes):
        own = np.flatnonzero(innermost == scope)
        if len(own) and end - own[0] > places:
            raise UsageError(
                f"a scope of {graph.name} has tasks {own[0]} to {end - 1}, and the chip "
                f"keeps {places} tasks: it would wait for itself; end the scope earlier "
                "or give the chip more window_tasks"
            )
