"""The units of a replay: one per run of a task on one core, and how long each takes."""

from __future__ import annotations

from dataclasses import dataclass

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


def units_of(trace: Trace, runs: CoreRuns, shapes: Shapes) -> Units:
    """The units of the trace's runs."""
    tasks = trace.tasks
    is_partner = runs.kind != shapes.kind[runs.node]
    order = _in_blocks(
        runs.node, is_partner, tasks["start_ns"][runs.rows], partners=shapes.partners
    )
    rows = runs.rows[order]
    per_node = np.bincount(runs.node, minlength=len(shapes.kind))
    return Units(
        rows=rows,
        first=np.concatenate([[0], np.cumsum(per_node)]),
        lengths_ps=_lengths_ps(trace, rows, runs.kind[order]),
        setups_ps=np.full(len(rows), _setup_ps(tasks, rows)),
    )


def _in_blocks(node: Array, is_partner: Array, start_ns: Array, *, partners: Array) -> Array:
    """The order of the units. Records do not name a run's block: leading cores and partners are
    put together in the order of their starts."""
    order = np.lexsort((start_ns, is_partner, node))
    node, is_partner = node[order], is_partner[order]
    group = np.flatnonzero(
        np.append(True, (node[1:] != node[:-1]) | (is_partner[1:] != is_partner[:-1]))[: len(node)]
    )
    within = np.arange(len(node)) - np.repeat(group, np.diff(np.append(group, len(node))))
    each = np.maximum(partners[node], 1)
    block = np.where(is_partner, within // each, within)
    place = np.where(is_partner, 1 + within % each, 0)
    return order[np.lexsort((place, block, node))]


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
