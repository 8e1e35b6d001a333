"""One corrected figure, and how wide its interval is at least."""

from __future__ import annotations

from dataclasses import dataclass

from lanescope.replay.doubt import LEAST_DOUBT
from lanescope.results import Result


@dataclass(frozen=True, slots=True)
class Figure(Result):
    """One figure of the timeline: ns, or a share of 1 where `is_share`."""

    name: str
    of: str
    """The function, the kind of core or the thread that it is about; empty for the whole run."""
    recorded: float
    corrected: float
    """Without the profiler's cost."""
    low: float
    """The truth is expected between this …"""
    high: float
    """… and this."""
    is_share: bool = False


def widened(low: float, high: float, least: float) -> tuple[float, float]:
    """The two ends, further apart: by `least` and by LEAST_DOUBT of each on either side."""
    return max(low * (1 - LEAST_DOUBT) - least, 0.0), high * (1 + LEAST_DOUBT) + least
