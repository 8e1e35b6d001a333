"""A graph and a chip as the machine's input (`lanescope.native.machine`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lanescope.native import Array
from lanescope.native.machine import EARLY, TOGETHER, MachineCosts, cost_meanings
from lanescope.platforms.sim.chip import Chip
from lanescope.platforms.sim.costs import core_rates, durations_ps, record_costs
from lanescope.platforms.sim.setup import PmuChoice, SimSetup
from lanescope.platforms.sim.timeline import lengths_ps
from lanescope.trace.flags import Feature
from lanescope.trace.meta import TELLS_FIRST
from lanescope.workloads.graph import TaskGraph, WorkKind
from lanescope.workloads.lengths import units_of

_DEPTHS = 3
"""Ready queues whose depths are in the records of phases; the plan names them."""


def machine_input(graph: TaskGraph, setup: SimSetup, *, region_address: int) -> dict[str, Any]:
    """Return the machine's input: the graph on the chip, and where it is recorded."""
    chip, features = setup.chip, setup.features
    offsets, successors = graph.successors()
    mixed = graph.partners is not None and bool(graph.partners.any())
    return {
        "tasks": len(graph),
        "first": offsets,
        "target": successors,
        "func": graph.func,
        "kind": graph.kind,
        "node": graph.nodes,
        "blocks": graph.blocks,
        "partners": graph.partners,
        "partner_kind": _partner_kinds(graph),
        "manner": _manners(graph),
        "wait": None if graph.wait_ns is None else graph.wait_ns * 1000,
        **_lengths(graph, chip),
        **_scopes(graph),
        **_kernels(graph, chip),
        **_cores(graph, chip),
        **_submits(graph, chip, offsets, successors),
        "schedulers": chip.schedulers,
        "pre_dispatch": setup.pre_dispatch,
        "release_tasks": chip.scheduler.release_tasks if chip.orchestrators else 0,
        "sweeps": chip.scheduler.sweeps,
        "region": region_address,
        "first_token": setup.first_token,
        "core_rotates": int(setup.protocol == "producer-rotated"),
        "tells_first": int(setup.protocol in TELLS_FIRST),
        "records_phases": int(bool(features & Feature.CHIP_SWIMLANE_PHASE_BUFFERS)),
        "records_submits": int(bool(features & Feature.CHIP_SWIMLANE_ORCHESTRATOR_PHASES)),
        "depth_queues": min(len(graph.kinds), _DEPTHS - 1 if mixed else _DEPTHS),
        "depth_mixed": int(mixed),
        "reads_counters": int(setup.pmu is not None),
        "reads_engines": int(bool(features & Feature.CORE_SWIMLANE)),
    }


def machine_costs(setup: SimSetup) -> MachineCosts:
    """Return the chip's costs; what recording adds depends on the level and the protocol."""
    chip = setup.chip
    own = {
        name: getattr(getattr(chip, about.section), f"{name}_ps", 0)
        for name, about in cost_meanings().items()
        if about.section in ("orchestrator", "scheduler", "link", "core")
    }
    own["dispatch"] += chip.scheduler.contention_ps * (chip.schedulers - 1)
    added = record_costs(chip, setup.features, setup.protocol)
    return MachineCosts(
        **own,
        core_record=added.core_ps,
        task_record=added.task_ps,
        staging_shared=added.shared_ps,
        scheduler_phase=added.scheduler_phase_ps,
        orchestrator_phase=added.orchestrator_phase_ps,
        resolve_least=chip.recording.resolve_least_ps,
        rotate=added.rotate_ps,
        host_latency=chip.recording.host_latency_ps,
        **_hardware(chip, setup.pmu, setup.features),
    )


def _hardware(chip: Chip, pmu: PmuChoice | None, features: Feature) -> dict[str, int]:
    """Return what reading counters and trace engines takes a controller."""
    costs: dict[str, int] = {}
    if pmu is not None and chip.pmu is not None:
        costs["counters_record"] = chip.pmu.record_ps
        if not pmu.by_core:
            reads = pmu.unit.registers.reads_per_task
            costs["counters_read"] = reads * chip.pmu.register_read_ps
    if features & Feature.CORE_SWIMLANE and chip.perfmon is not None:
        costs["drain"], costs["burst"] = chip.perfmon.drain_ps, chip.perfmon.burst_ps
    return costs


def core_codes(graph: TaskGraph, chip: Chip) -> list[int]:
    """Return each core's kind as its code in the graph; -1: no task needs it."""
    codes = {kind: code for code, kind in enumerate(graph.kinds)}
    return [codes.get(kind, -1) for kind in chip.core_kinds()]


