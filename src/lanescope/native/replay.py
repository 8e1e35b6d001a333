"""Replays a task graph on the machine: what a trace says, as the machine's input."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from lanescope.native import Array, machine

SILENT, ALLOC = -1, -2
"""Kinds of nodes that no core runs."""
LANES = machine.COUNTED
"""Kinds of record that a replay records, each in buffers of its own."""
EARLY, TOGETHER = 1, 2
"""How a node is dispatched, as bits (enum ls_machine_manner)."""
LONGEST, LOWEST, LATEST = range(3)
"""Which of several cores is given the next task (enum ls_machine_choice)."""
FIRST_READY, LAST_READY = range(2)
"""Which of several tasks is dispatched next (enum ls_machine_pop)."""
BY_END, BY_CORE = range(2)
"""Which of several ends is seen first (enum ls_machine_collect)."""
MOST_PARTNERS = 15
"""Most cores that a block can need beside its own."""
OWN = ("pick_up", "seen", "give", "wait")
"""Times that a unit may have of its own, in place of constant costs (unit_* of ls_machine)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs(machine.MachineCosts):
    """The machine's costs, and how many finished tasks wait before their places are given back."""

    release_tasks: int = 1


class SchedulerPolicy(NamedTuple):
    """How schedulers choose."""

    choice: int = LONGEST
    """Of a core: LONGEST, LOWEST or LATEST."""
    pop: int = FIRST_READY
    """Of a task: FIRST_READY or LAST_READY."""
    collect: int = BY_END
    """Of several ends: BY_END or BY_CORE."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReplayInput:
    """A graph and a machine; native/src/machine/machine.h says what each array is.

    The successors of node n are target[first[n]:first[n + 1]]. Times are in picoseconds.
    """

    first: Array
    target: Array
    kind: Array
    blocks: Array
    partners: Array
    partner_kind: Array
    manner: Array
    wait: Array
    unit_first: Array
    lengths: Array
    setups: Array
    submit_order: Array
    submit_cost: Array
    submit_records: Array
    core_kind: Array
    core_scheduler: Array
    cluster_first: Array
    cluster_cores: Array
    buffer_records: Array
    buffer_count: Array
    kinds: int
    schedulers: int
    pre_dispatch: int
    costs: Costs
    bank_cores: int = 1
    policy: SchedulerPolicy = field(default_factory=lambda: SchedulerPolicy())
    own: Mapping[str, Array] = field(default_factory=dict)
    """By name in OWN: a time of each unit, or -1 where it is as the costs say."""


class ReplayOutput(NamedTuple):
    """What a replay gives. Times are picoseconds from the moment when the orchestrator begins."""

    last_ps: int
    """The last finish."""
    units: Array
    """By unit: its core and its times (ls_machine_run)."""
    stalled_ps: int
    """How long all producers together waited for buffers."""


def run_replay(given: ReplayInput) -> ReplayOutput:
    """Replay a graph on a machine once.

    Raises:
        LanescopeError: some tasks can never run.
    """
    return ReadyReplay(given).run(given.costs)


class ReadyReplay:
    """A graph on a machine that may be replayed often, each time with other costs."""

    def __init__(self, given: ReplayInput) -> None:
        """Check the input; its costs are not used."""
        silent = np.where(given.kind == ALLOC, machine.ALLOC, machine.DUMMY)
        self._machine = machine.Machine(
            {
                "tasks": len(given.kind),
                "func": np.zeros(len(given.kind)),
                "kind": np.maximum(given.kind, 0),
                "node": np.where(given.kind < 0, silent, 0),
                **{name: getattr(given, name) for name in _SAME},
                "unit_length": given.lengths,
                "unit_setup": given.setups,
                **{f"unit_{name}": values for name, values in given.own.items()},
                "core_choice": given.policy.choice,
                "pop_order": given.policy.pop,
                "collect_order": given.policy.collect,
                "orchestrators": 1,
                "cores": len(given.core_kind),
                "clusters": len(given.cluster_first) - 1,
                "core_rotates": 1,
                "tells_first": 1,
                "records_phases": int(given.bank_cores == 1),
            }
        )

    def run(self, costs: Costs) -> ReplayOutput:
        """Replay it once.

        Raises:
            LanescopeError: some tasks can never run.
        """
        output = self._machine.run(costs, release_tasks=costs.release_tasks)
        runs = machine.require_done(output).runs
        assert runs is not None
        return ReplayOutput(output.last_finish_ps, runs, output.stalled_ps)


_SAME = (
    *("first", "target", "blocks", "partners", "partner_kind", "manner", "wait", "unit_first"),
    *("submit_order", "submit_cost", "submit_records", "core_kind", "core_scheduler"),
    *("cluster_first", "cluster_cores", "buffer_records", "buffer_count"),
    *("kinds", "schedulers", "pre_dispatch", "bank_cores"),
)
