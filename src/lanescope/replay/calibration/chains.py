"""Costs from whole chains of stamps.

What a scheduler did between two stamps is known. Over a long chain of stamps, the error of one tick
is spread over everything that was done. A chain breaks where the time between two stamps is not
what the costs say: the scheduler did something that is not recorded. A run with few unbroken stamps
keeps the costs that it has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from lanescope.native.replay import Costs
from lanescope.replay.readings.phases import OUTER
from lanescope.replay.readings.served import PS, ServedRuns, cores_holding
from lanescope.trace.numbering import different
from lanescope.trace.table import Array, Table
from lanescope.trace.trace import Trace

NAMES = (
    *(
        "loop",
        "poll_core",
        "complete_base",
        "complete",
        "task_record",
        "resolve_edge",
        "scheduler_phase",
    ),
    *("pop", "dispatch", "release", "publish", "poll_engine"),
)
"""The costs that chains tell."""
_PLACE = {name: place for place, name in enumerate(NAMES)}
MOST_PHASES = 50_000
"""With more phases, the means that the costs begin with are as good."""
_SHORTEST = 10
"""A chain of fewer stamps is left out."""
_SLACK = (0.02, 0.005, 0.001, 0.0005)
"""The time between two stamps may be off by this part: first much, and less as costs get better."""
_PULL = 1e-6
"""A cost that the stamps do not tell is held near what it was."""

Done = Mapping[str, float]
"""Name of a cost → how often that was done."""


class Stamp(NamedTuple):
    """A moment, and what was done since the stamp before."""

    time_ns: int
    done: Done


def chained(trace: Trace, phases: Table, runs: ServedRuns, *, costs: Costs) -> Costs:
    """The costs, improved where chains tell them; `phases` are the schedulers'."""
    if not len(phases) or len(phases) > MOST_PHASES:
        return costs
    every = [
        _stamp_table(_stamps(trace, own, runs, costs=costs))
        for controller in different(phases["controller"]).tolist()
        if len(own := phases.rows(np.flatnonzero(phases["controller"] == controller)))
    ]
    for slack in _SLACK:
        better = _fitted(every, costs, tick_ns=runs.tick_ns, slack=slack)
        if better is None:
            return costs
        costs = better
    return costs


# ---- stamps of one scheduler --------------------------------------------------------------------


def _done(**counts: float) -> Done:
    return {name: count for name, count in counts.items() if count}


class _Phase(NamedTuple):
    """One outer phase."""

    kind: str
    start_ns: int
    end_ns: int
    tasks: int
    looks: int
    """Looks into ready queues."""
    holding: int
    """Cores that hold a task at its start."""
    awaited: int
    """Tasks that engines work on at its start."""


class _Told(NamedTuple):
    """When successors were told, in order: start, end, and how many of them."""

    start_ns: Array
    end_ns: Array
    successors: Array


class _Moments(NamedTuple):
    """Moments of one controller, in order, and the costs so far."""

    dispatches_ns: Array
    finishes_ns: Array
    told: _Told
    costs: Costs


