"""The report: every analysis of one trace, computed once."""

from __future__ import annotations

from dataclasses import dataclass

from lanescope import analyze
from lanescope.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class Report:
    """The results that every form of the report shows."""

    capture: analyze.Capture
    losses: analyze.Losses
    makespan: analyze.Makespan
    functions: analyze.Functions
    inside: analyze.Inside
    slowest: tuple[analyze.Slowest, ...]
    controllers: tuple[analyze.Controller, ...]
    queues: tuple[analyze.QueueDepth, ...]
    counters: analyze.Counters


def build_report(trace: Trace) -> Report:
    """Run every analysis."""
    return Report(
        capture=analyze.capture(trace),
        losses=analyze.losses(trace),
        makespan=analyze.makespan(trace),
        functions=analyze.functions(trace),
        inside=analyze.inside(trace),
        slowest=analyze.slowest_instances(trace),
        controllers=analyze.controllers(trace),
        queues=analyze.queues(trace),
        counters=analyze.counters(trace),
    )
