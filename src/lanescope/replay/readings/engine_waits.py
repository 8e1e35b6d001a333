"""How long engines beside the cores went on with tasks, from the controllers' polls of them.

A controller's polls name no tasks: of the tasks that await an engine, the one that ended first is
taken to be done first. A wait is known to one round of its controller. It is known better where all
tasks of a function may have waited equally long.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lanescope.analyze.graph.nodes import Nodes
from lanescope.native.replay import Costs
from lanescope.replay.readings.phases import are_outer
from lanescope.replay.readings.served import PS, ServedRuns, cores_holding, in_ps
from lanescope.trace.numbering import different
from lanescope.trace.schema import MISSING32, TaskFlag
from lanescope.trace.table import Array, Table
from lanescope.trace.trace import Trace

_NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True, eq=False)
class EngineWaits:
    """How long engines work, and what asking them costs."""

    wait_ps: Array
    """By node: from when the task's end was seen to its engine's end; 0: it awaits no engine."""
    poll_ps: int
    """What a controller takes to ask for one task."""


def awaiting(trace: Trace, nodes: Nodes) -> Array:
    """By node: whether an engine goes on with it."""
    flags = trace.tasks["flags"]
    mine = np.zeros(len(nodes), bool)
    mine[nodes.of_row[(flags != MISSING32) & (flags & TaskFlag.AWAITS_ENGINE != 0)]] = True
    return mine & (nodes.last >= 0)


class _Controller(NamedTuple):
    """One controller: its phases, and the nodes that it awaits, in the order of their ends."""

    number: int
    phases: Table
    nodes: Array
    left_ns: Array
    """When each node was left to its engine."""


class _Polled(NamedTuple):
    """What the polls of one controller say."""

    nodes: Array
    """Nodes whose engine was seen to be done."""
    low_ns: Array
    """By such node: its wait is no shorter."""
    high_ns: Array
    """By such node: its wait is no longer."""
    poll_ns: Array
    """By poll: how long it took."""
    awaited: Array
    """By poll: how many tasks it asked for."""


def engine_waits(
    trace: Trace, nodes: Nodes, phases: Table, *, runs: ServedRuns, costs: Costs
) -> EngineWaits:
    """The waits of all nodes of a trace; `phases` are those of its schedulers."""
    wait_ps = np.zeros(len(nodes), np.int64)
    mine = np.flatnonzero(awaiting(trace, nodes))
    poll = phases["kind"] == trace.code("async_poll")
    if not len(mine) or not poll.any():
        wait_ps[mine] = _until_successors_ps(trace, nodes, mine, costs=costs)
        return EngineWaits(wait_ps, costs.poll_core)
    finish = trace.tasks["finish_ns"][nodes.last[mine]]
    served = _controllers(trace, trace.tasks["core"][nodes.last[mine]])
    low, high = np.zeros(len(nodes)), np.full(len(nodes), -1.0)
    every = []
    for number in different(phases["controller"][poll]).tolist():
        own = phases.rows(np.flatnonzero(phases["controller"] == number))
        left = _left_ns(trace, own, finish[served == number], runs=runs) + costs.task_record / PS
        order = np.argsort(left, kind="stable")
        one = _Controller(number, own, mine[served == number][order], left[order])
        polled = _polled(trace, one, runs=runs, costs=costs)
        low[polled.nodes], high[polled.nodes] = polled.low_ns, polled.high_ns
        every.append(polled)
    known = mine[high[mine] >= 0]
    wait_ps[known] = _agreed_ps(trace.tasks["func"][nodes.last[known]], low[known], high[known])
    return EngineWaits(wait_ps, _poll_ps(every))


def _poll_ps(every: list[_Polled]) -> int:
    """Mean time of a poll per task that it asked for."""
    length = np.concatenate([polled.poll_ns for polled in every])
    count = np.concatenate([polled.awaited for polled in every])
    some = count > 0
    return in_ps(float(length[some].sum() / max(count[some].sum(), 1)))


def _polled(trace: Trace, one: _Controller, *, runs: ServedRuns, costs: Costs) -> _Polled:
    """A node's wait ended after the controller's last look in vain, and before the poll that saw
    it."""
    own = one.phases
    which = np.flatnonzero(own["kind"] == trace.code("async_poll"))
    which = which[np.argsort(own["start_ns"][which], kind="stable")]
    taken = np.maximum(own["tasks"][which], 0)
    at = np.repeat(which, taken)[: len(one.nodes)]
    left = one.left_ns[: len(at)]
    round_ps = costs.loop + costs.poll_core * (
        cores_holding(runs, one.number, own["start_ns"][at]) + 1
    )
    looked = _last_look_ns(trace, own, at, round_ns=round_ps / PS)
    begun = np.searchsorted(one.left_ns, own["start_ns"][which], side="right")
    return _Polled(
        nodes=one.nodes[: len(at)],
        low_ns=np.maximum(looked - left, 0),
        high_ns=own["start_ns"][at] - left,
        poll_ns=_until_told_ns(trace, own, which),
        awaited=begun - np.append(0, np.cumsum(taken)[:-1]),
    )


def _controllers(trace: Trace, core: Array) -> Array:
    """The controllers that serve these cores; 0 where the trace does not say."""
    serving = dict(
        zip(trace.cores["core"].tolist(), trace.cores["controller"].tolist(), strict=True)
    )
    return np.array([max(serving.get(c, 0), 0) for c in core.tolist()], np.int64)


def _left_ns(trace: Trace, own: Table, finish_ns: Array, *, runs: ServedRuns) -> Array:
    """When each finished task was left to its engine: at the last finish of the phase that saw the
    task's own finish."""
    finish = finish_ns.astype(np.float64)
    complete = np.flatnonzero(own["kind"] == trace.code("complete"))
    times = np.sort(runs.finish_ns[runs.controller == own["controller"][0]])
    if not len(complete) or not len(times):
        return np.asarray(finish)
    complete = complete[np.argsort(own["start_ns"][complete], kind="stable")]
    place = np.maximum(np.searchsorted(own["start_ns"][complete], finish, side="right") - 1, 0)
    until = own["end_ns"][complete][place]
    last = times[np.maximum(np.searchsorted(times, until, side="right") - 1, 0)]
    return np.where(finish <= until, np.maximum(last, finish), finish)


