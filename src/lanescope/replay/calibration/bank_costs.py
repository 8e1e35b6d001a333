"""What a scheduler takes that serves many cores in one step, from the stamps of its steps."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lanescope.analyze.columns.quantiles import quantile
from lanescope.replay.readings.bank_steps import BankSteps, soonest_ns
from lanescope.trace.table import Array

_OUTLIER = 3
"""A time that is so many times the usual distance from what is expected had another reason."""
_PASSES = 3
"""How often a fit is made, each time without the outliers of the one before."""
_MOST_ROUNDS = 50
"""After more rounds that found nothing, the time between two stamps tells little of one."""


_NEAR = 2
"""Numbers of rounds that lie nearer to each other than to none, by this factor, give no line: they
differ because rounds took longer or shorter. Then what follows a dispatch is taken for a round."""


class BankCosts(NamedTuple):
    """In nanoseconds; a cost that no step tells is 0."""

    look: float
    """From the latest end that a look can see to the first finish of its round."""
    complete: float
    """From a step that finishes to the next of the same round."""
    resolve: float
    """Per step that finishes tasks with successors …"""
    resolve_edge: float
    """… and per successor that the step tells one after the other."""
    before_dispatch: float
    """From the last of both to the begin of the first step that dispatches."""
    dispatch: float
    """Per step that dispatches."""
    pop: float
    """Per look into the ready queues that all schedulers share."""
    after_dispatch: float
    """From a round's last dispatch to the next look."""
    loop: float
    """A round that finds nothing."""
    opening: float
    """Per step that takes a core's first buffer."""
    longest: float
    """A round that does something, but for the longest 5 %."""


def bank_costs(steps: BankSteps) -> BankCosts:
    """The costs that the steps tell."""
    rounds = _rounds(steps)
    look, rest, loop = _round_ns(steps, rounds)
    complete = _complete_ns(steps)
    dispatch, pop = _dispatch_ns(steps)
    base, resolve, edge, opening = _between_ns(steps, rounds, complete)
    dispatch = min(dispatch, base + resolve)
    return BankCosts(
        look=look,
        complete=complete,
        resolve=resolve,
        resolve_edge=edge,
        before_dispatch=base - dispatch,
        dispatch=dispatch,
        pop=pop,
        after_dispatch=rest,
        loop=loop,
        opening=opening,
        longest=look + rest + _longest_ns(steps, rounds),
    )


class _Rounds(NamedTuple):
    """Rounds in the order of their steps."""

    first: Array
    """The round's first step."""
    finishes: Array
    """How many of its steps finish; the others follow and dispatch."""
    end: Array
    """The step behind its last."""
    earliest_end_ns: Array
    """The first end of all runs that it finishes, …"""
    latest_end_ns: Array
    """… and the last."""


def _rounds(steps: BankSteps) -> _Rounds:
    first = np.flatnonzero(np.diff(steps.round, prepend=0))
    return _Rounds(
        first=first,
        finishes=np.add.reduceat((~steps.gives).astype(np.int64), first),
        end=np.append(first[1:], len(steps.round)),
        earliest_end_ns=np.minimum.reduceat(steps.earliest_end_ns, first),
        latest_end_ns=np.maximum.reduceat(steps.latest_end_ns, first),
    )


# ---- inside a round ------------------------------------------------------------------------------


def _complete_ns(steps: BankSteps) -> float:
    """From a step that finishes and opens no buffer to the next one of the same round."""
    follows = (steps.round[1:] == steps.round[:-1]) & ~steps.gives[1:] & ~steps.opens[:-1]
    return _mean(np.diff(steps.time_ns)[follows])


def _dispatch_ns(steps: BankSteps) -> tuple[float, float]:
    """What a step and a look into the queues cost. The queues are looked at behind the tasks that
    the round itself made ready, and again before the first bank."""
    follows = (steps.round[1:] == steps.round[:-1]) & steps.gives[1:] & steps.gives[:-1]
    follows &= ~steps.waited[1:]
    gap = np.diff(steps.time_ns)
    looked = follows & ~steps.own[1:] & (steps.own[:-1] | (steps.bank[1:] <= steps.bank[:-1]))
    plain = follows & ~looked
    if not plain.any():
        return _mean(gap[looked]), 0.0
    dispatch = _mean(gap[plain])
    return dispatch, max(_mean(gap[looked]) - dispatch, 0.0)


def _between_ns(steps: BankSteps, rounds: _Rounds, complete: float) -> list[float]:
    """From a round's first finish to its first dispatch, less `complete` for each further step:
    a part that is always there, and one per step that tells successors, per successor and per step
    that opens a buffer."""
    both = (rounds.finishes > 0) & (rounds.finishes < rounds.end - rounds.first)
    both[both] = ~steps.waited[(rounds.first + rounds.finishes)[both]]
    gives = (rounds.first + rounds.finishes)[both]

    def per_round(values: Array) -> Array:
        return np.asarray(np.add.reduceat(values.astype(np.float64), rounds.first)[both])

    time = steps.time_ns[gives] - steps.time_ns[rounds.first[both]]
    columns = [np.ones(len(time)), per_round(steps.told > 0), per_round(steps.told)]
    columns += [per_round(steps.opens), ~steps.own[gives]]
    fitted = _fitted(np.column_stack(columns), time - complete * (rounds.finishes[both] - 1))
    return fitted[:-1]


