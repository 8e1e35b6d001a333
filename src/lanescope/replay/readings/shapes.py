"""What the nodes of a recorded graph need: kinds of core, blocks, partners, manners, and how long
their runs take."""

from __future__ import annotations

import numpy as np

from lanescope.analyze.graph.nodes import Nodes, distinct_codes
from lanescope.errors import LanescopeError
from lanescope.native.replay import ALLOC, EARLY, MOST_PARTNERS, SILENT, TOGETHER
from lanescope.replay.readings.machine import Machine, used_kinds
from lanescope.replay.readings.served import in_ps, tick_ns
from lanescope.replay.readings.steady import same_lengths
from lanescope.trace.schema import MISSING, MISSING32, TaskFlag
from lanescope.trace.table import Array, Table
from lanescope.trace.trace import Trace


def shapes_of(trace: Trace, found: Nodes, machine: Machine) -> dict[str, Array]:
    """Units, blocks and partners of every node; a task on two kinds of core needs cores of one
    cluster."""
    tasks, count = trace.tasks, len(found)
    rows = np.flatnonzero(trace.ran() & (tasks["core"] >= 0))
    position = {core: place for place, core in enumerate(used_kinds(trace))}
    used_cores, place = distinct_codes(tasks["core"][rows])
    at = np.array([position[core] for core in used_cores.tolist()], np.int64)
    kind = machine.core_kind[at][place]
    node = found.of_row[rows]
    runs = np.bincount(node * len(machine.kinds) + kind, minlength=count * len(machine.kinds))
    runs = runs.reshape(count, len(machine.kinds))
    used = (runs > 0).sum(axis=1)
    # A block's leading core is of the kind with fewer runs or, where they are as many, fewer cores.
    cores = np.bincount(machine.core_kind, minlength=len(machine.kinds))
    rank = np.where(
        runs > 0, runs * (int(cores.max(initial=0)) + 1) + cores, np.iinfo(np.int64).max
    )
    by_rank = np.argsort(rank, axis=1, kind="stable")
    first = by_rank[:, 0]
    blocks = runs[np.arange(count), first]
    second = np.where(used == 2, by_rank[:, min(1, len(machine.kinds) - 1)], -1)
    partners = np.where(used == 2, runs[np.arange(count), second] // np.maximum(blocks, 1), 0)
    odd = (used > 2) | (partners > MOST_PARTNERS) | (runs.sum(axis=1) != blocks * (partners + 1))
    if odd.any():
        task = int(found.ids[np.flatnonzero(odd)[0]])
        raise LanescopeError(f"task {task} runs on its kinds of core in a way that is not replayed")
    silent = np.isin(tasks["kind"], [trace.code("dummy"), trace.code("skipped")])
    other = np.full(count, ALLOC)
    other[found.of_row[silent]] = SILENT
    order = _unit_order(node, kind != first[node], tasks["start_ns"][rows], partners)
    rows = rows[order]
    return {
        "kind": np.where(used > 0, first, other).astype(np.int32),
        "blocks": np.where(used > 0, blocks, 1).astype(np.int32),
        "partners": partners.astype(np.int32),
        "partner_kind": second.astype(np.int32),
        "unit_rows": rows,
        "unit_first": np.concatenate([[0], np.cumsum(runs.sum(axis=1))]),
        "lengths_ps": _lengths_ps(trace, rows, kind[order]),
        "setups_ps": np.full(len(rows), _setup_ps(tasks, rows)),
    }


def _lengths_ps(trace: Trace, rows: Array, kind: Array) -> Array:
    tasks = trace.tasks
    length = np.asarray(tasks["end_ns"] - tasks["start_ns"])[rows]
    group = tasks["func"][rows].astype(np.int64) * (int(kind.max(initial=0)) + 1) + kind
    return same_lengths(length, group, tick_ns(trace))


def _setup_ps(tasks: Table, rows: Array) -> int:
    """Receive to start; an early task's has the wait for its inputs in it."""
    flags, receive = tasks["flags"][rows], tasks["receive_ns"][rows]
    usual = (flags == MISSING32) | (flags & TaskFlag.EARLY_DISPATCH == 0)
    rows = rows[usual & (receive != MISSING)]
    setup = tasks["start_ns"][rows] - tasks["receive_ns"][rows]
    return in_ps(float(setup.mean())) if len(rows) else 0


def manners_of(trace: Trace, found: Nodes, shapes: dict[str, Array]) -> Array:
    """Only a task on one core can be early, and only one without partners starts together."""
    flags = np.zeros(len(found), np.int32)
    known = trace.tasks["flags"] != MISSING32
    np.bitwise_or.at(flags, found.of_row[known], trace.tasks["flags"][known])
    alone = (shapes["kind"] >= 0) & (shapes["partners"] == 0)
    early = alone & (shapes["blocks"] == 1) & (flags & TaskFlag.EARLY_DISPATCH != 0)
    together = alone & (flags & TaskFlag.TOGETHER != 0)
    return np.asarray(early * np.int32(EARLY) | (together & ~early) * np.int32(TOGETHER))


def _unit_order(node: Array, is_partner: Array, start: Array, partners: Array) -> Array:
    """By node, then block: the block's core first, then its partners, in order of their starts."""
    order = np.lexsort((start, is_partner, node))
    node, is_partner = node[order], is_partner[order]
    group = np.flatnonzero(
        np.append(True, (node[1:] != node[:-1]) | (is_partner[1:] != is_partner[:-1]))[: len(node)]
    )
    within = np.arange(len(node)) - np.repeat(group, np.diff(np.append(group, len(node))))
    each = partners[node]
    block = np.where(is_partner, within // np.maximum(each, 1), within)
    place = np.where(is_partner, 1 + within % np.maximum(each, 1), 0)
    return order[np.lexsort((place, block, node))]
