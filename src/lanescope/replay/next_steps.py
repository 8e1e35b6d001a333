"""What to do next about a recorded run. Replays are loaded only where there will be one."""

from __future__ import annotations

from lanescope.analyze.next_step import NextSteps
from lanescope.trace.trace import Trace

MOST_RUNS = 10_000
"""Runs of tasks up to which a report asks for the gains itself: it takes about a second then."""


def next_steps(trace: Trace) -> NextSteps:
    """The changes of one run that shorten it most; of a long run nothing is foreseen unasked."""
    runs = int(trace.ran().sum())
    if runs > MOST_RUNS:
        return NextSteps((), f"With {runs:,} runs of tasks that takes a while: ask for it.")
    from lanescope.replay.paying import paying_steps

    return paying_steps(trace)
