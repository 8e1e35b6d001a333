"""The report: every analysis of one trace, computed once."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

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
    """Run every analysis, two at a time: numpy and the C library let go of Python's lock. Those
    that need much memory are not neighbours."""
    with ThreadPoolExecutor(max_workers=2) as pool:
        span = pool.submit(analyze.makespan, trace)
        graph, makespan = nodes(trace), span.result()
        found: dict[str, Future[Any]] = {
            "verdict": pool.submit(verdict, trace, graph, makespan.window),
            "functions": pool.submit(analyze.functions, trace),
            "capture": pool.submit(analyze.capture, trace, graph),
            "losses": pool.submit(analyze.losses, trace),
            "counters": pool.submit(analyze.counters, trace),
            "critical": pool.submit(critical, trace, graph, makespan.window),
            "controllers": pool.submit(analyze.controllers, trace),
            "suspects": pool.submit(suspects, trace),
            "inside": pool.submit(analyze.inside, trace),
            "slowest": pool.submit(analyze.slowest_instances, trace),
            "queues": pool.submit(analyze.queues, trace),
            "peer": pool.submit(peer_overhead, trace, graph),
        }
        results: dict[str, Any] = {name: one.result() for name, one in found.items()}
    return Report(makespan=makespan, **results)
