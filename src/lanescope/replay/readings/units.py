"""The units of a replay: one per run of a task on one core, and how long each takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from lanescope.replay.readings.core_runs import CoreRuns
from lanescope.replay.readings.served import in_ps, tick_ns
from lanescope.replay.readings.shapes import Shapes
from lanescope.replay.readings.steady import same_lengths
from lanescope.trace.schema import MISSING, MISSING32, TaskFlag
from lanescope.trace.table import Array, Table
from lanescope.trace.trace import Trace


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Units:
    """One entry per unit. Units of a node follow each other, block by block, the block's leading
    core before its partners."""

    rows: Array
    """The task row that the unit was in the trace."""
    first: Array
    """By node: the number of its first unit; one more entry at the end is the number of units."""
    lengths_ps: Array
    """Start to end."""
    setups_ps: Array
    """Receive to start."""
    own_ps: Mapping[str, Array] = field(default_factory=dict)
    """Times of each unit in place of constant costs, see `native.replay.OWN`."""


def units_of(trace: Trace, runs: CoreRuns, shapes: Shapes) -> Units:
    """The units of the trace's runs."""
    order = _in_blocks(trace, runs, shapes)
    rows = runs.rows[order]
    per_node = np.bincount(runs.node, minlength=len(shapes.kind))
    return Units(
        rows=rows,
        first=np.concatenate([[0], np.cumsum(per_node)]),
        lengths_ps=_lengths_ps(trace, rows, runs.kind[order]),
        setups_ps=np.full(len(rows), _setup_ps(trace.tasks, rows)),
    )


def _in_blocks(trace: Trace, runs: CoreRuns, shapes: Shapes) -> Array:
    """The order of the units: blocks in the order in which they were dispatched.

    Records do not name a run's block. The cores of a block are of one cluster, where the n-th
    leading core and the n-th partners belong together. Without clusters, or where they do not add
    up, it is the n-th of all.
    """
    tasks, node = trace.tasks, runs.node
    is_partner = runs.kind != shapes.kind[node]
    start = tasks["start_ns"][runs.rows]
    moment = tasks["dispatch_ns"][runs.rows]
    moment = np.where(moment == MISSING, start, moment)
    clusters, cluster = np.unique(runs.cluster, return_inverse=True)
    key = np.unique(node * (len(clusters) + 1) + cluster, return_inverse=True)[1]
    if not _adds_up(key, is_partner, shapes.partners[node]):
        key = node
    order = np.lexsort((start, moment, is_partner, key))
    part = key[order] * 2 + is_partner[order]
    first = np.flatnonzero(np.append(True, part[1:] != part[:-1])[: len(part)])
    within = np.arange(len(part)) - np.repeat(first, np.diff(np.append(first, len(part))))
    each = np.where(is_partner[order], np.maximum(shapes.partners[node[order]], 1), 1)
    block = np.empty(len(order), np.int64)
    block[order] = within // each
    # A block begins with its leading core: that core's moments are those of the block.
    leads = np.flatnonzero(~is_partner)
    name = key * (int(block.max(initial=0)) + 1) + block
    leads = leads[np.argsort(name[leads])]
    lead = leads[np.minimum(np.searchsorted(name[leads], name), len(leads) - 1)]
    return np.lexsort((start, is_partner, runs.rows[lead], start[lead], moment[lead], node))


def _adds_up(key: Array, is_partner: Array, partners: Array) -> bool:
    """Whether every key has, for each leading core, as many partners as its task's blocks need."""
    count = int(key.max(initial=-1)) + 1
    wanted = np.bincount(key, weights=np.where(is_partner, 0, partners), minlength=count)
    return bool((wanted == np.bincount(key[is_partner], minlength=count)).all())


def _lengths_ps(trace: Trace, rows: Array, kind: Array) -> Array:
    """Runs of one function on one kind of core may have one length, see `same_lengths`."""
    tasks = trace.tasks
    length_ns = np.asarray(tasks["end_ns"] - tasks["start_ns"])[rows]
    group = tasks["func"][rows].astype(np.int64) * (int(kind.max(initial=0)) + 1) + kind
    return same_lengths(length_ns, group, tick_ns(trace))


def _setup_ps(tasks: Table, rows: Array) -> int:
    """Mean time from receive to start. Early tasks do not count: they wait for their inputs in
    that time."""
    flags, receive = tasks["flags"][rows], tasks["receive_ns"][rows]
    usual = (flags == MISSING32) | (flags & TaskFlag.EARLY_DISPATCH == 0)
    rows = rows[usual & (receive != MISSING)]
    setup_ns = tasks["start_ns"][rows] - tasks["receive_ns"][rows]
    return in_ps(float(setup_ns.mean())) if len(rows) else 0
