"""The report: every analysis of one trace, computed once."""

from __future__ import annotations

from dataclasses import dataclass

from lanescope import analyze
from lanescope.analyze.critical import Critical, critical
from lanescope.analyze.nodes import nodes
from lanescope.analyze.peer import PeerOverhead, peer_overhead
from lanescope.analyze.suspects import Suspects, suspects
from lanescope.analyze.verdict import Verdict, verdict
from lanescope.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class Report:
    """The results that every form of the report shows."""

    verdict: Verdict
    suspects: Suspects
    critical: Critical
    capture: analyze.Capture
    losses: analyze.Losses
    makespan: analyze.Makespan
    functions: analyze.Functions
    inside: analyze.Inside
    slowest: tuple[analyze.Slowest, ...]
    controllers: tuple[analyze.Controller, ...]
    queues: tuple[analyze.QueueDepth, ...]
    counters: analyze.Counters
    peer: PeerOverhead | None


def build_report(trace: Trace) -> Report:
    """Run every analysis."""
    graph, makespan = nodes(trace), analyze.makespan(trace)
    return Report(
        verdict=verdict(trace, graph, makespan.window),
        suspects=suspects(trace),
        critical=critical(trace, graph, makespan.window),
        capture=analyze.capture(trace),
        losses=analyze.losses(trace),
        makespan=makespan,
        functions=analyze.functions(trace),
        inside=analyze.inside(trace),
        slowest=analyze.slowest_instances(trace),
        controllers=analyze.controllers(trace),
        queues=analyze.queues(trace),
        counters=analyze.counters(trace),
        peer=peer_overhead(trace, graph),
    )
