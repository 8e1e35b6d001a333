"""Replays of one job with recorded lengths of tasks, ideal ones, and mixtures of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lanescope.jobs.job_tasks import JobTasks
from lanescope.jobs.pipelines import joined
from lanescope.jobs.replay_graph import JobGraph
from lanescope.results import Result
from lanescope.trace.table import Array

MOST_PARTS = 32
"""Of more parts only those with the most lost time are replayed."""


@dataclass(frozen=True, slots=True)
class Explained(Result):
    """How much of a job's slowdown some ranks explain."""

    ranks: tuple[int, ...]
    without_ns: float
    """Mean step time if these ranks have ideal lengths and all others recorded ones."""
    only_ns: float
    """Mean step time if these ranks have recorded lengths and all others ideal ones."""
    removed: float | None
    """Share of the slowdown that goes away without them; None where there is no slowdown."""
    added: float | None
    """Share of the slowdown that they bring alone."""


@dataclass(eq=False)
class Replays:
    """A job, and the lengths that its tasks should have."""

    ranks: tuple[int, ...]
    """Numbers of the job's ranks."""
    tasks: JobTasks
    graph: JobGraph
    ideal: Array
    """By task: its ideal length."""

    @cached_property
    def replayed(self) -> Array:
        """Step times with recorded lengths."""
        return self.graph.step_times(self.graph.length)

    @cached_property
    def best(self) -> Array:
        """Step times with ideal lengths."""
        return self.graph.step_times(self.ideal)

    def only(self, own: Array) -> float:
        """Mean step time if only these tasks have recorded lengths."""
        return mean(self.graph.step_times(np.where(own, self.graph.length, self.ideal)))

    def without(self, own: Array) -> float:
        """Mean step time if only these tasks have ideal lengths."""
        return mean(self.graph.step_times(np.where(own, self.ideal, self.graph.length)))

    def slowdowns(self, part: Array, parts: int) -> dict[int, float]:
        """Slowdown of each part of the job, if only that has recorded lengths.

        Args:
            part: By task: the part that it belongs to.
            parts: How many there are. Of more than 32 only those that lost most time have one.
        """
        lost = np.bincount(part, self.graph.length - self.ideal, minlength=parts)
        there = np.flatnonzero(np.bincount(part, minlength=parts))
        chosen = there[np.argsort(-lost[there], kind="stable")][:MOST_PARTS]
        best = mean(self.best)
        return {one: ratio(self.only(part == one), best) for one in sorted(chosen.tolist())}

    def function_parts(self) -> tuple[Array, list[str]]:
        """Functions that take part in the same collectives are one part: by task, and the names."""
        tasks = self.tasks
        joint = tasks.parts.collective >= 0
        collective = tasks.parts.collective[joint]
        part = joined(tasks.function[joint], collective, len(tasks.functions))
        names = [
            " + ".join(sorted(tasks.functions[at] for at in np.flatnonzero(part == one).tolist()))
            for one in range(int(part.max(initial=-1)) + 1)
        ]
        return part[tasks.function], names

    def explained(self, places: Sequence[int]) -> Explained:
        """What these ranks explain; they are given by their place in the job's ranks."""
        chosen = np.zeros(len(self.ranks), bool)
        chosen[list(places)] = True
        own = chosen[self.tasks.rank]
        without, only = self.without(own), self.only(own)
        replayed, best = mean(self.replayed), mean(self.best)
        slowed = replayed - best
        return Explained(
            ranks=tuple(self.ranks[at] for at in places),
            without_ns=without,
            only_ns=only,
            removed=(replayed - without) / slowed if slowed else None,
            added=(only - best) / slowed if slowed else None,
        )


def mean(times: Array) -> float:
    """Mean of times; 0 of nothing."""
    return float(times.mean()) if len(times) else 0.0


def ratio(time: float, best: float) -> float:
    """How many times as long as the best; 1 where that takes no time."""
    return time / best if best > 0 else 1.0
