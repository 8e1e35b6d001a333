"""The level that a budget allows, and whether the run kept to the budget."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import Any

from lanescope.platforms.budget.limits import RecordingBudget
from lanescope.platforms.recording import Recording
from lanescope.results import Result


@dataclass(frozen=True, slots=True)
class LevelOption(Result):
    """One level: its buffers, and the time it is expected to add.

    `share`, `low` and `high` are fractions of the unrecorded makespan: 0.02 is 2 %. They are None
    where nobody asked for them, or where nothing is known.
    """

    recording: Recording | None
    """The recording with buffers that fit; None where not even the smallest fit."""
    level: int
    region_bytes: int = 0
    share: float | None = None
    low: float | None = None
    high: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the figures; `fits_memory` stands for the recording."""
        return {
            "level": self.level,
            "fits_memory": self.recording is not None,
            "region_bytes": self.region_bytes,
            "share": self.share,
            "low": self.low,
            "high": self.high,
        }


@dataclass(frozen=True, slots=True)
class LevelChoice:
    """The level that was chosen, and what the choice rests on."""

    budget: RecordingBudget
    chosen: LevelOption
    options: tuple[LevelOption, ...]
    """All levels, from the highest that the user allowed down to 0."""
    unrecorded_ns: tuple[int, ...]
    """Makespans of the unrecorded runs that the others are compared with."""
    basis: str
    """Which runs and replays the expected times come from, in words."""

    @property
    def recording(self) -> Recording:
        """The recording of the chosen level."""
        recording = self.chosen.recording
        assert recording is not None  # a level that does not fit is never chosen
        return recording


@dataclass(frozen=True, slots=True)
class BudgetOutcome(Result):
    """What the run took in the end."""

    share: float | None
    """Extra time as a fraction of the median unrecorded makespan; None without unrecorded runs."""
    region_bytes: int
    kept: bool | None
    """Whether the run kept to its budget. None: the unrecorded runs differ from each other by more
    than the budget, so one run cannot tell."""


@dataclass(frozen=True, slots=True)
class BudgetReport(Result):
    """A choice, and what the run that followed took."""

    choice: LevelChoice
    measured: BudgetOutcome

    def to_dict(self) -> dict[str, Any]:
        """Return the budget, the chosen level with its buffers, all levels, and the outcome."""
        choice = self.choice
        level = choice.chosen.level
        return {
            "share": choice.budget.share,
            "memory_bytes": choice.budget.memory_bytes,
            "level": level,
            "buffers": choice.recording.buffers if level else 0,
            "buffer_records": choice.recording.buffer_records if level else 0,
            "options": [option.to_dict() for option in choice.options],
            "basis": choice.basis,
            "unrecorded_ns": list(choice.unrecorded_ns),
            "measured": self.measured.to_dict(),
        }


def outcome_of(choice: LevelChoice, makespan_ns: int, region_bytes: int) -> BudgetOutcome:
    """Compare a run with its budget."""
    budget, unrecorded_ns = choice.budget, choice.unrecorded_ns
    fits = budget.memory_bytes is None or region_bytes <= budget.memory_bytes
    if budget.share is None or not unrecorded_ns:
        return BudgetOutcome(None, region_bytes, fits)
    if not choice.chosen.level:  # nothing was recorded, so nothing was added
        return BudgetOutcome(0.0, region_bytes, fits)
    share = makespan_ns / max(median(unrecorded_ns), 1) - 1
    if budget.allows(share):
        return BudgetOutcome(share, region_bytes, fits)
    could_be = budget.allows(makespan_ns / max(*unrecorded_ns, 1) - 1)
    return BudgetOutcome(share, region_bytes, None if could_be and fits else False)
