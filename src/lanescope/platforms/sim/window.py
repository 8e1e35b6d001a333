"""The chip's window of tasks: how far the orchestrator may be ahead of the oldest task in use.

A task is in use until it is released, all its consumers submitted so far are released, and its
scope has ended. Places are given back in the order of submission (hw-native-sys/simpler,
src/a2a3/runtime/tensormap_and_ringbuffer/docs/RUNTIME_LOGIC.md, sections 4 and 7.4).
"""

from __future__ import annotations

from collections.abc import Iterable

from lanescope.errors import UsageError
from lanescope.platforms.sim.kernel import Signal
from lanescope.workloads.graph import TaskGraph


class Window:
    """Of a graph that does not fit in it; one that does is never held up, and has none."""

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
        self._users = [0] * len(graph)
        self._gone = bytearray(len(graph))
        self._submitted = 0
        self._oldest = 0
        offsets, predecessors = graph.predecessors()
        self._offsets, self._predecessors = offsets.tolist(), predecessors.tolist()
        self._scope_of = innermost_scopes(graph)
        if graph.scopes is not None:
            self._check_scopes(graph)
        self.freed = freed

    def _check_scopes(self, graph: TaskGraph) -> None:
        """A scope that fills the window waits for itself."""
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

    @property
    def full(self) -> bool:
        return self._submitted - self._oldest >= self._places

    def submit(self, task: int) -> None:
        users, gone = self._users, self._gone
        self._submitted += 1
        users[task] += 1 + (self._scope_of[task] >= 0)
        for pred in self._predecessors[self._offsets[task] : self._offsets[task + 1]]:
            if not gone[pred]:
                users[pred] += 1

    def release(self, tasks: Iterable[int]) -> None:
        """The tasks are done: neither they nor their producers are in use because of them."""
        users, gone = self._users, self._gone
        offsets, predecessors = self._offsets, self._predecessors
        for task in tasks:
            users[task] -= 1
            if not users[task]:
                gone[task] = 1
            for pred in predecessors[offsets[task] : offsets[task + 1]]:
                if not gone[pred]:
                    users[pred] -= 1
                    if not users[pred]:
                        gone[pred] = 1
        self._advance()

    def end_scope(self, first: int, end: int, scope: int) -> None:
        for task in range(first, end):
            if self._scope_of[task] == scope:
                self._users[task] -= 1
                if not self._users[task]:
                    self._gone[task] = 1
        self._advance()

    def _advance(self) -> None:
        """Give back places from the oldest on."""
        before = self._oldest
        while self._oldest < self._submitted and self._gone[self._oldest]:
            self._oldest += 1
        if self._oldest > before:
            self.freed.fire()


def innermost_scopes(graph: TaskGraph) -> list[int]:
    """Of each task the innermost scope, -1 where it is in none; outer scopes end later."""
    found = [-1] * len(graph)
    scopes = [] if graph.scopes is None else graph.scopes.tolist()
    for number in range(len(scopes) - 1, -1, -1):
        first, end = scopes[number]
        found[first:end] = [number] * (end - first)
    return found
