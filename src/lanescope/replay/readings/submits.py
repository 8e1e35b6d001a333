"""When the orchestrator submits each node: as recorded, or guessed where submits were not."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lanescope.analyze.graph.nodes import Nodes
from lanescope.native.replay import Costs
from lanescope.replay.readings.buffers import without_stalls
from lanescope.replay.readings.served import PS, tick_ns
from lanescope.replay.readings.steady import even_times, same_lengths
from lanescope.replay.readings.unseen_submits import unseen_submits
from lanescope.trace.schema import MISSING
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace

_USUAL = 0.25
_FIRST = 16
_SEVERAL = 2


class Submits(NamedTuple):
    """What the orchestrator does, in the order in which it does it."""

    order: Array
    """The nodes."""
    cost_ps: Array
    """Since the submit before."""
    records: Array
    """That it writes until the next one."""
    begin_ns: int
    held_up_ps: int = 0
    """What of that the orchestrator seems to have waited for others, as for a place in a window."""


def submits_of(trace: Trace, found: Nodes, costs: Costs, *, pre_dispatch: int) -> Submits:
    """A node whose submit is not known where others are is taken to be submitted just before its
    first dispatch if nothing leads to it, else with the one before."""
    if not (found.submit != MISSING).any():
        at, begin = unseen_submits(trace, found, costs, pre_dispatch=pre_dispatch)
        none = np.zeros(len(at), np.int32)
        return Submits(np.arange(len(at)), np.diff(at, prepend=begin) * PS, none, begin)
    lead = (costs.pop + costs.dispatch) // PS
    at = found.submit.copy()
    guess = np.where(found.dispatch != MISSING, found.dispatch - lead, MISSING)
    at = np.where((at == MISSING) & found.roots, guess, at)
    known = np.concatenate([at[at != MISSING], found.submit_start[found.submit_start != MISSING]])
    begin = int(known.min(initial=int(found.dispatch.max(initial=0))))
    every = bool((found.submit != MISSING).all())
    at = np.where(at == MISSING, begin, at)
    order = np.lexsort((np.arange(len(at)), at))
    if not every:
        cost = np.diff(at[order], prepend=begin) * PS
        return Submits(order, cost, np.zeros(len(order), np.int32), begin)
    times, records = _evened(trace, found, order)
    cost = np.diff(times, prepend=begin * PS)
    fan_in = np.bincount(found.succ, minlength=len(found))[order]
    return Submits(order, cost, records, begin, _held_up_ps(cost, fan_in))


def _held_up_ps(cost: Array, fan_in: Array) -> int:
    """By how much submits took longer than usual, where they took several times as long."""
    few = fan_in <= np.median(fan_in)
    # The first ones are never held up; later ones may all be.
    usual = float(np.quantile(cost[few], _USUAL)) if few.any() else 0.0
    usual = min(usual, float(np.median(cost[:_FIRST])))
    each = (cost - usual)[~few] / np.maximum(fan_in[~few], 1)
    usual_each = max(float(np.quantile(each, _USUAL)), 0.0) if len(each) else 0.0
    expected = usual + usual_each * np.where(few, 0, fan_in)
    return int((cost - expected)[cost > _SEVERAL * expected].sum())


def _evened(trace: Trace, found: Nodes, order: Array) -> tuple[Array, Array]:
    """Submits take time for themselves, for each edge, and for the scopes that end between them."""
    fan_in = np.bincount(found.succ, minlength=len(found))[order]
    times, tick = found.submit[order], tick_ns(trace)
    phases = trace.phases
    ended = np.flatnonzero(phases["kind"] == trace.code("scope_end"))
    length = (phases["end_ns"] - phases["start_ns"])[ended]
    scopes = same_lengths(length, np.zeros(len(length), np.int64), tick) / PS
    place = np.searchsorted(times, phases["end_ns"][ended], side="left")
    inside = place < len(times)
    count = np.bincount(place[inside], minlength=len(times))
    taken = np.bincount(place[inside], weights=scopes[inside], minlength=len(times))
    # Stamps are cut down to ticks, so half a tick early in the mean; the first one is the begin.
    times = without_stalls(trace, times)
    even = even_times(times, (fan_in, count, taken), tick) + round(tick / 2 * PS)
    return even, (1 + np.append(count[1:], 0)).astype(np.int32)
