"""What a run gave, on whichever platform."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lanescope.dump.manifest import Totals
from lanescope.platforms.budget.choice import BudgetReport
from lanescope.platforms.cuda.program import Check
from lanescope.results import Result, plain
from lanescope.trace import Trace


@dataclass(frozen=True, slots=True)
class Makespans(Result):
    """The makespans of all rounds of one seed."""

    seed: int
    makespans_ns: tuple[int, ...]

    @property
    def kept(self) -> int:
        """The round whose trace is kept: that of the median makespan, of two the shorter."""
        order = sorted(range(len(self.makespans_ns)), key=lambda k: (self.makespans_ns[k], k))
        return order[(len(order) - 1) // 2]

    @property
    def median_ns(self) -> int:
        """The makespan of the kept round."""
        return self.makespans_ns[self.kept]

    def to_dict(self) -> dict[str, Any]:
        """Return the makespans, their median, least and most, and which round was kept."""
        return {
            "seed": self.seed,
            "kept": self.kept,
            "median_ns": self.median_ns,
            "least_ns": min(self.makespans_ns),
            "most_ns": max(self.makespans_ns),
            "makespans_ns": list(self.makespans_ns),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOutcome(Result):
    """One run: its trace, how long it took, and what was written meanwhile."""

    trace: Trace | None
    """What was recorded; None at level 0, which records nothing."""
    makespan_ns: int
    tasks_per_core: tuple[int, ...]
    tasks_done: int
    region_bytes: int
    spool_bytes: int
    interrupted: bool = False
    orchestrator_ns: int | None = None
    """Time from the start until every task was submitted; simulated chips with an orchestrator
    only."""
    scheduler_ns: int | None = None
    """Time from the start until the last scheduler had nothing left to do; simulated chips only."""
    tensors: Totals | None = None
    """Counts of the tensor dump; None where no dump was asked for."""
    check: Check | None = None
    """Comparison of the computed values with a reference; GPUs only."""
    capture: Path | None = None
    """Folder that holds the capture, where that is not the folder that was asked for."""
    budget: BudgetReport | None = None
    """Which level the budget allowed, and whether the run kept to it; None without a budget."""
    rounds: Makespans | None = None
    """The makespans of all rounds; None where there was one."""

    def to_dict(self) -> dict[str, Any]:
        """Return the figures of the run without its trace.

        `budget` and `rounds` are there only where they were asked for.
        """
        figures = {
            "makespan_ns": self.makespan_ns,
            "orchestrator_ns": self.orchestrator_ns,
            "scheduler_ns": self.scheduler_ns,
            "tasks_done": self.tasks_done,
            "tasks_per_core": list(self.tasks_per_core),
            "region_bytes": self.region_bytes,
            "spool_bytes": self.spool_bytes,
            "interrupted": self.interrupted,
            "tensors": plain(self.tensors),
            "check": plain(self.check),
        }
        asked = {"budget": self.budget, "rounds": self.rounds}
        return figures | {name: one.to_dict() for name, one in asked.items() if one is not None}
