"""The chip's window of tasks: how far the orchestrator may be ahead of the oldest task in use.

A task is in use until three things hold: it is released, all its consumers that were submitted so
far are released, and its scope has ended. Places are given back in the order of submission
(hw-native-sys/simpler,
src/a2a3/runtime/tensormap_and_ringbuffer/docs/RUNTIME_LOGIC.md, sections 4 and 7.4).
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from lanescope.errors import UsageError
from lanescope.platforms.sim.kernel import Signal
from lanescope.workloads.graph import TaskGraph

_IN_USE = 1 << 62


class Window:
    """The window of a graph that has more tasks than places; a smaller graph needs none."""

    def __init__(self, graph: TaskGraph, places: int, freed: Signal) -> None:
        backward = graph.pred > graph.succ
        if backward.any():
            edge = int(backward.argmax())
            raise UsageError(
                f"task {graph.succ[edge]} of {graph.name} waits for task {graph.pred[edge]}, which "
                f"comes after it; a chip that keeps {places} of {len(graph)} tasks needs them in "
                "the order of their edges"
            )
        self._places = places
        self._submitted = 0
        self._oldest = 0
        """The first task that is in use."""
        self._released = [_IN_USE] * len(graph)
        """By task: how many tasks were submitted when it was released."""
        self._offsets = graph.successors()[0].tolist()
        self._consumers = graph.succ[np.lexsort((graph.succ, graph.pred))].tolist()
        """Tasks that wait for each task, sorted by number."""
        self._scope_of = innermost_scopes(graph)
        self._scope_ended = [_IN_USE] * (0 if graph.scopes is None else len(graph.scopes))
        """By scope: how many tasks were submitted when it ended."""
        if graph.scopes is not None:
            self._check_scopes(graph)
        self.freed = freed

    def _check_scopes(self, graph: TaskGraph) -> None:
        """Refuse a scope that fills the window: it would wait for itself."""
        first: dict[int, int] = {}
        for task, scope in enumerate(self._scope_of):
            first.setdefault(scope, task)
        for scope, (_, end) in enumerate([] if graph.scopes is None else graph.scopes.tolist()):
            if scope in first and end - first[scope] > self._places:
                raise UsageError(
                    f"a scope of {graph.name} has tasks {first[scope]} to {end - 1}, and the chip "
                    f"keeps {self._places} tasks: it would wait for itself; end the scope earlier "
                    "or give the chip more window_tasks"
                )

    def submit(self, task: int) -> bool:
        """Take a place for the next task; say whether there was one."""
        if task - self._oldest >= self._places and not self._advance():
            return False
        self._submitted = task + 1
        return True

    def release(self, tasks: Iterable[int]) -> None:
        """Note that tasks are done: they no longer use their own places or those of producers."""
        released, submitted = self._released, self._submitted
        for task in tasks:
            released[task] = submitted
        self._tell()

    def end_scope(self, scope: int) -> None:
        """Note that a scope has ended: it no longer uses the places of its tasks."""
        self._scope_ended[scope] = self._submitted
        self._tell()

    def _tell(self) -> None:
        """Wake the orchestrator if it waits for a place and there is one now."""
        if self.freed.awaited and self._advance():
            self.freed.fire()

    def _advance(self) -> bool:
        """Give back places from the oldest task on; say whether there were any."""
        task = before = self._oldest
        while task < self._submitted and self._is_free(task):
            task += 1
        self._oldest = task
        return task > before

    def _is_free(self, task: int) -> bool:
        """Say whether there was a moment at which nothing used the task.

        A moment is a number of submitted tasks. Tasks are submitted in order, so a consumer with a
        higher number than the moment came too late to use the task.
        """
        moment, scope = self._released[task], self._scope_of[task]
        if scope >= 0:
            moment = max(moment, self._scope_ended[scope])
        if moment < _IN_USE:
            for consumer in self._consumers[self._offsets[task] : self._offsets[task + 1]]:
                if consumer >= moment:
                    break
                moment = max(moment, self._released[consumer])
        return moment < _IN_USE


def innermost_scopes(graph: TaskGraph) -> list[int]:
    """Return the innermost scope of each task; -1: it is in none. Outer scopes end later."""
    innermost = [-1] * len(graph)
    scopes = [] if graph.scopes is None else graph.scopes.tolist()
    for number in range(len(scopes) - 1, -1, -1):
        first, end = scopes[number]
        innermost[first:end] = [number] * (end - first)
    return innermost
