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
    """Time from the start until every task was submitted; simulated chips only."""
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

    def to_dict(self) -> dict[str, Any]:
        """Return the figures of the run without its trace; `budget` only where there is one."""
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
        return figures if self.budget is None else {**figures, "budget": self.budget.to_dict()}
