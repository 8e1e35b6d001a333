"""A job that can run again: what every task waits for, and how long it takes.

A task starts after the task before it on its lane, after the tasks that edges name, and, where the
order between lanes is not recorded, after the same delay as in the recording. The part that a rank
has in a collective transfers once the parts that it waits for have started; its length is what it
took from then on.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from lanescope.errors import LanescopeError
from lanescope.jobs.job_tasks import JobTasks, small
from lanescope.native.paths import Ordered, longest, order_graph
from lanescope.trace.numbering import numbered
from lanescope.trace.table import Array

_EARLY_NS = 10_000_000
"""A part that ended this long before the last one started did not wait for it: its length is 0. A
smaller difference is that of clocks. Source: StragglerAnalysis `wia.py`, `get_transfer_time`."""
_MANY = 1 << 20
"""From so many tasks on, stretches are replayed by several threads."""
_LEAST = int(np.iinfo(np.int64).min)


@dataclass(frozen=True, slots=True, eq=False)
class StretchGraph:
    """What the tasks of one stretch wait for. Nodes: tasks, starts of parts, meetings of parts."""

    tasks: slice
    """The tasks of the stretch."""
    graph: Ordered
    delay: Array
    """By node: how long it waits beyond what it waits for."""
    length: Array
    """By task: its length as recorded; of a part that of its transfer."""
    contradicted: int
    """Dependencies that were left out, because the recording contradicts them."""

    def ends(self, length: Array) -> Array:
        """When each task ends, if tasks have these lengths; 0 is the start of the stretch."""
        count = len(self.length)
        weight = self.delay.copy()
        weight[:count] += length
        ends: Array = longest(self.graph, weight)[0][:count] + weight[:count]
        return ends


@dataclass(frozen=True, slots=True, eq=False)
class JobGraph:
    """All stretches of a job, ready to be replayed."""

    tasks: JobTasks
    stretches: tuple[StretchGraph, ...]
    length: Array
    """By task: its length as recorded."""

    def step_times(self, length: Array) -> Array:
        """How long each step takes if tasks have these lengths, in ns."""
        return self.tasks.step_times(self.ends(length))

    def ends(self, length: Array) -> Array:
        """When each task ends, if tasks have these lengths, from the start of its stretch on."""
        ends = np.empty_like(self.length)

        def replay(one: StretchGraph) -> None:
            ends[one.tasks] = one.ends(length[one.tasks])

        if len(length) < _MANY:
            for one in self.stretches:
                replay(one)
            return ends
        # The C library works without Python's lock.
        with ThreadPoolExecutor(os.cpu_count()) as threads:
            list(threads.map(replay, self.stretches))
        return ends

    @property
    def contradicted(self) -> int:
        """Dependencies that were left out, because the recording contradicts them."""
        return sum(one.contradicted for one in self.stretches)


def job_graph(tasks: JobTasks) -> JobGraph:
    """Find what every task waits for.

    Raises:
        LanescopeError: tasks wait for each other in a circle.
    """
    begins = tasks.first[tasks.stretches]
    stretch = np.repeat(np.arange(len(begins) - 1), np.diff(begins))
    inner = np.flatnonzero(stretch[tasks.before] == stretch[tasks.after])
    inner = inner[np.argsort(stretch[tasks.before[inner]], kind="stable")]
    before, after = tasks.before[inner], tasks.after[inner]
    limits = np.searchsorted(stretch[before], np.arange(len(begins)))
    found = []
    for at, (first, last) in enumerate(pairwise(begins.tolist())):
        edges = slice(int(limits[at]), int(limits[at + 1]))
        one = _StretchNodes(tasks, slice(first, last))
        step = int(tasks.steps[tasks.stretches[at]])
        found.append(one.graph(before[edges] - first, after[edges] - first, step))
    lengths = [one.length for one in found]
    return JobGraph(tasks, tuple(found), np.concatenate([np.empty(0, np.int64), *lengths]))


class _StretchNodes:
    """The nodes of one stretch while its graph is made."""

    def __init__(self, tasks: JobTasks, rows: slice) -> None:
        self.rows, self.ordered = rows, tasks.ordered
        self.rank, self.lane = tasks.rank[rows], tasks.lane[rows]
        self.start, self.end = tasks.start[rows], tasks.end[rows]
        count = len(self.start)
        self.part = np.flatnonzero(tasks.parts.collective[rows] >= 0)
        meetings, meeting = numbered(tasks.parts.collective[rows][self.part])
        self.waited_for = tasks.parts.waited_for[rows][self.part]
        self.arrival = count + np.arange(len(self.part))
        self.meeting = count + len(self.part) + meeting
        self.nodes = count + len(self.part) + len(meetings)
        self.entry = np.arange(count)
        self.entry[self.part] = self.arrival
        self.began = self._began()
        # A sender that was done before the receiver started did not wait for it.
        left = tasks.parts.sends[rows][self.part] & (self.end[self.part] < self.began)
        self.waits = tasks.parts.waits[rows][self.part] & ~left

    def graph(self, before: Array, after: Array, step: int) -> StretchGraph:
        """The graph; edges are places of tasks in the stretch."""
        pred, succ = self._on_lanes()
        pred, succ = np.concatenate([pred, before]), np.concatenate([succ, after])
        known = np.ones(len(pred), bool)
        graph = self._in_order(pred, succ)
        if graph is None:
            known = self.start[pred] <= self.start[succ]
            graph = self._in_order(pred[known], succ[known])
        if graph is None:
            raise LanescopeError(
                f"step {step} cannot be replayed: tasks wait for each other in a circle; check "
                "that the traces are of one run, and import them again"
            )
        delay = np.zeros(self.nodes, np.int64)
        if not self.ordered:
            ready = np.zeros(len(self.start), np.int64)
            np.maximum.at(ready, succ[known], self.end[pred[known]])
            delay[self.entry] = self.start - ready
        return StretchGraph(self.rows, graph, delay, self._lengths(), int(np.count_nonzero(~known)))

    def _on_lanes(self) -> tuple[Array, Array]:
        """Tasks that follow each other on a lane: those before, those after.

        Within a step the tasks of a lane are in order already, and so are the steps.
        """
        lanes = self.lane.astype(np.int64)  # a task of no core has the least number of 32 bits
        lanes -= lanes.min(initial=0)
        key = self.rank * (int(lanes.max(initial=0)) + 1) + lanes
        order = np.argsort(small(key), kind="stable")
        key = key[order]
        same = key[1:] == key[:-1]
        return order[:-1][same], order[1:][same]

    def _in_order(self, pred: Array, succ: Array) -> Ordered | None:
        """The graph with these dependencies and the meetings; None where it has a circle."""
        feeds, waits = self.waited_for, self.waits
        aside = ~(feeds & waits)
        sources = [pred, self.arrival[feeds], self.meeting[waits], self.arrival[aside]]
        targets = [self.entry[succ], self.meeting[feeds], self.part[waits], self.part[aside]]
        return order_graph(self.nodes, np.concatenate(sources), np.concatenate(targets))

    def _began(self) -> Array:
        """By part: when the last of those that are waited for started."""
        began = np.full(self.nodes, _LEAST)
        feeds = self.waited_for
        np.maximum.at(began, self.meeting[feeds], self.start[self.part[feeds]])
        latest: Array = began[self.meeting]
        return latest

    def _lengths(self) -> Array:
        """What each task took, a part from the moment on at which those it waits for were there."""
        own = self.start[self.part]
        length = self.end - self.start
        transfer = self.end[self.part] - np.where(self.waits, np.maximum(self.began, own), own)
        length[self.part] = np.where(transfer <= -_EARLY_NS, 0, transfer)
        return length
