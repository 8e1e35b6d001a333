"""How long tasks, and the recording of them, take on a chip. Times are picoseconds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.errors import UsageError
from lanescope.native import Array
from lanescope.platforms.sim.chip import Chip
from lanescope.platforms.sim.picoseconds import PS_PER_NS
from lanescope.platforms.sim.pmu_file import counter_unit
from lanescope.platforms.sim.timeline import undisturbed_ps
from lanescope.trace.flags import Feature
from lanescope.workloads.graph import TaskGraph, WorkKind
from lanescope.workloads.pipes import ROUTES, CoreRates


@dataclass(frozen=True, slots=True)
class RecordingOverhead:
    """What recording adds to each action of this run; 0 where the level does not record it."""

    core_ps: int
    """Paid by the core, per task."""
    task_ps: int
    """Paid by the scheduler, per finished task."""
    scheduler_phase_ps: int
    """Paid by a scheduler, per phase."""
    orchestrator_phase_ps: int
    """Paid by the orchestrator, per phase."""
    rotate_ps: int
    """Paid by whoever switches a buffer, per switch."""
    shared_ps: int
    """Paid by the orchestrator, per task that a scheduler finishes: what both share is busy."""


def record_costs(chip: Chip, features: Feature, protocol: str) -> RecordingOverhead:
    """Return what the run's recording adds to each action on this chip."""
    costs = chip.recording
    timing = bool(features & Feature.CHIP_SWIMLANE_CORE_TIMING)
    lifecycle = bool(features & Feature.CHIP_SWIMLANE_TASK_LIFECYCLE)
    per_task = {
        "staging": costs.staging_copy_ps,
        "controller-rotated": costs.count_ps,
        "producer-rotated": 0,
        "after-finish": costs.count_ps,
    }[protocol]
    phases = bool(features & Feature.CHIP_SWIMLANE_PHASE_BUFFERS)
    orchestrator = bool(features & Feature.CHIP_SWIMLANE_ORCHESTRATOR_PHASES)
    return RecordingOverhead(
        core_ps=costs.core_record_ps * timing,
        task_ps=per_task * timing + costs.controller_record_ps * lifecycle,
        scheduler_phase_ps=costs.scheduler_phase_ps * phases,
        orchestrator_phase_ps=costs.orchestrator_phase_ps * orchestrator,
        rotate_ps=costs.rotate_ps * timing,
        shared_ps=costs.staging_shared_ps * timing * (protocol == "staging"),
    )


def known_costs_ns(chip: Chip, features: Feature, protocol: str) -> dict[str, float]:
    """Return the ns per record of each kind, as a trace keeps them."""
    costs, own = record_costs(chip, features, protocol), chip.recording
    controller_ps = (
        own.controller_record_ps if Feature.CHIP_SWIMLANE_TASK_LIFECYCLE & features else 0
    )
    costs_ps = {
        "core_task": costs.core_ps,
        "core_moved": costs.task_ps - controller_ps,
        "staging_shared": costs.shared_ps,
        "controller_task": controller_ps,
        "scheduler_phase": costs.scheduler_phase_ps,
        "orchestrator_phase": costs.orchestrator_phase_ps,
        **_hardware_ps(chip, features),
    }
    return {kind: ps / PS_PER_NS for kind, ps in costs_ps.items() if ps}


def _hardware_ps(chip: Chip, features: Feature) -> dict[str, int]:
    """Return what counters cost per task, and what trace engines cost per task and burst."""
    costs_ps = {}
    if features & Feature.PMU and chip.pmu is not None:
        unit = counter_unit(chip.pmu.block)
        reading = unit.registers.reads_per_task * chip.pmu.register_read_ps
        by_core = unit.reader == "core"
        costs_ps["pmu_core"] = reading * by_core
        costs_ps["pmu_controller"] = chip.pmu.record_ps + reading * (not by_core)
    if features & Feature.CORE_SWIMLANE and chip.perfmon is not None:
        costs_ps["engine_drain"] = chip.perfmon.drain_ps
        costs_ps["burst"] = chip.perfmon.burst_ps
    return costs_ps


_SIMULATED = {WorkKind.NONE, WorkKind.SPIN, WorkKind.PIPES}


def core_rates(chip: Chip, kind: str) -> CoreRates:
    """Return the clock and the routes' rates of a core of this kind."""
    routes = {
        route: getattr(chip.memory, f"{route}_bytes_per_s")
        for route, place in ROUTES.items()
        if place.kind == kind
    }
    return CoreRates(chip.kind_hz(kind), routes)


def durations_ps(graph: TaskGraph, chip: Chip) -> Array:
    """Return how long each task runs if no other core uses the chip's memory."""
    if len(graph) and not set(graph.work.tolist()) <= _SIMULATED:
        raise UsageError(
            f"{graph.name} has tasks that copy, multiply or call a function; a simulated chip runs "
            "tasks of stated length, and kernels"
        )
    lengths = graph.amount * PS_PER_NS * (graph.work == WorkKind.SPIN)
    pipes = graph.work == WorkKind.PIPES
    pairs = np.unique(np.stack([graph.func[pipes], graph.kind[pipes]]), axis=1)
    for func, kind in pairs.T.tolist():
        kernel = graph.kernels[func]
        assert kernel is not None  # graph.check() saw to that
        same = pipes & (graph.func == func) & (graph.kind == kind)
        lengths[same] = undisturbed_ps(kernel, core_rates(chip, graph.kinds[kind]))
    return np.asarray(lengths, np.int64)
