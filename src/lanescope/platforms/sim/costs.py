"""What a graph's tasks and their recording cost on a chip. Picoseconds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from lanescope.errors import UsageError
from lanescope.platforms.sim.chip import Chip
from lanescope.platforms.sim.kernel import PS_PER_NS
from lanescope.platforms.sim.pmu_file import counter_unit
from lanescope.platforms.sim.timeline import undisturbed_ps
from lanescope.trace.flags import Feature
from lanescope.workloads.graph import TaskGraph, WorkKind
from lanescope.workloads.pipes import ROUTES, CoreRates


@dataclass(frozen=True, slots=True)
class RecordingOverhead:
    """What recording adds to each action in this run: 0 where the level leaves it out."""

    core_ps: int
    task_ps: int
    """controller, per finished task"""
    scheduler_phase_ps: int
    orchestrator_phase_ps: int
    rotate_ps: int
    shared_ps: int
    """orchestrator, per task that a scheduler finishes: what they share is busy"""


def record_costs(chip: Chip, features: Feature, protocol: str) -> RecordingOverhead:
    """The chip's costs of what the run records."""
    costs = chip.recording
    timing = bool(features & Feature.CHIP_SWIMLANE_CORE_TIMING)
    lifecycle = bool(features & Feature.CHIP_SWIMLANE_TASK_LIFECYCLE)
    per_task = {
        "staging": costs.staging_copy_ps,
        "controller-rotated": costs.count_ps,
        "producer-rotated": 0,
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
    """The same per record, as a trace keeps it: kinds of `record_costs`."""
    costs, own = record_costs(chip, features, protocol), chip.recording
    controller_ps = (
        own.controller_record_ps if Feature.CHIP_SWIMLANE_TASK_LIFECYCLE & features else 0
    )
    found_ps = {
        "core_task": costs.core_ps,
        "core_moved": costs.task_ps - controller_ps,
        "staging_shared": costs.shared_ps,
        "controller_task": controller_ps,
        "scheduler_phase": costs.scheduler_phase_ps,
        "orchestrator_phase": costs.orchestrator_phase_ps,
        **_hardware_ps(chip, features),
    }
    return {kind: ps / PS_PER_NS for kind, ps in found_ps.items() if ps}


def _hardware_ps(chip: Chip, features: Feature) -> dict[str, int]:
    """What reading counters costs per task, and what trace engines cost per task and burst."""
    found = {}
    if features & Feature.PMU and chip.pmu is not None:
        unit = counter_unit(chip.pmu.block)
        reading = unit.registers.reads_per_task * chip.pmu.register_read_ps
        by_core = unit.reader == "core"
        found["pmu_core"] = reading * by_core
        found["pmu_controller"] = chip.pmu.record_ps + reading * (not by_core)
    if features & Feature.CORE_SWIMLANE and chip.perfmon is not None:
        found["engine_drain"], found["burst"] = chip.perfmon.drain_ps, chip.perfmon.burst_ps
    return found


_SIMULATED = {WorkKind.NONE, WorkKind.SPIN, WorkKind.PIPES}


def core_rates(chip: Chip, kind: str) -> CoreRates:
    """How fast a core of this kind is."""
    routes = {
        route: getattr(chip.memory, f"{route}_bytes_per_s")
        for route, place in ROUTES.items()
        if place.kind == kind
    }
    return CoreRates(chip.kind_hz(kind), routes)


def durations_ps(graph: TaskGraph, rates: Mapping[str, CoreRates]) -> list[int]:
    """How long each task runs with the chip's memory to itself."""
    if len(graph) and not set(graph.work.tolist()) <= _SIMULATED:
        raise UsageError(
            f"{graph.name} has tasks that copy, multiply or call a function; a simulated chip runs "
            "tasks of stated length, and kernels"
        )
    lengths = graph.amount * PS_PER_NS * (graph.work == WorkKind.SPIN)
    for task in np.flatnonzero(graph.work == WorkKind.PIPES).tolist():
        kernel = graph.kernels[graph.func[task]]
        assert kernel is not None  # graph.check() saw to that
        lengths[task] = undisturbed_ps(kernel, rates[graph.kinds[graph.kind[task]]])
    found: list[int] = lengths.tolist()
    return found
