"""Replays of a machine whose schedulers serve many cores in one step (machine/banks.h)."""

from __future__ import annotations

import numpy as np

from lanescope.native.machine import MachineCosts, MachineOutput, require_done, run_machine
from lanescope.native.replay import Costs
from lanescope.replay.readings.buffers import Buffers
from lanescope.replay.readings.machine import Banks, ReplayMachine
from lanescope.replay.readings.submits import Submits
from lanescope.replay.readings.units import Units
from lanescope.trace.table import Array


def run_banked(
    successors: tuple[Array, Array],
    machine: ReplayMachine,
    *,
    units: Units,
    submits: Submits,
    buffers: Buffers,
    costs: Costs,
) -> MachineOutput:
    """Run tasks of one block each; `successors` are where those of each node begin, and they."""
    assert machine.banks is not None
    first, target = successors
    tasks, cores = len(first) - 1, len(machine.core_kind)
    return require_done(
        run_machine(
            {
                "tasks": tasks,
                "first": first,
                "target": target,
                "func": np.zeros(tasks),
                "kind": np.zeros(tasks),
                "unit_first": units.first,
                "unit_length": units.lengths_ps,
                "unit_setup": units.setups_ps,
                "orchestrators": 1,
                "submit_order": submits.order,
                "submit_cost": submits.cost_ps,
                "submit_records": submits.records,
                "cores": cores,
                "kinds": 1,
                "schedulers": machine.schedulers,
                "bank_cores": machine.banks.cores,
                "pre_dispatch": machine.pre_dispatch,
                "release_tasks": 1,
                "cluster_first": np.zeros(1),
                "core_kind": machine.core_kind,
                "core_scheduler": machine.scheduler,
                "core_rotates": 1,
                "buffer_records": buffers.records,
                "buffer_count": buffers.count,
            },
            _machine_costs(costs, machine.banks),
        )
    )


def _machine_costs(costs: Costs, banks: Banks) -> MachineCosts:
    return MachineCosts(
        loop=costs.loop,
        complete_base=costs.complete_base,
        complete=costs.complete,
        resolve_edge=costs.resolve_edge,
        resolve_bank=banks.resolve_ps,
        pop=costs.pop,
        dispatch=costs.dispatch,
        dispatch_base=banks.before_dispatch_ps,
        dispatch_end=banks.after_dispatch_ps,
        dispatch_latency=costs.dispatch_latency,
        core_record=costs.core_record,
        rotate=costs.rotate,
        host_latency=costs.host_latency,
    )
