"""What a scheduler's round costs that finds nothing to do, and how soon it can see a task's end."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lanescope.analyze.columns.quantiles import quantile
from lanescope.native.replay import Costs
from lanescope.replay.readings.phases import are_outer
from lanescope.replay.readings.served import PS, RangePs, ServedRuns, cores_holding, in_ps
from lanescope.trace.numbering import different
from lanescope.trace.schema import MISSING
from lanescope.trace.table import Array, Table
from lanescope.trace.trace import Trace


class RoundCosts(NamedTuple):
    """What a round costs that finds nothing to do, and how soon an end can be seen."""

    loop_ps: int
    seen_ps: RangePs


def round_costs(trace: Trace, phases: Table, runs: ServedRuns, *, costs: Costs) -> RoundCosts:
    """A round that finds nothing is counted and not recorded: it costs the time between two phases
    over the number of rounds between them."""
    spans, rounds, held, lags = [], [], [], []
    outer = are_outer(trace, phases["kind"])
    for controller in different(phases["controller"]).tolist():
        mine = np.flatnonzero(outer & (phases["controller"] == controller))
        mine = mine[np.argsort(phases["start_ns"][mine], kind="stable")]
        start, end, loop = (phases[name][mine] for name in ("start_ns", "end_ns", "loop"))
        passed = loop[1:] - loop[:-1]
        idle = (passed > 1) & (loop[1:] != MISSING) & (loop[:-1] != MISSING)
        spans.append((start[1:] - end[:-1])[idle] - costs.scheduler_phase / PS)
        rounds.append(passed[idle])
        held.append(cores_holding(runs, controller, end[:-1][idle]))
        lags.append(_lags(runs, controller, start_ns=start, end_ns=end))
    count = np.concatenate(rounds)
    own = np.concatenate(spans) - np.concatenate(held) * (costs.poll_core / PS) * count
    loop_ns = _round_ns(own, count, runs.tick_ns)
    return RoundCosts(in_ps(loop_ns), _seen_ps(lags, loop_ns, costs.poll_core / PS))


def _round_ns(span_ns: Array, count: Array, tick_ns: float) -> float:
    """How long one round takes, from spans of `count` rounds each. News for another scheduler start
    a round anew, so most spans are too short: the upper quartile is the usual round."""
    if not len(span_ns):
        return 1.0
    each = span_ns / count
    usual = quantile(each, 0.75)
    near = np.abs(each - usual) <= 1 + 2 * tick_ns / count
    if np.count_nonzero(near) >= len(each) / 4:
        usual = float(span_ns[near].sum() / count[near].sum())
    return max(usual, 0.0)


class _Lags(NamedTuple):
    """By task that ended while its controller found nothing to do."""

    lag_ns: Array
    """From its end to the phase that saw it."""
    holding: Array
    """How many cores of the controller held a task."""


def _lags(runs: ServedRuns, controller: int, *, start_ns: Array, end_ns: Array) -> _Lags:
    """`start_ns` and `end_ns` are those of the controller's outer phases."""
    mine = np.flatnonzero(runs.controller == controller)
    at = np.searchsorted(start_ns, runs.finish_ns[mine], side="right") - 1
    known = at > 0
    mine, at = mine[known], at[known]
    idle = runs.end_ns[mine] >= end_ns[at - 1]
    mine, at = mine[idle], at[idle]
    held = cores_holding(runs, controller, end_ns[at - 1])
    return _Lags(start_ns[at] - runs.end_ns[mine], held)


def _seen_ps(lags: list[_Lags], loop_ns: float, poll_ns: float) -> RangePs:
    """How long an end takes until a controller can see it. No lag is shorter than that, and none is
    longer by more than a round."""
    lag = np.concatenate([one.lag_ns for one in lags])
    held = np.concatenate([one.holding for one in lags])
    if not len(lag):
        return RangePs(0, 0)
    shortest = float(lag.min())
    least = float((lag - loop_ns - poll_ns * held).max())
    return RangePs(in_ps(min(max(least, 0.0), shortest)), in_ps(shortest))
