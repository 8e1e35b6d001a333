"""The report: every analysis of one trace, computed once."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from lanescope.analyze.controllers.peer import PeerOverhead, peer_overhead
from lanescope.analyze.controllers.queues import QueueDepth, queues
from lanescope.analyze.controllers.threads import Controller, controllers
from lanescope.analyze.cores.makespan import Makespan, makespan
from lanescope.analyze.cores.suspects import Suspects, suspects
from lanescope.analyze.cores.verdict import Verdict, verdict
from lanescope.analyze.graph.critical import Critical, critical
from lanescope.analyze.graph.nodes import nodes
from lanescope.analyze.inside.instances import Slowest, slowest_instances
from lanescope.analyze.inside.pipes import Inside, inside
from lanescope.analyze.recording.captured import Capture, capture
from lanescope.analyze.recording.losses import Losses, losses
from lanescope.analyze.tasks.counters import Counters, counters
from lanescope.analyze.tasks.functions import Functions, functions
from lanescope.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class Report:
    """The results that every form of the report shows."""

    verdict: Verdict
    suspects: Suspects
    critical: Critical
    capture: Capture
    losses: Losses
    makespan: Makespan
    functions: Functions
    inside: Inside
    slowest: tuple[Slowest, ...]
    controllers: tuple[Controller, ...]
    queues: tuple[QueueDepth, ...]
    counters: Counters
    peer: PeerOverhead | None


def build_report(trace: Trace) -> Report:
    """Run every analysis, two at a time: numpy and the C library let go of Python's lock. Those
    that need much memory are not neighbours."""
    with ThreadPoolExecutor(max_workers=2) as pool:
        span = pool.submit(makespan, trace)
        graph, whole = nodes(trace), span.result()
        found: dict[str, Future[Any]] = {
            "verdict": pool.submit(verdict, trace, graph, whole.window),
            "functions": pool.submit(functions, trace),
            "capture": pool.submit(capture, trace, graph),
            "losses": pool.submit(losses, trace),
            "counters": pool.submit(counters, trace),
            "critical": pool.submit(critical, trace, graph, whole.window),
            "controllers": pool.submit(controllers, trace),
            "suspects": pool.submit(suspects, trace),
            "inside": pool.submit(inside, trace),
            "slowest": pool.submit(slowest_instances, trace),
            "queues": pool.submit(queues, trace),
            "peer": pool.submit(peer_overhead, trace, graph),
        }
        results: dict[str, Any] = {name: one.result() for name, one in found.items()}
    return Report(makespan=whole, **results)
