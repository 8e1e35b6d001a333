"""A replica as if nothing had been recorded: the cost of every record is taken back where it was
paid. A replay then shows what that does to the makespan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from lanescope.native.replay import LANES
from lanescope.replay.correction.record_costs import records_of
from lanescope.replay.readings.buffers import Buffers
from lanescope.replay.readings.machine import ReplayMachine
from lanescope.replay.readings.served import PS, RangePs
from lanescope.replay.readings.submits import Submits
from lanescope.replay.replica import Replica
from lanescope.trace.meta import TELLS_FIRST
from lanescope.trace.schema import MISSING
from lanescope.trace.table import Array


def unrecorded(replica: Replica, cost_ns: Mapping[str, float]) -> Replica:
    """The replica without these costs: kind of cost (a key of PAID) → ns per record.

    No time becomes negative: a cost that is larger than the recorded time takes all of it.
    """
    costs, ps = replica.costs, {kind: round(ns * PS) for kind, ns in cost_ns.items()}
    core, reading = ps.get("core_task", 0), ps.get("pmu_core", 0)
    recording = replica.trace.meta.recording
    told_later = recording is not None and recording.protocol not in ("", *TELLS_FIRST)
    seen_later = reading + (core if told_later else 0)
    low, high = replica.calibration.seen_ps
    seen_ps = RangePs(max(low - seen_later, 0), max(high - seen_later, 0))
    return replace(
        replica,
        costs=replace(
            costs,
            core_record=max(costs.core_record - core - reading, 0),
            finish_latency=max(costs.finish_latency - seen_later, 0),
            task_record=max(costs.task_record - _per_task_ps(replica, ps), 0),
            scheduler_phase=max(costs.scheduler_phase - ps.get("scheduler_phase", 0), 0),
        ),
        calibration=replace(replica.calibration, seen_ps=seen_ps),
        machine=_machine(replica, ps),
        buffers=_buffers(replica, ps),
        submits=_submits(replica, ps),
    )


def _per_task_ps(replica: Replica, ps: Mapping[str, int]) -> int:
    """What a scheduler pays for each task that it sees end. Bursts count with their mean number."""
    per_task = ("core_moved", "controller_task", "pmu_controller", "engine_drain")
    bursts = records_of(replica.trace, "burst") / max(len(replica.units.rows), 1)
    return sum(ps.get(kind, 0) for kind in per_task) + round(bursts * ps.get("burst", 0))


def _buffers(replica: Replica, ps: Mapping[str, int]) -> Buffers:
    """Producers that record nothing fill no buffers."""
    silent = [lane in ps for lane in LANES]
    records = np.where(silent, 0, replica.buffers.records).astype(np.int32)
    return replace(replica.buffers, records=records)


def _machine(replica: Replica, ps: Mapping[str, int]) -> ReplayMachine:
    """Cores that held no tasks in advance because of their counters do so without them."""
    recording = replica.trace.meta.recording
    usual = recording.unrecorded_pre_dispatch if recording is not None else None
    if usual is None or not any(kind.startswith("pmu_") for kind in ps):
        return replica.machine
    return replace(replica.machine, pre_dispatch=usual)


def _submits(replica: Replica, ps: Mapping[str, int]) -> Submits:
    """The submits without the time for the orchestrator's records between them, and without the
    time by which schedulers that copied records held it up."""
    own, shared = ps.get("orchestrator_phase", 0), ps.get("staging_shared", 0)
    submits = replica.submits
    at_ns = replica.nodes.submit[submits.order]
    if not (own or shared) or (at_ns == MISSING).any():
        return submits
    trace = replica.trace
    mine = trace.phases["lane"] == trace.code("orchestrator")
    records = _between(at_ns, trace.phases["end_ns"][mine])
    copies = _between(at_ns, trace.tasks["finish_ns"])
    less_ps = records * own + copies * shared
    return replace(submits, cost_ps=np.maximum(submits.cost_ps - less_ps, 0))


def _between(at_ns: Array, moments_ns: Array) -> Array:
    """How many of the moments lie between each submit and the one before it."""
    known = np.sort(moments_ns[moments_ns != MISSING])
    return np.diff(np.searchsorted(known, at_ns, side="left"), prepend=0)