def _longest_ns(steps: BankSteps, rounds: _Rounds) -> float:
    """From the first step of a round to its last, but for the longest 5 %."""
    length = steps.time_ns[rounds.end - 1] - steps.time_ns[rounds.first]
    return quantile(length, 0.95)


# ---- from round to round -------------------------------------------------------------------------


class _Waits(NamedTuple):
    """Rounds that finish tasks, each with the round of the same scheduler before it."""

    gap_ns: Array
    """From the last step of the round before to the first finish."""
    gave: Array
    """Whether that step dispatched."""
    lag_ns: Array
    """From the earliest end to the first finish."""
    passed: Array
    """How many rounds found nothing in between; -1 where it is not known."""


def _waits(steps: BankSteps, rounds: _Rounds) -> _Waits:
    after = np.flatnonzero(rounds.finishes[1:] > 0) + 1
    first, last = rounds.first[after], rounds.end[after - 1] - 1
    same = steps.controller[last] == steps.controller[first]
    after, first, last = after[same], first[same], last[same]
    known = (steps.loop[first] >= 0) & (steps.loop[last] >= 0)
    return _Waits(
        gap_ns=steps.time_ns[first] - steps.time_ns[last],
        gave=steps.gives[last],
        lag_ns=steps.time_ns[first] - rounds.earliest_end_ns[after],
        passed=np.where(known, steps.loop[first] - steps.loop[last] - 1, -1),
    )


def _round_ns(steps: BankSteps, rounds: _Rounds) -> tuple[float, float, float]:
    """What a look takes, what follows the last dispatch, and a round that finds nothing.

    No end is seen sooner than a look takes. Recorded numbers of rounds tell how many found nothing;
    without them, an end that comes meanwhile is seen half a round later, in the mean.
    """
    ends = rounds.finishes > 0
    look = soonest_ns((steps.time_ns[rounds.first] - rounds.latest_end_ns)[ends])
    waits = _waits(steps, rounds)
    counted = waits.gave & (waits.passed >= 0) & (waits.passed < _MOST_ROUNDS)
    passed = waits.passed[counted].astype(np.float64)
    told = rest_and_loop(passed, waits.gap_ns[counted].astype(np.float64), look)
    if told is not None:
        return look, *told
    busy = waits.gave & (waits.lag_ns > waits.gap_ns)
    idle = waits.gap_ns - waits.lag_ns > 2 * look
    rest = max(_mean(waits.gap_ns[busy]) - look, 0.0)
    return look, rest, max(2 * (_mean(waits.lag_ns[idle]) - look), 0.0)


def rest_and_loop(passed: Array, gap_ns: Array, look: float) -> tuple[float, float] | None:
    """What follows a dispatch, and a round that finds nothing; None where numbers do not tell it.
    In each gap are as many of these rounds as `passed` says."""
    if len(np.unique(passed)) < 2:
        return None
    if np.ptp(passed) * _NEAR < passed.max():
        loop = float(gap_ns.mean() / (passed.mean() + 1))
        return max(loop - look, 0.0), loop
    rest, loop = _fitted(np.column_stack([np.ones(len(passed)), passed]), gap_ns)
    return (max(rest - look, 0.0), loop) if loop > 0 else None


# ---- means and fits without outliers -------------------------------------------------------------


def _mean(values: Array) -> float:
    """Mean without the outliers; 0.0 for an empty array."""
    if not len(values):
        return 0.0
    middle = np.median(values)
    off = np.abs(values - middle)
    return float(values[off <= _OUTLIER * max(np.median(off), middle / 4)].mean())


def _fitted(columns: Array, times: Array) -> list[float]:
    """Least squares, and again without outliers. A column whose cost would be negative costs 0."""
    result = np.zeros(columns.shape[1])
    used, kept = np.ones(len(times), bool), np.ones(columns.shape[1], bool)
    for _ in range(_PASSES if len(times) else 0):
        values = np.linalg.lstsq(columns[used][:, kept], times[used], rcond=None)[0]
        while (values < 0).any():
            kept[np.flatnonzero(kept)[np.argmin(values)]] = False
            values = np.linalg.lstsq(columns[used][:, kept], times[used], rcond=None)[0]
        result[:] = 0
        result[kept] = values
        off = np.abs(columns @ result - times)
        used = off <= max(_OUTLIER * float(np.median(off)), float(np.median(times)) / 4)
    return [float(value) for value in result]
