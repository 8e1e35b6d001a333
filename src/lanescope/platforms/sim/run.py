"""Runs a task graph on a simulated chip."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from lanescope.capture import SessionNote, create_session
from lanescope.device.head import Core
from lanescope.device.region import RegionConfig
from lanescope.errors import LanescopeError, UsageError
from lanescope.native.machine import run_machine
from lanescope.platforms.recording import Recording, features_of, plan_of, recorded_region
from lanescope.platforms.sim.chip import Chip
from lanescope.platforms.sim.costs import known_costs_ns
from lanescope.platforms.sim.driver import CORE_SOURCES, through_channels, without_drains
from lanescope.platforms.sim.engine import ASSUMED, Behaviour
from lanescope.platforms.sim.fitting import check_fit
from lanescope.platforms.sim.given import core_codes, machine_costs, machine_input
from lanescope.platforms.sim.hooks import hooks_of
from lanescope.platforms.sim.perfmon import require_engine
from lanescope.platforms.sim.pmu import SINGLE_ISSUE, choose
from lanescope.platforms.sim.roofs import work_of
from lanescope.platforms.sim.setup import SimRun, SimSetup
from lanescope.platforms.sim.truth import Truth
from lanescope.trace import Trace
from lanescope.trace.flags import Feature
from lanescope.trace.meta import RecordingFacts
from lanescope.workloads.graph import TaskGraph

if TYPE_CHECKING:
    from lanescope.platforms.sim.computation import Computation


@dataclass(frozen=True, slots=True)
class SimResult:
    """Simulated times of one run."""

    makespan_ps: int
    orchestrator_ps: int
    """Time until the orchestrator had submitted everything."""
    scheduler_ps: tuple[int, ...]
    """Time until each scheduler had nothing left to do."""
    tasks_per_core: tuple[int, ...]
    truth: Truth | None
    """What really happened; None where it was not asked for."""
    engine_stop_ps: int = 0
    """How long it took after the last task to stop and empty the trace engines; 0 without them."""


def simulate(
    graph: TaskGraph,
    setup: SimSetup,
    *,
    region_address: int = 0,
    host_tick: Callable[[], int] = lambda: 0,
    keep_truth: bool = False,
    computation: Computation | None = None,
) -> SimResult:
    """Simulate a graph to its end.

    With a region everything is recorded there, and `host_tick` drains it. With a `computation` the
    tasks also compute; that takes no simulated time.
    """
    graph.check()
    check_fit(graph, setup.chip)
    given = machine_input(graph, setup, region_address=region_address)
    run = SimRun(
        graph=graph,
        setup=setup,
        core_kinds=core_codes(graph, setup.chip),
        truth=Truth() if keep_truth else None,
    )
    found = run_machine(given, machine_costs(setup), hooks_of(run, host_tick, computation))
    if found.answer:
        raise LanescopeError(
            f"the simulation of {graph.name} stopped at {found.now_ps} ps with "
            f"{found.done} of {len(graph)} tasks done; this is a defect of the simulator"
        )
    return SimResult(
        makespan_ps=max((*found.scheduler_ps, *found.orchestrator_ps)),
        orchestrator_ps=max(found.orchestrator_ps, default=0),
        scheduler_ps=found.scheduler_ps,
        tasks_per_core=found.sent,
        truth=run.truth,
        engine_stop_ps=found.engine_stop_ps,
    )


@dataclass(frozen=True, slots=True)
class SimOutcome:
    """A simulated run, and its trace unless nothing was recorded."""

    result: SimResult
    trace: Trace | None
    region_bytes: int
    spool_bytes: int


def simulate_recorded(
    graph: TaskGraph,
    chip: Chip,
    recording: Recording,
    *,
    directory: Path,
    pre_dispatch: int = 1,
    keep_truth: bool = False,
    computation: Computation | None = None,
    engine: Behaviour = ASSUMED,
) -> SimOutcome:
    """Simulate a graph and record it; `directory` holds the capture until its trace is saved."""
    pmu = choose(chip, recording.pmu)
    by_driver = _by_driver(chip, recording)
    if by_driver:
        chip = without_drains(chip)
    setup = SimSetup(
        chip=chip,
        features=features_of(recording),
        protocol=recording.protocol,
        pre_dispatch=pmu.held_in_advance(pre_dispatch) if pmu else pre_dispatch,
        first_token=recording.first_token,
        pmu=pmu,
        engine=engine,
    )
    if not setup.features:
        result = simulate(graph, setup, keep_truth=keep_truth, computation=computation)
        return SimOutcome(result, None, 0, 0)
    config = region_config(graph, setup, recording)
    note = SessionNote(graph.name, chip.name)
    session = create_session(directory, config, note=note, plan=_plan(graph, setup))
    try:
        result = simulate(
            graph,
            setup,
            region_address=session.region.address,
            host_tick=session.tick,
            keep_truth=keep_truth,
            computation=computation,
        )
        session.region.mark_stopped()
    except LanescopeError:
        session.stop()
        session.discard()
        raise
    session.stop()
    trace = session.reconcile()
    if setup.pre_dispatch < pre_dispatch:
        trace = trace.with_meta(notes=(*trace.meta.notes, SINGLE_ISSUE))
    facts = msgspec.structs.replace(
        trace.meta.recording or RecordingFacts(),
        record_costs_ns=known_costs_ns(chip, setup.features, setup.protocol),
        unrecorded_pre_dispatch=pre_dispatch,
    )
    trace = trace.with_meta(origin="simulated", recording=facts)
    if by_driver:
        trace = through_channels(trace, chip, 0)
    size = int(session.region.head.header["region_bytes"])
    return SimOutcome(result, trace, size, session.spool_bytes)


def _by_driver(chip: Chip, recording: Recording) -> bool:
    """Say whether the core swimlane comes through the driver's channels.

    Refuses a source that does not exist, and a chip without trace engines.
    """
    if recording.core_source not in CORE_SOURCES:
        known = ", ".join(CORE_SOURCES)
        raise UsageError(f"expected a core source ({known}), found {recording.core_source!r}")
    if recording.core_swimlane:
        require_engine(chip)
    return recording.core_swimlane and recording.core_source == "driver"


def _plan(graph: TaskGraph, setup: SimSetup) -> Trace:
    """The graph, and what the capture must know to read the records."""
    chip, pmu = setup.chip, setup.pmu
    kinds = chip.core_kinds() if setup.features & Feature.CORE_SWIMLANE else ()
    recording = RecordingFacts(
        pmu_events=(pmu.group.number,) if pmu is not None else (),
        pmu_counters=tuple(pmu.names()) if pmu is not None else (),
        core_hz={kind: chip.kind_hz(kind) for kind in dict.fromkeys(kinds)},
    )
    return plan_of(graph).with_meta(recording=recording, work=work_of(graph, chip))


def region_config(graph: TaskGraph, setup: SimSetup, recording: Recording) -> RegionConfig:
    """Return the region that this run needs."""
    chip = setup.chip
    cores = tuple(
        Core(kind, cluster, cluster % chip.schedulers)
        for kind, cluster in zip(chip.core_kinds(), chip.clusters_of(), strict=True)
    )
    return recorded_region(
        graph,
        recording,
        cores=cores,
        schedulers=chip.schedulers,
        orchestrators=chip.orchestrators,
        pre_dispatch=setup.pre_dispatch,
        clock_hz=chip.clock.counter_hz,
        own_clock=False,
    )
