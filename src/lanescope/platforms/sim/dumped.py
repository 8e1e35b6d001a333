"""Simulates a run and dumps what its tasks read and wrote."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from pathlib import Path

from lanescope.dump.manifest import Totals
from lanescope.dump.write import DumpFile, DumpRequest
from lanescope.platforms.recording import Recording
from lanescope.platforms.sim.chip import Chip
from lanescope.platforms.sim.computation import Computation
from lanescope.platforms.sim.run import SimOutcome, simulate_recorded
from lanescope.platforms.sim.selection import select
from lanescope.trace import Trace
from lanescope.trace.flags import Feature
from lanescope.workloads.graph import TaskGraph


def simulate_dumped(
    graph: TaskGraph,
    chip: Chip,
    recording: Recording,
    *,
    request: DumpRequest,
    directory: Path,
    pre_dispatch: int = 1,
) -> tuple[SimOutcome, Totals]:
    """Run, record and dump; a run that fails leaves no dump behind."""
    graph.check()
    selection = select(request.select, graph)
    with DumpFile(request, graph.name) as file:
        computation = Computation(graph, file=file, selection=selection)
        outcome = simulate_recorded(
            graph,
            chip,
            recording,
            directory=directory,
            pre_dispatch=pre_dispatch,
            computation=computation,
        )
        computation.capture_until(inf)
    totals = file.totals
    if outcome.trace is not None:
        outcome = replace(outcome, trace=_with_dump(outcome.trace, totals))
    return outcome, totals


def _with_dump(trace: Trace, totals: Totals) -> Trace:
    """Note in the trace that there is a dump, and that it is incomplete if space ran out."""
    flags = trace.meta.flags | Feature.DUMP_TENSOR
    problem = totals.problem
    notes = (f"The tensor dump is not whole: {problem}.",) if problem else ()
    return trace.with_meta(flags=int(flags), notes=(*trace.meta.notes, *notes))
