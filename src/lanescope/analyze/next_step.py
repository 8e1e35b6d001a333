"""What to do next about a run: a few changes with what each would give, and the command to ask."""

from __future__ import annotations

from dataclasses import dataclass

from lanescope.results import Result

TRACE = "TRACE"
"""Stands in a command for the trace, whose place only the caller knows."""
MOST_STEPS = 3


@dataclass(frozen=True, slots=True)
class NextStep(Result):
    """A change that is worth a try, and what it would give."""

    what: str
    """The change, in a few words."""
    change: float
    """What it makes of the run's length, less 1: -0.03 is 3 % shorter."""
    low_change: float
    high_change: float
    """The truth is expected between these two."""
    foreseen: bool
    """Whether a replay of the run says so. Else `change` is the most that it can give."""
    command: tuple[str, ...]
    """Words behind `lanescope` that tell more; `TRACE` is the trace."""


@dataclass(frozen=True, slots=True)
class NextSteps(Result):
    """What would pay, best first, or why nobody can say."""

    steps: tuple[NextStep, ...]
    reason: str = ""
    """Why there are none, a sentence; empty where there are some."""