def _stamps(trace: Trace, own: Table, runs: ServedRuns, *, costs: Costs) -> Iterator[Stamp]:
    """The stamps of one controller, whose phases are `own`."""
    controller = int(own["controller"][0])
    kinds = {trace.code(name): name for name in OUTER}
    outer = np.flatnonzero(np.isin(own["kind"], list(kinds)))
    outer = outer[np.argsort(own["start_ns"][outer], kind="stable")]
    start, end, loop = (own[name][outer] for name in ("start_ns", "end_ns", "loop"))
    mine = runs.controller == controller
    moments = _Moments(
        np.sort(runs.dispatch_ns[mine]), np.sort(runs.finish_ns[mine]), _told(trace, own), costs
    )
    tasks = np.maximum(own["tasks"][outer], 0)
    looks = np.maximum(own["pop_hit"][outer], 0) + np.maximum(own["pop_miss"][outer], 0)
    holding = cores_holding(runs, controller, np.append(start, end))
    polled = np.cumsum(np.where(own["kind"][outer] == trace.code("async_poll"), tasks, 0))
    engines = np.sort(runs.finish_ns[mine & runs.awaits_engine])
    # The poll of a phase takes the tasks off that it finds; others are awaited at its start.
    awaited = np.searchsorted(engines, start, side="right") - np.append(0, polled[:-1])
    after = np.searchsorted(engines, end, side="right") - polled
    for place, row in enumerate(outer.tolist()):
        one = _Phase(kinds[int(own["kind"][row])], int(start[place]), int(end[place]),
                     int(tasks[place]), int(looks[place]), int(holding[place]),
                     int(awaited[place]))  # fmt: skip
        passed = float(loop[place] - loop[place - 1]) if place else 0.0
        held = passed * holding[len(outer) + place - 1]
        since = _done(
            scheduler_phase=1, loop=passed, poll_core=held, poll_engine=passed * after[place - 1]
        )
        yield Stamp(one.start_ns, since if place else {})
        yield from _inside(one, moments)


def _told(trace: Trace, own: Table) -> _Told:
    which = np.flatnonzero(own["kind"] == trace.code("resolve"))
    which = which[np.argsort(own["start_ns"][which], kind="stable")]
    return _Told(own["start_ns"][which], own["end_ns"][which], own["tasks"][which])


def _inside(one: _Phase, moments: _Moments) -> Iterator[Stamp]:
    """The stamps behind the start of a phase; the last one is its end."""
    count = one.tasks
    if one.kind == "complete":
        finishes = moments.finishes_ns
        low, high = np.searchsorted(finishes, [one.start_ns, one.end_ns], side="left")
        for number, finish in enumerate(finishes[low:high].tolist()):
            first = _done(poll_core=one.holding, complete_base=1, complete=1)
            yield Stamp(finish, _done(task_record=1, complete=1) if number else first)
        yield from _telling(one, moments, _done(task_record=1) if high > low else {})
    elif one.kind == "dummy":
        yield from _telling(one, moments, _done(pop=count, scheduler_phase=count))
    elif one.kind == "async_poll":
        yield from _telling(one, moments, _done(poll_engine=one.awaited))
    elif one.kind == "release":
        yield Stamp(one.end_ns, _done(release=count))
    elif one.kind == "drain":
        yield Stamp(one.end_ns, _done(pop=1, dispatch=count, publish=count, scheduler_phase=2))
    elif one.kind == "early_dispatch":
        yield Stamp(one.end_ns, _done(pop=count, dispatch=count))
    else:
        yield from _dispatching(one, moments)


def _dispatching(one: _Phase, moments: _Moments) -> Iterator[Stamp]:
    """Before a dispatch there are as many looks into queues as its time allows: none for the second
    core of a task, several behind a queue that was empty."""
    dispatches = moments.dispatches_ns
    low, high = np.searchsorted(dispatches, [one.start_ns, one.end_ns], side="right")
    left, last = one.looks, one.start_ns
    pop, each = max(moments.costs.pop, 1) / PS, moments.costs.dispatch / PS
    for moment in dispatches[low:high].tolist():
        looks = min(max(round((moment - last - each) / pop), 0), left)
        yield Stamp(moment, _done(pop=looks, dispatch=1))
        left, last = left - looks, moment
    yield Stamp(one.end_ns, _done(pop=left))


def _telling(one: _Phase, moments: _Moments, lead: Done) -> Iterator[Stamp]:
    """Successors are told at the end of a phase, if there are any; `lead` was done before that."""
    start, end, successors = moments.told
    place = int(np.searchsorted(start, one.start_ns, side="left"))
    if place < len(start) and end[place] <= one.end_ns:
        yield Stamp(int(start[place]), lead)
        yield Stamp(int(end[place]), _done(resolve_edge=float(successors[place])))
        yield Stamp(one.end_ns, _done(scheduler_phase=1))
    else:
        yield Stamp(one.end_ns, lead)


