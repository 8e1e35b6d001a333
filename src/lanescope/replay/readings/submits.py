"""When the orchestrator submits each node: as recorded, or guessed where submits were not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lanescope.analyze.columns.quantiles import median, quantile
from lanescope.analyze.graph.nodes import Nodes
from lanescope.native.replay import Costs
from lanescope.replay.readings.buffers import without_stalls
from lanescope.replay.readings.served import PS, tick_ns
from lanescope.replay.readings.steady import even_times, same_lengths
from lanescope.replay.readings.told_submits import told_submits, waits_for_nobody
from lanescope.replay.readings.unseen_submits import unseen_submits
from lanescope.trace.schema import MISSING
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace

_USUAL = 0.25
"""Quantile of the submits that is taken to be what one usually costs."""
_FIRST = 16
"""So many submits at the beginning are never held up; later ones may all be."""
_SEVERAL = 2
"""A submit was held up when it cost more than so many times the usual."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Submits:
    """What the orchestrator does. Arrays have one entry per submit, in the order of the submits."""

    order: Array
    """The node that is submitted."""
    cost_ps: Array
    """Time since the submit before; the first one's since the begin."""
    records: Array
    """Records that the orchestrator writes from this submit to the next."""
    begin_ns: int
    """When the orchestrator begins, ns from the trace's base: time 0 of a replay."""
    waited_ps: Array
    """How much of each cost the orchestrator seems to have waited for others, as for a place in its
    window of tasks."""

    @property
    def held_up_ps(self) -> int:
        """How much of all costs the orchestrator seems to have waited for others."""
        return int(self.waited_ps.sum())

    def at_ns(self) -> Array:
        """By node: when it is submitted, ns from the trace's base."""
        at = np.empty(len(self.order), np.int64)
        at[self.order] = self.begin_ns + np.cumsum(self.cost_ps) // PS
        return at


def submits_of(trace: Trace, nodes: Nodes, costs: Costs, *, pre_dispatch: int) -> Submits:
    """The submits of a trace.

    Where none are recorded, the recording may say when the orchestrator began and how long it took
    for all; else they are guessed. In a trace that records some submits, a node without one counts
    as submitted just before its first dispatch if no edge leads to it, and else at the begin.
    """
    if not (nodes.submit != MISSING).any():
        told = told_submits(trace, nodes)
        if told is not None:
            return _apart(np.arange(len(told.at_ns)), told.at_ns, begin_ns=told.begin_ns)
        at, begin = unseen_submits(trace, nodes, costs, pre_dispatch=pre_dispatch)
        return _apart(np.arange(len(at)), at, begin_ns=begin)
    lead = (costs.pop + costs.dispatch) // PS
    at = nodes.submit.copy()
    guess = np.where(nodes.dispatch != MISSING, nodes.dispatch - lead, MISSING)
    at = np.where((at == MISSING) & nodes.roots, guess, at)
    known = np.concatenate([at[at != MISSING], nodes.submit_start[nodes.submit_start != MISSING]])
    begin = int(known.min(initial=int(nodes.dispatch.max(initial=0))))
    at = np.where(at == MISSING, begin, at)
    order = np.lexsort((np.arange(len(at)), at))
    if not (nodes.submit != MISSING).all():
        return _apart(order, at[order], begin_ns=begin)
    even = _evened(trace, nodes, order)
    free = waits_for_nobody(trace)
    cost = np.diff(even.time_ps, prepend=begin * PS)
    fan_in = np.bincount(nodes.succ, minlength=len(nodes))[order]
    return Submits(
        order=order,
        cost_ps=cost,
        records=even.records,
        begin_ns=begin,
        waited_ps=np.zeros_like(cost) if free else _waited_ps(cost, fan_in),
    )


def submitted_at_once(submits: Submits) -> Submits:
    """The same nodes, all submitted at the begin in the order of their numbers."""
    nodes = np.arange(len(submits.order))
    at_ns = np.full(len(nodes), submits.begin_ns)
    return _apart(nodes, at_ns, begin_ns=submits.begin_ns)


def _apart(order: Array, at_ns: Array, *, begin_ns: int) -> Submits:
    """Submits at these moments; their records are not known."""
    cost_ps = np.diff(at_ns, prepend=begin_ns) * PS
    records = np.zeros(len(order), np.int32)
    return Submits(
        order=order,
        cost_ps=cost_ps,
        records=records,
        begin_ns=begin_ns,
        waited_ps=np.zeros(len(order), np.int64),
    )


def _waited_ps(cost_ps: Array, fan_in: Array) -> Array:
    """By how much each submit cost more than usual, of those that cost several times as much.

    A submit usually costs a fixed time and a time per edge that leads to its node.
    """
    few = fan_in <= median(fan_in)
    usual = quantile(cost_ps[few], _USUAL) if few.any() else 0.0
    usual = min(usual, median(cost_ps[:_FIRST]))
    each = (cost_ps - usual)[~few] / np.maximum(fan_in[~few], 1)
    usual_each = max(quantile(each, _USUAL), 0.0) if len(each) else 0.0
    expected = usual + usual_each * np.where(few, 0, fan_in)
    more = np.round(cost_ps - expected).astype(np.int64)
    return np.where(cost_ps > _SEVERAL * expected, more, 0)


class _EvenSubmits(NamedTuple):
    """By submit: its moment in ps, and the records from it to the next."""

    time_ps: Array
    records: Array


def _evened(trace: Trace, nodes: Nodes, order: Array) -> _EvenSubmits:
    """Submits take time for themselves, for each edge, and for the scopes that end between them."""
    fan_in = np.bincount(nodes.succ, minlength=len(nodes))[order]
    times, tick = nodes.submit[order], tick_ns(trace)
    phases = trace.phases
    ended = np.flatnonzero(phases["kind"] == trace.code("scope_end"))
    length = (phases["end_ns"] - phases["start_ns"])[ended]
    scopes = same_lengths(length, np.zeros(len(length), np.int64), tick) / PS
    place = np.searchsorted(times, phases["end_ns"][ended], side="left")
    inside = place < len(times)
    count = np.bincount(place[inside], minlength=len(times))
    taken = np.bincount(place[inside], weights=scopes[inside], minlength=len(times))
    times = without_stalls(trace, times)
    # Stamps are cut down to ticks, so half a tick early in the mean; the first one is the begin.
    even = even_times(times, (fan_in, count, taken), tick) + round(tick / 2 * PS)
    return _EvenSubmits(even, (1 + np.append(count[1:], 0)).astype(np.int32))
