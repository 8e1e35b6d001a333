"""What schedulers took in each of their turns, from the dispatches and finishes of their tasks.

A turn is a row of dispatches and finishes of one scheduler that follow each other as fast as it
works. Before a turn the scheduler was idle, in a long round, or its thread was off the processor:
what could have been done earlier was late by that much.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lanescope.analyze.columns.quantiles import quantile
from lanescope.replay.readings.given import GivenRuns
from lanescope.replay.readings.machine import ReplayMachine
from lanescope.replay.readings.spans import open_at_once
from lanescope.trace.numbering import different
from lanescope.trace.table import Array

_USUAL = 0.25
"""Quantile of the steps that is what one usually takes: longer ones have waits in them."""
_LONG = 4
"""A step that takes more than so many times the usual begins another turn."""


class UsualSteps(NamedTuple):
    """What a scheduler takes while it is at work, in ns."""

    finish: float = 0.0
    """To see one end."""
    dispatch: float = 0.0
    """To give one core a task."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LateRuns:
    """One entry per run of `GivenRuns`, in ns."""

    seen: Array
    """From its end to the turn in which the scheduler saw it."""
    wait: Array
    """From when its node was ready to the turn in which it was dispatched, if there was room."""
    give: Array
    """What its dispatch took, with the wait before its turn; -1 where that is as usual."""
    steps: UsualSteps


class _Acts(NamedTuple):
    """Moments of one scheduler at which it did something, each once, in rising order."""

    at_ns: Array
    finishes: Array
    """How many ends it saw at each."""
    dispatches: Array
    """How many cores it gave a task."""
    due_ns: Array
    """Since when all of that could have been done."""


def late_runs(given: GivenRuns, machine: ReplayMachine, mixed: Array) -> LateRuns:
    """How late schedulers were; `mixed` says by run whether its block needs several cores."""
    every = [_acts(given.rows(given.scheduler == n)) for n in range(machine.schedulers)]
    usual = _usual_steps(every)
    seen, wait = np.zeros(len(given.node), np.int64), np.zeros(len(given.node), np.int64)
    give, means = np.full(len(given.node), -1, np.int64), []
    for number, acts in enumerate(every):
        own = np.flatnonzero(given.scheduler == number)
        turn = _turns(acts, usual)
        means.append(_in_turns(acts, turn))
        begin = _begins(acts, turn, usual)
        runs = given.rows(own)
        at = np.searchsorted(acts.at_ns, runs.finish_ns)
        seen[own] = np.maximum(begin[at] - runs.end_ns, 0)
        at = np.searchsorted(acts.at_ns, runs.dispatch_ns)
        room = _room_since(runs, machine, mixed[own], number=number)
        ready = runs.ready_ns >= room
        wait[own] = np.where(ready, np.maximum(begin[at] - runs.ready_ns, 0), 0)
        late = np.flatnonzero(~ready & (room < begin[at]))
        _, first = np.unique(turn[at[late]], return_index=True)
        late = late[first]
        before = np.append(0, acts.at_ns)[np.searchsorted(turn, turn[at[late]])]
        give[own[late]] = begin[at[late]] - np.maximum(before, room[late]) + round(usual.dispatch)
    return LateRuns(seen=seen, wait=wait, give=give, steps=_mean_steps(means, usual))


def _acts(own: GivenRuns) -> _Acts:
    moments = different(np.concatenate([own.dispatch_ns, own.finish_ns]))
    finishes, dispatches = (
        np.bincount(np.searchsorted(moments, times), minlength=len(moments))
        for times in (own.finish_ns, own.dispatch_ns)
    )
    due = np.full(len(moments), np.iinfo(np.int64).min)
    np.maximum.at(due, np.searchsorted(moments, own.finish_ns), own.end_ns)
    np.maximum.at(due, np.searchsorted(moments, own.dispatch_ns), own.ready_ns)
    return _Acts(moments, finishes, dispatches, due)


