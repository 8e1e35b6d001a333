"""Tasks that ask for time only: each mixes its predecessors' values, so a wrong order shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from lanescope.device.layouts import constant
from lanescope.native import Array
from lanescope.platforms.cuda.program import Check, empty_works, passes_of, verdict
from lanescope.workloads.graph import TaskGraph, WorkKind

_POISON = 0xDEAD_BEEF_DEAD_BEEF
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def is_timed(graph: TaskGraph) -> bool:
    """Say whether all tasks ask for nothing but time."""
    return bool(np.all(np.isin(graph.work, [WorkKind.NONE, WorkKind.SPIN])))


class Hashed:
    """The program of such a graph: 64 words for each task."""

    def __init__(self, graph: TaskGraph) -> None:
        self._graph = graph
        self._width = constant("LS_MEGA_HASH_WIDTH")
        offsets, predecessors = graph.predecessors()
        self._offsets = offsets
        self.tensors: Mapping[str, Array] = {
            "values": np.full((len(graph), self._width), _POISON, np.uint64),
            "predecessor_list": predecessors.astype(np.uint32),
        }

    def works(self, address: Callable[[str], int]) -> Array:
        """Return a row of ls_mega_work for each task."""
        works = empty_works(len(self._graph))
        works["op"] = constant("LS_MEGA_HASH")
        works["passes"] = passes_of(self._graph.amount)
        works["in"][:, 0] = address("values")
        works["in"][:, 1] = address("predecessor_list") + 4 * self._offsets[:-1]
        works["out"] = address("values") + np.arange(len(works)) * 8 * self._width
        works["size"][:, 0] = np.arange(len(works))
        works["size"][:, 1] = np.diff(self._offsets)
        return works

    def check(self, read: Callable[[str], Array]) -> Check:
        """Compare the device's words with numpy's."""
        wrong = read("values") != self.reference()
        return verdict(wrong, float(np.any(wrong)), what="the tasks' hashes")

    def reference(self) -> Array:
        """Return the right words, computed one generation of the graph after the other."""
        values = np.zeros((len(self._graph), self._width), np.uint64)
        rounds = passes_of(self._graph.amount) * constant("LS_MEGA_HASH_ROUNDS")
        for tasks in generations(self._graph):
            own = tasks[:, None] * self._width + np.arange(self._width) + 1
            words = mixed(own.astype(np.uint64)) + self._sums(values, tasks)
            values[tasks] = _mixed_often(words, rounds[tasks])
        return values

    def _sums(self, values: Array, tasks: Array) -> Array:
        """Return the sum of the predecessors' words for each of the tasks."""
        sums = np.zeros((len(tasks), self._width), np.uint64)
        first, last = self._offsets[tasks], self._offsets[tasks + 1]
        predecessors = self.tensors["predecessor_list"]
        with np.errstate(over="ignore"):
            for step in range(int((last - first).max(initial=0))):
                rows = np.flatnonzero(first + step < last)
                sums[rows] += values[predecessors[first[rows] + step]]
        return sums


def generations(graph: TaskGraph) -> list[Array]:
    """Group tasks by the longest path to them: each generation needs only earlier ones."""
    offsets, successors = graph.successors()
    waiting = graph.predecessor_counts().astype(np.int64)
    ready = np.flatnonzero(waiting == 0)
    groups = []
    while len(ready):
        groups.append(ready)
        counts = offsets[ready + 1] - offsets[ready]
        inside = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        told = successors[np.repeat(offsets[ready], counts) + inside]
        np.subtract.at(waiting, told, 1)
        ready = np.unique(told[waiting[told] == 0])
    return groups


def mixed(words: Array) -> Array:
    """Mix words as splitmix64 does, and as device/hash.cuh does."""
    with np.errstate(over="ignore"):
        words = (words ^ words >> np.uint64(30)) * _FIRST
        words = (words ^ words >> np.uint64(27)) * _SECOND
    result: Array = words ^ words >> np.uint64(31)
    return result


def _mixed_often(words: Array, rounds: Array) -> Array:
    """Mix each row as often as its `rounds` says, and once more."""
    order = np.argsort(-rounds.astype(np.int64), kind="stable")
    words, left = words[order], np.sort(rounds)[::-1]
    for turn in range(int(left[0]) if len(left) else 0):
        count = int(np.searchsorted(-left.astype(np.int64), -turn, side="left"))
        words[:count] = mixed(words[:count])
    out = np.empty_like(words)
    out[order] = mixed(words)
    return out
