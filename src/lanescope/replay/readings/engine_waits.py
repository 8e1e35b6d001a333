"""How long engines beside the cores went on with tasks, from the controllers' polls of them.

A controller's polls name no tasks: of those that await an engine, the one that ended first is taken
to be done first. A wait is known no better than to a round of its controller, and better where
all tasks of a function may have waited equally long.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lanescope.analyze.graph.nodes import Nodes
from lanescope.native.replay import Costs
from lanescope.replay.calibration.phase_costs import OUTER
from lanescope.replay.readings.served import PS, ServedRuns, cores_holding, in_ps
from lanescope.trace.schema import MISSING32, TaskFlag
from lanescope.trace.table import Array, Table
from lanescope.trace.trace import Trace


@dataclass(frozen=True, slots=True, eq=False)
class EngineWaits:
    """By node, 0 where none; and what a poll takes per task."""

    wait_ps: Array
    poll_engine: int


def awaiting(trace: Trace, found: Nodes) -> Array:
    """Nodes that engines go on with."""
    flags = trace.tasks["flags"]
    mine = np.zeros(len(found), bool)
    mine[found.of_row[(flags != MISSING32) & (flags & TaskFlag.AWAITS_ENGINE != 0)]] = True
    return mine & (found.last >= 0)


class _Controller(NamedTuple):
    """One of them: its phases, and the nodes that it awaits, in the order of their ends."""

    number: int
    phases: Table
    nodes: Array
    going: Array
    """When each was left to its engine."""


def engine_waits(
    trace: Trace, found: Nodes, phases: Table, *, runs: ServedRuns, costs: Costs
) -> EngineWaits:
    """`phases` are the schedulers'."""
    wait = np.zeros(len(found), np.int64)
    mine = np.flatnonzero(awaiting(trace, found))
    poll = phases["kind"] == trace.code("async_poll")
    if not len(mine) or not poll.any():
        wait[mine] = _until_successors(trace, found, mine, costs=costs)
        return EngineWaits(wait, costs.poll)
    finish = trace.tasks["finish_ns"][found.last[mine]]
    served = _controllers(trace, trace.tasks["core"][found.last[mine]])
    low, high = np.zeros(len(found)), np.full(len(found), -1.0)
    polls = []
    for number in np.unique(phases["controller"][poll]).tolist():
        own = phases.rows(np.flatnonzero(phases["controller"] == number))
        going = _left(trace, own, finish[served == number], runs=runs) + costs.record / PS
        order = np.argsort(going, kind="stable")
        one = _Controller(number, own, mine[served == number][order], going[order])
        polls.append(_bounds(trace, one, (low, high), runs=runs, costs=costs))
    known = mine[high[mine] >= 0]
    wait[known] = _agreed(trace.tasks["func"][found.last[known]], low[known], high[known])
    length, count = np.concatenate(polls, axis=1)
    some = count > 0
    return EngineWaits(wait, in_ps(float(length[some].sum() / max(count[some].sum(), 1))))


def _bounds(
    trace: Trace,
    one: _Controller,
    bounds: tuple[Array, Array],
    *,
    runs: ServedRuns,
    costs: Costs,
) -> Array:
    """Fill in between what each node's wait was; how long each poll took, and for how many."""
    own, (low, high) = one.phases, bounds
    which = np.flatnonzero(own["kind"] == trace.code("async_poll"))
    which = which[np.argsort(own["start_ns"][which], kind="stable")]
    taken = np.maximum(own["tasks"][which], 0)
    at = np.repeat(which, taken)[: len(one.nodes)]
    nodes, going = one.nodes[: len(at)], one.going[: len(at)]
    round_ns = costs.loop + costs.poll * (cores_holding(runs, one.number, own["start_ns"][at]) + 1)
    looked = _last_look(trace, own, at, round_ns=round_ns / PS)
    low[nodes], high[nodes] = np.maximum(looked - going, 0), own["start_ns"][at] - going
    left = np.searchsorted(one.going, own["start_ns"][which], side="right")
    awaited = left - np.append(0, np.cumsum(taken)[:-1])
    return np.stack([_until_told(trace, own, which), awaited])


def _controllers(trace: Trace, core: Array) -> Array:
    serving = dict(
        zip(trace.cores["core"].tolist(), trace.cores["controller"].tolist(), strict=True)
    )
    return np.array([max(serving.get(c, 0), 0) for c in core.tolist()], np.int64)


def _left(trace: Trace, own: Table, finish: Array, *, runs: ServedRuns) -> Array:
    """The last finish of the phase that saw each finish: then engines are left to themselves."""
    finish = finish.astype(np.float64)
    complete = np.flatnonzero(own["kind"] == trace.code("complete"))
    times = np.sort(runs.finish[runs.controller == own["controller"][0]])
    if not len(complete) or not len(times):
        return np.asarray(finish)
    complete = complete[np.argsort(own["start_ns"][complete], kind="stable")]
    place = np.maximum(np.searchsorted(own["start_ns"][complete], finish, side="right") - 1, 0)
    until = own["end_ns"][complete][place]
    last = times[np.maximum(np.searchsorted(times, until, side="right") - 1, 0)]
    return np.where(finish <= until, np.maximum(last, finish), finish)


def _until_told(trace: Trace, own: Table, which: Array) -> Array:
    """From a poll's start to the telling of successors inside it, or to its end."""
    told = np.sort(own["start_ns"][own["kind"] == trace.code("resolve")])
    start, end = own["start_ns"][which], own["end_ns"][which]
    if not len(told):
        return np.asarray(end - start)
    first = told[np.minimum(np.searchsorted(told, start, side="left"), len(told) - 1)]
    inside = (first >= start) & (first <= end)
    return np.where(inside, first, end) - start


def _last_look(trace: Trace, own: Table, at: Array, *, round_ns: Array) -> Array:
    """When the controller looked last and the engine was not done: a round ago, or at the phase
    before."""
    start = own["start_ns"][at]
    outer = np.isin(own["kind"], [trace.code(name) for name in OUTER])
    begun = np.sort(own["start_ns"][outer])
    before = begun[np.maximum(np.searchsorted(begun, start, side="left") - 1, 0)]
    return np.asarray(np.maximum(start - round_ns, before))


def _agreed(func: Array, low: Array, high: Array) -> Array:
    """The middle of what all tasks of the function allow, or of what each allows."""
    wait = (low + high) / 2
    for one in np.unique(func).tolist():
        mine = func == one
        least, most = float(low[mine].max()), float(high[mine].min())
        if least <= most:
            wait[mine] = (least + most) / 2
    return np.maximum(np.round(wait * PS), 1).astype(np.int64)


def _until_successors(trace: Trace, found: Nodes, mine: Array, *, costs: Costs) -> Array:
    """Without polls: until the first dispatch of a successor."""
    first = np.full(len(found), np.iinfo(np.int64).max)
    known = found.dispatch[found.succ] >= 0
    np.minimum.at(first, found.pred[known], found.dispatch[found.succ[known]])
    lead = (costs.pop + costs.dispatch + costs.resolve) // PS
    finish = trace.tasks["finish_ns"][found.last[mine]]
    wait = np.where(first[mine] < np.iinfo(np.int64).max, first[mine] - lead - finish, 0)
    return np.maximum(wait, 0) * PS