# ---- turns ---------------------------------------------------------------------------------------


def _usual_steps(every: list[_Acts]) -> UsualSteps:
    """What one finish and one dispatch usually take, if nothing had to be awaited for it."""
    finish, dispatch = [np.zeros(0)], [np.zeros(0)]
    for acts in every:
        step, due = np.diff(acts.at_ns), acts.due_ns[1:] <= acts.at_ns[:-1]
        alone = due & (acts.dispatches[1:] == 0)
        finish.append(step[alone] / np.maximum(acts.finishes[1:][alone], 1))
        alone = due & (acts.finishes[1:] == 0)
        dispatch.append(step[alone] / np.maximum(acts.dispatches[1:][alone], 1))
    return UsualSteps(*(_usual_ns(np.concatenate(steps)) for steps in (finish, dispatch)))


def _usual_ns(steps: Array) -> float:
    return quantile(steps, _USUAL) if len(steps) else 0.0


def _work_ns(acts: _Acts, usual: UsualSteps) -> Array:
    """By act: what it usually takes."""
    return np.asarray(usual.finish * acts.finishes + usual.dispatch * acts.dispatches)


def _turns(acts: _Acts, usual: UsualSteps) -> Array:
    """By act: the number of its turn."""
    step = np.diff(acts.at_ns, prepend=acts.at_ns[:1])
    return np.asarray(np.cumsum(step > _LONG * _work_ns(acts, usual)))


def _begins(acts: _Acts, turn: Array, usual: UsualSteps) -> Array:
    """By act: when its turn began, before what was done first."""
    first = np.searchsorted(turn, turn)
    work = np.round(_work_ns(acts, usual)).astype(np.int64)
    return np.asarray((acts.at_ns - work)[first])


class _Work(NamedTuple):
    """Steps inside turns: their time, and the finishes and dispatches in them."""

    ns: Array
    finishes: Array
    dispatches: Array


def _in_turns(acts: _Acts, turn: Array) -> _Work:
    inside = turn[1:] == turn[:-1]
    return _Work(
        np.diff(acts.at_ns)[inside], acts.finishes[1:][inside], acts.dispatches[1:][inside]
    )


def _mean_steps(means: list[_Work], usual: UsualSteps) -> UsualSteps:
    """What a finish and a dispatch take in the mean inside turns; else what they usually take."""
    ns, finishes, dispatches = (np.concatenate(parts) for parts in zip(*means, strict=True))
    work = usual.finish * finishes + usual.dispatch * dispatches
    more = float(ns.sum() / work.sum()) if len(ns) and work.sum() else 1.0
    return UsualSteps(usual.finish * more, usual.dispatch * more)


# ---- room ----------------------------------------------------------------------------------------


def _room_since(runs: GivenRuns, machine: ReplayMachine, mixed: Array, *, number: int) -> Array:
    """By run of one scheduler: since when it had room for such a run without a break."""
    since = np.full(len(runs.node), np.iinfo(np.int64).min)
    mine = machine.scheduler == number
    for kind in (*range(len(machine.kinds)), -1):
        wanted = mixed if kind < 0 else ~mixed & (runs.kind == kind)
        if not wanted.any():
            continue
        cores = mine if kind < 0 else mine & (machine.core_kind == kind)
        group = machine.cluster if kind < 0 else np.arange(len(mine))
        depth = 0 if kind < 0 else machine.pre_dispatch
        full = []
        for one in different(group[cores]).tolist():
            held = runs.rows(group[runs.core] == one)
            full.append(open_at_once(held.dispatch_ns, held.finish_ns, least=depth + 1))
        start, end = (np.concatenate(times) for times in zip(*full, strict=True))
        never = open_at_once(start, end, least=len(full))
        place = np.searchsorted(never.end, runs.dispatch_ns[wanted], side="right") - 1
        since[wanted] = np.where(place >= 0, np.append(never.end, 0)[place], since[wanted])
    return since
