"""Costs from whole chains of stamps: what a scheduler did between two stamps is known, and over a
long chain of them a tick's error is spread over everything that was done.

A chain is broken where the time between two stamps is not what the costs say: the scheduler did
something that is not recorded. A run with few unbroken stamps keeps the costs that it has.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from lanescope.native.replay import Costs
from lanescope.replay.calibration.phase_costs import OUTER
from lanescope.replay.readings.served import PS, ServedRuns, cores_holding
from lanescope.trace.table import Array, Table
from lanescope.trace.trace import Trace

NAMES = (
    *("loop", "poll", "complete_base", "complete", "record", "resolve", "phase"),
    *("pop", "dispatch", "release", "publish", "poll_engine"),
)
_PLACE = {name: place for place, name in enumerate(NAMES)}
MOST_PHASES = 50_000
"""Of more phases the means are as good."""
_SHORTEST = 10
_SLACK = (0.02, 0.005, 0.001, 0.0005)
"""By this part the time between two stamps may be off, first and when costs are known better."""
_PULL = 1e-6
"""What the stamps do not tell stays near what it was."""


Done = tuple[tuple[int, float], ...]


class Stamp(NamedTuple):
    """A moment in ns, and what was done since the stamp before: (cost's place, how often)."""

    time: int
    done: Done


def chained(trace: Trace, phases: Table, rows: ServedRuns, *, costs: Costs) -> Costs:
    """The costs, better where the chains tell."""
    if not len(phases) or len(phases) > MOST_PHASES:
        return costs
    parts = [
        _columns(_stamps(trace, own, rows, costs=costs))
        for controller in np.unique(phases["controller"]).tolist()
        if len(own := phases.rows(np.flatnonzero(phases["controller"] == controller)))
    ]
    for slack in _SLACK:
        found = _fitted(parts, costs, tick=rows.tick_ns, slack=slack)
        if found is None:
            return costs
        costs = found
    return costs


# ---- stamps of one scheduler --------------------------------------------------------------------


def _done(**counts: float) -> Done:
    return tuple((_PLACE[name], count) for name, count in counts.items() if count)


class _Phase(NamedTuple):
    kind: str
    start: int
    end: int
    tasks: int
    looks: int
    holding: int
    """Cores that hold a task at its start."""
    awaited: int
    """Tasks that engines work on at its start."""


class _Seen(NamedTuple):
    """Moments of one controller, in order."""

    dispatches: Array
    finishes: Array
    told: tuple[Array, Array, Array]
    """Start, end and count of each telling of successors."""
    costs: Costs


def _stamps(trace: Trace, own: Table, rows: ServedRuns, *, costs: Costs) -> Iterator[Stamp]:
    controller = int(own["controller"][0])
    kinds = {trace.code(name): name for name in OUTER}
    outer = np.flatnonzero(np.isin(own["kind"], list(kinds)))
    outer = outer[np.argsort(own["start_ns"][outer], kind="stable")]
    start, end, loop = (own[name][outer] for name in ("start_ns", "end_ns", "loop"))
    mine = rows.controller == controller
    seen = _Seen(np.sort(rows.dispatch[mine]), np.sort(rows.finish[mine]), _told(trace, own), costs)
    tasks = np.maximum(own["tasks"][outer], 0)
    looks = np.maximum(own["pop_hit"][outer], 0) + np.maximum(own["pop_miss"][outer], 0)
    holding = cores_holding(rows, controller, np.append(start, end))
    polled = np.cumsum(np.where(own["kind"][outer] == trace.code("async_poll"), tasks, 0))
    engines = np.sort(rows.finish[mine & rows.awaits])
    # The poll of a phase takes the tasks off that it finds; others are awaited at its start.
    awaited = np.searchsorted(engines, start, side="right") - np.append(0, polled[:-1])
    after = np.searchsorted(engines, end, side="right") - polled
    for place, row in enumerate(outer.tolist()):
        one = _Phase(kinds[int(own["kind"][row])], int(start[place]), int(end[place]),
                     int(tasks[place]), int(looks[place]), int(holding[place]),
                     int(awaited[place]))  # fmt: skip
        passed = float(loop[place] - loop[place - 1]) if place else 0.0
        held = passed * holding[len(outer) + place - 1]
        round_ = _done(phase=1, loop=passed, poll=held, poll_engine=passed * after[place - 1])
        yield Stamp(one.start, round_ if place else ())
        yield from _inside(one, seen)


def _told(trace: Trace, own: Table) -> tuple[Array, Array, Array]:
    which = np.flatnonzero(own["kind"] == trace.code("resolve"))
    which = which[np.argsort(own["start_ns"][which], kind="stable")]
    return own["start_ns"][which], own["end_ns"][which], own["tasks"][which]


def _inside(one: _Phase, seen: _Seen) -> Iterator[Stamp]:
    """Stamps behind the start of a phase, the last one its end."""
    count = one.tasks
    if one.kind == "complete":
        low, high = np.searchsorted(seen.finishes, [one.start, one.end], side="left")
        for number, finish in enumerate(seen.finishes[low:high].tolist()):
            first = _done(poll=one.holding, complete_base=1, complete=1)
            yield Stamp(finish, _done(record=1, complete=1) if number else first)
        yield from _telling(one, seen, _done(record=1) if high > low else ())
    elif one.kind == "dummy":
        yield from _telling(one, seen, _done(pop=count, phase=count))
    elif one.kind == "async_poll":
        yield from _telling(one, seen, _done(poll_engine=one.awaited))
    elif one.kind == "release":
        yield Stamp(one.end, _done(release=count))
    elif one.kind == "drain":
        yield Stamp(one.end, _done(pop=1, dispatch=count, publish=count, phase=2))
    elif one.kind == "early_dispatch":
        yield Stamp(one.end, _done(pop=count, dispatch=count))
    else:
        yield from _dispatching(one, seen)


def _dispatching(one: _Phase, seen: _Seen) -> Iterator[Stamp]:
    """Before a dispatch there are as many looks into queues as its time allows: none for the
    second core of a task, more than one behind a queue that was empty."""
    low, high = np.searchsorted(seen.dispatches, [one.start, one.end], side="right")
    left, last = one.looks, one.start
    pop, each = max(seen.costs.pop, 1) / PS, seen.costs.dispatch / PS
    for moment in seen.dispatches[low:high].tolist():
        looks = min(max(round((moment - last - each) / pop), 0), left)
        yield Stamp(moment, _done(pop=looks, dispatch=1))
        left, last = left - looks, moment
    yield Stamp(one.end, _done(pop=left))


def _telling(one: _Phase, seen: _Seen, lead: Done) -> Iterator[Stamp]:
    """Successors are told at a phase's end, if there are any."""
    start, end, count = seen.told
    place = int(np.searchsorted(start, one.start, side="left"))
    if place < len(start) and end[place] <= one.end:
        yield Stamp(int(start[place]), lead)
        yield Stamp(int(end[place]), _done(resolve=float(count[place])))
        yield Stamp(one.end, _done(phase=1))
    else:
        yield Stamp(one.end, lead)


# ---- fitting ------------------------------------------------------------------------------------


def _columns(stamps: Iterator[Stamp]) -> tuple[Array, Array]:
    """Times, and what was done since the stamp before, a row each."""
    listed = list(stamps)
    done = np.zeros((len(listed), len(NAMES)))
    for row, stamp in enumerate(listed):
        for place, count in stamp.done:
            done[row, place] = count
    return np.array([stamp.time for stamp in listed], np.float64), done


def _fitted(
    parts: list[tuple[Array, Array]], costs: Costs, *, tick: float, slack: float
) -> Costs | None:
    prior = np.array([getattr(costs, name) for name in NAMES]) / PS
    gram, moment, kept, count = np.zeros((len(NAMES),) * 2), np.zeros(len(NAMES)), 0, 0
    for times, done in parts:
        count += len(times)
        expected = done @ prior
        off = np.diff(times, prepend=times[:1]) - expected
        # A scheduler that finds news at once goes on without a round.
        at_once = done[:, _PLACE["loop"]] == 1
        without = done.copy()
        without[at_once, _PLACE["loop"]] = without[at_once, _PLACE["poll"]] = 0
        skipped = np.diff(times, prepend=times[:1]) - without @ prior
        nearer = at_once & (np.abs(skipped) < np.abs(off))
        done, off = np.where(nearer[:, None], without, done), np.where(nearer, skipped, off)
        # Rounds that took no time are counted, too: one more or less must be told apart.
        rounds = done[:, _PLACE["loop"]]
        waits = [_PLACE[name] for name in ("loop", "poll", "poll_engine")]
        each = (done[:, waits] @ prior[waits]) / np.maximum(rounds, 1)
        unclear = (rounds > 0) & (tick + slack * expected > each / 2)
        chain = np.cumsum((np.abs(off) > 1.5 * tick + slack * expected) | unclear)
        size = np.bincount(chain)
        long = size[chain] >= _SHORTEST
        kept += int(np.count_nonzero(long))
        total = np.cumsum(done, axis=0)
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


def _centred(values: Array, chain: Array, size: Array) -> Array:
    """Less the mean of its chain."""
    sums = np.zeros((len(size), values.shape[1]))
    np.add.at(sums, chain, values)
    return values - (sums / np.maximum(size, 1)[:, None])[chain]