# ---- fitting ------------------------------------------------------------------------------------


class _StampTable(NamedTuple):
    """The stamps of one scheduler."""

    times_ns: Array
    done: Array
    """By stamp and cost (as in NAMES): how often that was done since the stamp before."""


def _stamp_table(stamps: Iterator[Stamp]) -> _StampTable:
    listed = list(stamps)
    done = np.zeros((len(listed), len(NAMES)))
    for row, stamp in enumerate(listed):
        for name, count in stamp.done.items():
            done[row, _PLACE[name]] = count
    return _StampTable(np.array([stamp.time_ns for stamp in listed], np.float64), done)


def _fitted(
    every: list[_StampTable], costs: Costs, *, tick_ns: float, slack: float
) -> Costs | None:
    """Least squares over all unbroken chains; None where fewer than half of the stamps are in
    one."""
    prior = np.array([getattr(costs, name) for name in NAMES]) / PS
    gram, moment, kept, count = np.zeros((len(NAMES),) * 2), np.zeros(len(NAMES)), 0, 0
    for stamps in every:
        times, chains = stamps.times_ns, _chains(stamps, prior, tick_ns=tick_ns, slack=slack)
        chain, size = chains.chain, np.bincount(chains.chain)
        long = size[chain] >= _SHORTEST
        count += len(times)
        kept += int(np.count_nonzero(long))
        total = np.cumsum(chains.done, axis=0)
        rest = times - total @ prior
        x, y = _centred(total, chain, size), _centred(rest[:, None], chain, size)[:, 0]
        gram += x[long].T @ x[long]
        moment += x[long].T @ y[long]
    if kept < count / 2:
        return None
    pull = _PULL * max(float(np.trace(gram)) / len(NAMES), 1.0)
    change = np.linalg.solve(gram + pull * np.eye(len(NAMES)), moment)
    better = np.maximum(np.round((prior + change) * PS), 0).astype(int).tolist()
    return replace(costs, **dict(zip(NAMES, better, strict=True)))


class _Chains(NamedTuple):
    """By stamp: the number of its chain, and what was done since the stamp before."""

    chain: Array
    done: Array


def _chains(stamps: _StampTable, prior_ns: Array, *, tick_ns: float, slack: float) -> _Chains:
    """Break the stamps into chains wherever these costs do not explain the time since the last."""
    done, apart = stamps.done, np.diff(stamps.times_ns, prepend=stamps.times_ns[:1])
    expected = done @ prior_ns
    off = apart - expected
    # A scheduler that finds news at once goes on without a round.
    at_once = done[:, _PLACE["loop"]] == 1
    without = done.copy()
    without[at_once, _PLACE["loop"]] = without[at_once, _PLACE["poll_core"]] = 0
    skipped = apart - without @ prior_ns
    nearer = at_once & (np.abs(skipped) < np.abs(off))
    done, off = np.where(nearer[:, None], without, done), np.where(nearer, skipped, off)
    # Rounds that took no time are counted, too: one more or less must be told apart.
    rounds = done[:, _PLACE["loop"]]
    waits = [_PLACE[name] for name in ("loop", "poll_core", "poll_engine")]
    each = (done[:, waits] @ prior_ns[waits]) / np.maximum(rounds, 1)
    unclear = (rounds > 0) & (tick_ns + slack * expected > each / 2)
    broken = (np.abs(off) > 1.5 * tick_ns + slack * expected) | unclear
    return _Chains(np.cumsum(broken), done)


def _centred(values: Array, chain: Array, size: Array) -> Array:
    """The values less the mean of their chain."""
    sums = np.zeros((len(size), values.shape[1]))
    np.add.at(sums, chain, values)
    return values - (sums / np.maximum(size, 1)[:, None])[chain]
