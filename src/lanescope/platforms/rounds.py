"""Several runs of one workload, each with lengths of its own: how much the makespan varies."""

from __future__ import annotations

import tempfile
from pathlib import Path

from lanescope.errors import UsageError
from lanescope.platforms.execute import execute
from lanescope.platforms.outcome import Makespans
from lanescope.platforms.recording import Recording
from lanescope.platforms.request import MachineRequest, RunRequest, is_simulated
from lanescope.trace import Trace
from lanescope.workloads.graph import TaskGraph
from lanescope.workloads.lengths import Draw, drawn, varying_functions

MOST_ROUNDS = 10_000


def check_rounds(graph: TaskGraph, request: RunRequest) -> None:
    """Refuse rounds and seeds that change nothing."""
    if request.seed is None and request.rounds == 1:
        return
    if not 1 <= request.rounds <= MOST_ROUNDS:
        raise UsageError(f"expected 1 to {MOST_ROUNDS:,} rounds, found {request.rounds}")
    if not is_simulated(request.machine.platform):
        raise UsageError(
            f"--seed and --rounds are for simulated chips; on {request.machine.platform} tasks "
            "take as long as they take"
        )
    if not varying_functions(graph):
        raise UsageError(
            f"no lengths of {graph.name} vary, so a seed changes nothing and all rounds are "
            "equal; say how they vary with GraphBuilder.vary(), or leave out --seed and --rounds"
        )


def with_lengths(graph: TaskGraph, machine: MachineRequest, draw: Draw) -> TaskGraph:
    """Return the graph with drawn lengths, if it runs on a simulated chip and some vary."""
    return drawn(graph, draw) if is_simulated(machine.platform) else graph


def run_rounds(
    graph: TaskGraph, machine: MachineRequest, recording: Recording, *, seed: int, rounds: int
) -> Makespans:
    """Run every round with the recording's costs, and keep the makespans alone."""
    found = []
    for number in range(rounds):
        with tempfile.TemporaryDirectory(prefix="lanescope-round-") as folder:
            one = with_lengths(graph, machine, Draw(seed, number))
            done = execute(one, machine, recording, directory=Path(folder, "round.capture"))
        found.append(done.makespan_ns)
    return Makespans(seed, tuple(found))


def with_note(trace: Trace, graph: TaskGraph, draw: Draw, rounds: int) -> Trace:
    """Return the trace with a note that says which lengths were drawn, and on which basis."""
    own = varying_functions(graph).items()
    names = ", ".join(f"{name} ({spread.basis})" for name, spread in own)
    which = f", round {draw.round} of {rounds}" if rounds > 1 else ""
    note = f"The lengths of {names} were drawn: seed {draw.seed}{which}."
    return trace.with_meta(notes=(*trace.meta.notes, note))