def _until_told_ns(trace: Trace, own: Table, which: Array) -> Array:
    """From a poll's start to the telling of successors inside it, or to its end."""
    told = np.sort(own["start_ns"][own["kind"] == trace.code("resolve")])
    start, end = own["start_ns"][which], own["end_ns"][which]
    if not len(told):
        return np.asarray(end - start)
    first = told[np.minimum(np.searchsorted(told, start, side="left"), len(told) - 1)]
    inside = (first >= start) & (first <= end)
    return np.where(inside, first, end) - start


def _last_look_ns(trace: Trace, own: Table, at: Array, *, round_ns: Array) -> Array:
    """When the controller looked last while the engine was not done: one round before the poll, or
    at the phase before it, whichever is later."""
    start = own["start_ns"][at]
    begun = np.sort(own["start_ns"][are_outer(trace, own["kind"])])
    before = begun[np.maximum(np.searchsorted(begun, start, side="left") - 1, 0)]
    return np.asarray(np.maximum(start - round_ns, before))


def _agreed_ps(func: Array, low_ns: Array, high_ns: Array) -> Array:
    """The middle of what all tasks of the function allow. Where they allow nothing in common, the
    middle of what each task allows."""
    wait_ns = (low_ns + high_ns) / 2
    for one in different(func).tolist():
        mine = func == one
        least, most = float(low_ns[mine].max()), float(high_ns[mine].min())
        if least <= most:
            wait_ns[mine] = (least + most) / 2
    return np.maximum(np.round(wait_ns * PS), 1).astype(np.int64)


def _until_successors_ps(trace: Trace, nodes: Nodes, mine: Array, *, costs: Costs) -> Array:
    """Without polls: from each node's finish to the first dispatch of a successor."""
    first = np.full(len(nodes), _NEVER)
    known = nodes.dispatch[nodes.succ] >= 0
    np.minimum.at(first, nodes.pred[known], nodes.dispatch[nodes.succ[known]])
    lead = (costs.pop + costs.dispatch + costs.resolve_edge) // PS
    finish = trace.tasks["finish_ns"][nodes.last[mine]]
    wait = np.where(first[mine] < _NEVER, first[mine] - lead - finish, 0)
    return np.maximum(wait, 0) * PS
