"""When each scheduler had something to do and did not do it, from the records of its tasks.

A scheduler has something to do while a task of one of its cores has ended and is not seen, and
while a task is ready that one of its cores has room for. Such a time is cut at every moment at
which the scheduler did something. A piece that takes longer than what is done at its end usually
takes is an absence: a long round, or a thread that was off the processor.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np

from lanescope.replay.readings.given import GivenRuns
from lanescope.replay.readings.machine import ReplayMachine
from lanescope.replay.readings.spans import Spans, both, cut_at, either, open_at_once, outside
from lanescope.trace.table import Array

_USUAL = 0.25
"""Quantile of the pieces that is what a step usually takes: longer ones have absences in them."""
_LONG = 2
"""A piece of a busy scheduler has an absence in it when it takes more than so many times that."""
_TURN = 10
"""A turn of a scheduler has about so many steps."""
_EVER = np.iinfo(np.int64).max // 2


class UsualSteps(NamedTuple):
    """What a scheduler usually takes while it is at work, in ns."""

    finish: float = 0.0
    """To see one end."""
    dispatch: float = 0.0
    """To give one core a task."""

    @property
    def turn(self) -> float:
        """What a turn takes at most, about. A scheduler of a replay may be late by as much."""
        return _TURN * (self.finish + self.dispatch)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pieces:
    """Pieces of time in which a scheduler had something to do, by scheduler and time."""

    scheduler: Array
    start_ns: Array
    end_ns: Array
    finishes: Array
    """How many ends the scheduler saw at the end of the piece."""
    dispatches: Array
    """How many cores it gave a task then. Both may be 0: another scheduler was faster."""
    idle: Array
    """Whether the scheduler had nothing to do before the piece."""
    last_ns: Array
    """The last moment up to the piece at which the scheduler did something, or the begin."""
    acts: Array
    """How many ends the scheduler had seen and cores it had given tasks before the piece."""

    def rows(self, which: Array) -> Pieces:
        """The pieces in a mask, or at these places."""
        return Pieces(**{field.name: getattr(self, field.name)[which] for field in fields(self)})


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Absences:
    """Spans of time in which a scheduler begins nothing, by scheduler and time; they do not
    overlap. Times are ns from the trace's base."""

    scheduler: Array
    start_ns: Array
    end_ns: Array
    acts: Array
    """A scheduler that is late may see ends and give tasks so often in all before it is away."""

    def rows(self, which: Array) -> Absences:
        """The absences in a mask, or at these places."""
        return Absences(**{field.name: getattr(self, field.name)[which] for field in fields(self)})


def no_absences() -> Absences:
    """Schedulers that are always there."""
    none = np.zeros(0, np.int64)
    return Absences(scheduler=none, start_ns=none, end_ns=none, acts=none)


# ---- something to do -----------------------------------------------------------------------------


def pieces_of(given: GivenRuns, machine: ReplayMachine, mixed: Array, *, begin_ns: int) -> Pieces:
    """The pieces of all schedulers; `mixed` says by run whether its block needs several cores."""
    end_ns = int(given.finish_ns.max(initial=begin_ns))
    queues = _queues(given, machine, mixed)
    every = []
    for number in range(machine.schedulers):
        own = given.rows(given.scheduler == number)
        parts = [open_at_once(own.end_ns, own.finish_ns)]
        for kind, queue in queues.items():
            full = _full(own, machine, number=number, kind=kind)
            parts.append(both(queue, outside(full, begin_ns, end_ns)))
        every.append(_pieces(own, either(parts), number, begin_ns=begin_ns))
    return Pieces(
        **{
            field.name: np.concatenate([getattr(one, field.name) for one in every])
            for field in fields(Pieces)
        }
    )


def _queues(given: GivenRuns, machine: ReplayMachine, mixed: Array) -> dict[int, Spans]:
    """By kind of core, or -1 for blocks of several cores: when a task was ready and waited."""
    queues = {}
    for kind in (*range(len(machine.kinds)), -1):
        mine = mixed if kind < 0 else ~mixed & (given.kind == kind)
        if mine.any():
            queues[kind] = open_at_once(given.ready_ns[mine], given.dispatch_ns[mine])
    return queues


