"""A recorded run's model as if nothing had been recorded: every record's cost taken back where it
was paid. The dependency structure decides what that does to the makespan: the model is replayed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from lanescope.native.replay import LANES
from lanescope.replay.correction.record_costs import records_of
from lanescope.replay.readings.buffers import Buffers
from lanescope.replay.readings.served import PS
from lanescope.replay.replica import Machine, Model
from lanescope.trace.schema import MISSING
from lanescope.trace.table import Array

PRODUCER = "producer-rotated"
"""With this protocol a core tells that a task ended before it writes the record."""


def unrecorded(model: Model, cost_ns: Mapping[str, float]) -> Model:
    """The model without these costs, ns per record (kinds of `record_costs`). What the records show
    is never made negative: a cost that is larger than what was measured takes all of it."""
    costs, ps = model.costs, {kind: round(ns * PS) for kind, ns in cost_ns.items()}
    core, reading = ps.get("core_task", 0), ps.get("pmu_core", 0)
    recording = model.trace.meta.recording
    told_later = recording is not None and recording.protocol not in ("", PRODUCER)
    seen_later = reading + (core if told_later else 0)
    low, high = model.calibration.seen_ps
    return replace(
        model,
        costs=replace(
            costs,
            free=max(costs.free - core - reading, 0),
            seen=max(costs.seen - seen_later, 0),
            record=max(costs.record - _controller_ps(model, ps), 0),
            phase=max(costs.phase - ps.get("scheduler_phase", 0), 0),
        ),
        calibration=replace(
            model.calibration, seen_ps=(max(low - seen_later, 0), max(high - seen_later, 0))
        ),
        machine=_machine(model, ps),
        buffers=_buffers(model, ps),
        submit_cost_ps=_submit_costs(model, ps),
    )


def _controller_ps(model: Model, ps: Mapping[str, int]) -> int:
    """What a scheduler pays per task that it sees end; bursts are as many as in the mean."""
    per_task = ("core_moved", "controller_task", "pmu_controller", "engine_drain")
    bursts = records_of(model.trace, "burst") / max(len(model.unit_rows), 1)
    return sum(ps.get(kind, 0) for kind in per_task) + round(bursts * ps.get("burst", 0))


def _buffers(model: Model, ps: Mapping[str, int]) -> Buffers:
    """Who records nothing fills no buffer."""
    silent = [lane in ps for lane in LANES]
    return replace(
        model.buffers, records=np.where(silent, 0, model.buffers.records).astype(np.int32)
    )


def _machine(model: Model, ps: Mapping[str, int]) -> Machine:
    """Where counters kept cores from holding tasks in advance, they would without them."""
    recording = model.trace.meta.recording
    usual = recording.unrecorded_pre_dispatch if recording is not None else None
    if usual is None or not any(kind.startswith("pmu_") for kind in ps):
        return model.machine
    return replace(model.machine, pre_dispatch=usual)


def _submit_costs(model: Model, ps: Mapping[str, int]) -> Array:
    """Less what the orchestrator's records, and copies that held it up, took between submits."""
    own, shared = ps.get("orchestrator_phase", 0), ps.get("staging_shared", 0)
    at = model.nodes.submit[model.submit_order]
    if not (own or shared) or (at == MISSING).any():
        return model.submit_cost_ps
    trace = model.trace
    mine = trace.phases["lane"] == trace.code("orchestrator")
    records = _between(at, trace.phases["end_ns"][mine])
    copies = _between(at, trace.tasks["finish_ns"])
    less = records * own + copies * shared
    return np.asarray(np.maximum(model.submit_cost_ps - less, 0))


def _between(at: Array, moments: Array) -> Array:
    """How many of the moments lie between each submit and the one before it."""
    known = np.sort(moments[moments != MISSING])
    return np.diff(np.searchsorted(known, at, side="left"), prepend=0)
