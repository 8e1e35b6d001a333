"""One run of one configuration on a simulated chip.

A simulation gives the same answer every time. So every round draws the lengths that vary; where
none does, it changes the length of every task a little. All configurations of a round have the same
lengths.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from lanescope.capture import SessionNote, create_session
from lanescope.device.flags import level_features
from lanescope.overhead.sample import RunSample, sample_of
from lanescope.platforms.recording import Recording
from lanescope.platforms.sim.chip import Chip
from lanescope.platforms.sim.picoseconds import PS_PER_NS
from lanescope.platforms.sim.run import SimResult, region_config, simulate
from lanescope.platforms.sim.setup import SimSetup
from lanescope.workloads.graph import TaskGraph
from lanescope.workloads.lengths import Draw, drawn, varying_functions

JITTER = 0.02
"""A task takes up to this fraction longer or shorter than its workload says."""


def jittered(graph: TaskGraph, *seed: int) -> TaskGraph:
    """Draw the lengths that vary, or change every task's amount by up to JITTER where none does.

    A seed always gives the same graph.
    """
    if varying_functions(graph):
        return drawn(graph, Draw(*seed))
    draws = np.random.PCG64(np.array(seed, np.uint64)).random_raw(len(graph)).astype(np.uint64)
    part = (draws >> np.uint64(11)).astype(np.float64) / 2**53
    changed = np.rint(graph.amount * (1 + JITTER * (2 * part - 1))).astype(np.int64)
    return replace(graph, amount=changed)


def measure_simulated(
    graph: TaskGraph, chip: Chip, recording: Recording, *, pre_dispatch: int, directory: Path
) -> RunSample:
    """Simulate the graph once. `directory` holds the capture meanwhile and is then removed."""
    setup = SimSetup(
        chip=chip,
        features=level_features(recording.chip_swimlane),
        protocol=recording.protocol if recording.chip_swimlane else "producer-rotated",
        pre_dispatch=pre_dispatch,
    )
    if not setup.features:
        return _with_times(RunSample(0), simulate(graph, setup))
    config = region_config(graph, setup, recording)
    session = create_session(directory, config, note=SessionNote(graph.name, chip.name))
    try:
        result = simulate(
            graph, setup, region_address=session.region.address, host_tick=session.tick
        )
        session.stop()
        return _with_times(sample_of(session, 0, result.tasks_per_core), result)
    finally:
        session.discard()


def _with_times(sample: RunSample, result: SimResult) -> RunSample:
    """Put the simulated times into the sample; the makespan is that of the slowest scheduler."""
    return replace(
        sample,
        makespan_ns=max(result.scheduler_ps) // PS_PER_NS,
        orchestrator_ns=result.orchestrator_ps // PS_PER_NS,
    )