def _full(own: GivenRuns, machine: ReplayMachine, *, number: int, kind: int) -> Spans:
    """When no core of a scheduler has room for a task of a kind; -1: when no cluster is idle."""
    mine = machine.scheduler == number
    if kind < 0:
        group, depth = machine.cluster, 0
    else:
        group, depth = np.arange(len(mine)), machine.pre_dispatch
        mine &= machine.core_kind == kind
    busy = []
    for one in np.unique(group[mine]).tolist():
        runs = own.rows(group[own.core] == one)
        busy.append(open_at_once(runs.dispatch_ns, runs.finish_ns, least=depth + 1))
    if not busy:
        return Spans(np.array([-_EVER]), np.array([_EVER]))
    start, end = (np.concatenate(times) for times in zip(*busy, strict=True))
    return open_at_once(start, end, least=len(busy))


def _pieces(own: GivenRuns, pending: Spans, number: int, *, begin_ns: int) -> Pieces:
    """The time `pending` of one scheduler, whose runs are `own`, in pieces."""
    finishes, finished = np.unique(own.finish_ns, return_counts=True)
    dispatches, given = np.unique(own.dispatch_ns, return_counts=True)
    moments = np.unique(np.concatenate([finishes, dispatches, [begin_ns]]))
    cut = cut_at(pending, moments)
    last = moments[np.maximum(np.searchsorted(moments, cut.start, side="right") - 1, 0)]
    acts = np.sort(np.concatenate([own.finish_ns, own.dispatch_ns]))
    return Pieces(
        scheduler=np.full(len(cut.start), number),
        start_ns=cut.start,
        end_ns=cut.end,
        finishes=_count_at(finishes, finished, cut.end),
        dispatches=_count_at(dispatches, given, cut.end),
        idle=last < cut.start,
        last_ns=np.minimum(last, cut.start),
        acts=np.searchsorted(acts, cut.start, side="right"),
    )


def _count_at(moments: Array, counts: Array, wanted: Array) -> Array:
    """How many things happened at each wanted moment; `moments` rise."""
    if not len(moments):
        return np.zeros(len(wanted), np.int64)
    place = np.minimum(np.searchsorted(moments, wanted), len(moments) - 1)
    return np.where(moments[place] == wanted, counts[place], 0)


# ---- what is usual, and what is not --------------------------------------------------------------


def usual_steps(pieces: Pieces) -> UsualSteps:
    """What the pieces of busy schedulers say that they usually take."""
    return UsualSteps(
        finish=_usual_ns(pieces, pieces.finishes, others=pieces.dispatches),
        dispatch=_usual_ns(pieces, pieces.dispatches, others=pieces.finishes),
    )


def _usual_ns(pieces: Pieces, count: Array, *, others: Array) -> float:
    """What one of `count` things usually takes, in pieces that end with these alone."""
    some = ~pieces.idle & (count > 0) & (others == 0)
    each = (pieces.end_ns - pieces.start_ns)[some] / count[some]
    return float(np.quantile(each, _USUAL)) if len(each) else 0.0


def absences_of(pieces: Pieces, steps: UsualSteps) -> Absences:
    """The absences that the pieces show.

    An absence ends so early that what follows it ends with its piece. A scheduler that had nothing
    to do before was away before, too, about as long as it then was; but it was there for a turn
    behind what it did last. A busy one that is a turn early is away when it has done as much.
    """
    acts = steps.finish * pieces.finishes + steps.dispatch * pieces.dispatches
    length = pieces.end_ns - pieces.start_ns
    away = np.flatnonzero(length > np.where(pieces.idle, 1, _LONG) * acts)
    chosen = pieces.rows(away)
    turn = np.minimum(steps.turn, (chosen.start_ns - chosen.last_ns) / 2).astype(np.int64)
    earlier = np.maximum(chosen.start_ns - length[away], chosen.last_ns + turn)
    return _apart(
        Absences(
            scheduler=chosen.scheduler,
            start_ns=np.where(chosen.idle, earlier, chosen.start_ns - round(steps.turn)),
            end_ns=np.round(chosen.end_ns - acts[away]).astype(np.int64),
            acts=chosen.acts,
        )
    )


def _apart(absences: Absences) -> Absences:
    """The absences without empty ones; one that overlaps the one before begins at its end."""
    who, start, end = absences.scheduler, absences.start_ns.copy(), absences.end_ns
    same = np.append(False, who[1:] == who[:-1])[: len(who)]
    start[same] = np.maximum(start[same], np.roll(end, 1)[same])
    return Absences(scheduler=who, start_ns=start, end_ns=end, acts=absences.acts).rows(end > start)
