"""What each node of a recorded graph needs: a kind of core, blocks, partners, a manner."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.analyze.graph.nodes import Nodes
from lanescope.errors import LanescopeError
from lanescope.native.replay import ALLOC, EARLY, MOST_PARTNERS, SILENT, TOGETHER
from lanescope.replay.readings.core_runs import CoreRuns
from lanescope.replay.readings.machine import ReplayMachine
from lanescope.trace.schema import MISSING32, TaskFlag
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Shapes:
    """One entry per node."""

    kind: Array
    """Kind of each block's leading core: a place in the machine's `kinds`. SILENT or ALLOC for a
    node that no core runs."""
    blocks: Array
    """How many blocks the task has."""
    partners: Array
    """How many cores each block needs beside its leading core, all of one cluster."""
    partner_kind: Array
    """Kind of the partners; -1: none."""
    manner: Array
    """Bits: EARLY, TOGETHER."""


def shapes_of(trace: Trace, nodes: Nodes, runs: CoreRuns, *, machine: ReplayMachine) -> Shapes:
    """The shapes that the runs of the trace show.

    A task on three kinds of core, or with partners that do not divide evenly among its blocks,
    cannot be replayed and is refused.
    """
    count, each = len(nodes), np.arange(len(nodes))
    ran = np.bincount(runs.node * len(machine.kinds) + runs.kind,
                      minlength=count * len(machine.kinds))  # fmt: skip
    ran = ran.reshape(count, len(machine.kinds))
    used = (ran > 0).sum(axis=1)
    by_rank = _kinds_by_rank(ran, machine)
    blocks = ran[each, by_rank[:, 0]]
    second = np.where(used == 2, by_rank[:, min(1, len(machine.kinds) - 1)], -1)
    partners = np.where(used == 2, ran[each, second] // np.maximum(blocks, 1), 0)
    odd = (used > 2) | (partners > MOST_PARTNERS) | (ran.sum(axis=1) != blocks * (partners + 1))
    if odd.any():
        task = int(nodes.ids[np.flatnonzero(odd)[0]])
        raise LanescopeError(f"task {task} runs on its kinds of core in a way that is not replayed")
    kind = np.where(used > 0, by_rank[:, 0], _without_core(trace, nodes)).astype(np.int32)
    blocks = np.where(used > 0, blocks, 1).astype(np.int32)
    alone = (kind >= 0) & (partners == 0)
    return Shapes(
        kind=kind,
        blocks=blocks,
        partners=partners.astype(np.int32),
        partner_kind=second.astype(np.int32),
        manner=_manner(_node_flags(trace, nodes), alone, blocks),
    )


def _kinds_by_rank(ran: Array, machine: ReplayMachine) -> Array:
    """By node: the kinds of core, the leading core's first. That is the kind with the fewest runs
    of the node or, of two with equally many, the kind of which the machine has fewer cores."""
    cores = np.bincount(machine.core_kind, minlength=len(machine.kinds))
    rank = np.where(ran > 0, ran * (int(cores.max(initial=0)) + 1) + cores, np.iinfo(np.int64).max)
    return np.argsort(rank, axis=1, kind="stable")


def _without_core(trace: Trace, nodes: Nodes) -> Array:
    """By node: what it is if no core runs it."""
    silent = np.isin(trace.tasks["kind"], [trace.code("dummy"), trace.code("skipped")])
    kind = np.full(len(nodes), ALLOC)
    kind[nodes.of_row[silent]] = SILENT
    return kind


def _node_flags(trace: Trace, nodes: Nodes) -> Array:
    """By node: the flags of all its task rows together."""
    flags = np.zeros(len(nodes), np.int32)
    known = trace.tasks["flags"] != MISSING32
    np.bitwise_or.at(flags, nodes.of_row[known], trace.tasks["flags"][known])
    return flags


def _manner(flags: Array, alone: Array, blocks: Array) -> Array:
    """Only a task on a single core can be early. Only a task without partners starts together."""
    early = alone & (blocks == 1) & (flags & TaskFlag.EARLY_DISPATCH != 0)
    together = alone & (flags & TaskFlag.TOGETHER != 0)
    return np.asarray(early * np.int32(EARLY) | (together & ~early) * np.int32(TOGETHER))