def _cores(graph: TaskGraph, chip: Chip) -> dict[str, Any]:
    """One scheduler serves all cores of a cluster."""
    clusters = np.array(chip.clusters_of(), np.int64)
    by_cluster = np.argsort(clusters, kind="stable")
    sizes = np.bincount(clusters, minlength=chip.clusters)
    return {
        "cores": len(clusters),
        "kinds": len(graph.kinds),
        "core_kind": np.array(core_codes(graph, chip), np.int64),
        "core_scheduler": clusters % chip.schedulers,
        "clusters": len(sizes),
        "cluster_first": np.concatenate([[0], np.cumsum(sizes)]),
        "cluster_cores": by_cluster,
    }


def _lengths(graph: TaskGraph, chip: Chip) -> dict[str, Any]:
    """How long tasks run, and each of their units where lengths were drawn."""
    by_task = durations_ps(graph, chip)
    if graph.unit_ps is None:
        return {"length": by_task}
    units = units_of(graph)
    stated = np.repeat(graph.work == WorkKind.SPIN, units)
    return {
        "length": by_task,
        "unit_first": np.concatenate([[0], np.cumsum(units)]),
        "unit_length": np.where(stated, graph.unit_ps, np.repeat(by_task, units)),
    }


def _partner_kinds(graph: TaskGraph) -> Array | None:
    if graph.partners is None:
        return None
    code = graph.kinds.index("aiv") if "aiv" in graph.kinds else -1
    return np.full(len(graph), code)


def _manners(graph: TaskGraph) -> Array | None:
    if graph.early is None and graph.together is None:
        return None
    manner = np.zeros(len(graph), np.int64)
    if graph.early is not None:
        manner |= EARLY * graph.early.astype(np.int64)
    if graph.together is not None:
        manner |= TOGETHER * graph.together.astype(np.int64)
    return manner


def _scopes(graph: TaskGraph) -> dict[str, Any]:
    """Scopes, and which of them end before each task, the lower number first."""
    if graph.scopes is None or not len(graph.scopes):
        return {}
    ends = graph.scopes[:, 1]
    first = np.zeros(len(graph) + 2, np.int64)
    np.cumsum(np.bincount(ends, minlength=len(graph) + 1), out=first[1:])
    return {
        "scopes": graph.scopes.ravel(),
        "scope_count": len(graph.scopes),
        "ending_first": first,
        "ending": np.argsort(ends, kind="stable"),
    }


def _submits(graph: TaskGraph, chip: Chip, offsets: Array, successors: Array) -> dict[str, Any]:
    places = chip.orchestrator.window_tasks
    if len(graph) <= places or not chip.orchestrators:
        return {"orchestrators": chip.orchestrators}
    return {
        "orchestrators": chip.orchestrators,
        "window": places,
        "consumers": _sorted_within(offsets, successors),
    }


def _sorted_within(offsets: Array, successors: Array) -> Array:
    """Return the successors of each task in rising order."""
    falls = np.flatnonzero(successors[1:] < successors[:-1]) + 1
    if np.isin(falls, offsets).all():
        return successors
    owner = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    return np.asarray(successors[np.lexsort((successors, owner))])


def _kernels(graph: TaskGraph, chip: Chip) -> Mapping[str, Any]:
    """The kernels that move data through a memory that other cores may be using."""
    rate = chip.memory.hbm_bytes_per_s
    shares = [ops is not None and ops.shared_total > 0 for ops in graph.kernels]
    if rate is None or not any(shares):
        return {}
    kernel = np.full(len(graph), -1, np.int64)
    first, lengths, moved, before, after_first, after = [0], [], [], [], [0], []
    pairs = np.unique(np.stack([graph.func, graph.kind]), axis=1).T.tolist()
    for func, kind in pairs:
        if not shares[func]:
            continue
        ops = graph.kernels[func]
        assert ops is not None
        kernel[(graph.func == func) & (graph.kind == kind)] = len(first) - 1
        lengths += lengths_ps(ops, core_rates(chip, graph.kinds[kind]))
        moved += ops.shared_bytes
        before += [len(earlier) for earlier in ops.order.before]
        for later in ops.order.after:
            after += later
            after_first.append(len(after))
        first.append(len(lengths))
    arrays = {
        "kernel": kernel,
        "kernel_first": first,
        "op_length": lengths,
        "op_bytes": moved,
        "op_before": before,
        "op_after_first": after_first,
        "op_after": after,
    }
    arrays = {name: np.array(values, np.int64) for name, values in arrays.items()}
    return {**arrays, "memory_bytes_per_s": rate}
