"""What schedulers that serve many cores in one step did when, from the stamps of their runs.

A round is a look at all cores. It has steps that finish the tasks of a bank, the telling of their
successors, and steps that give tasks to a bank. All runs of a step have one stamp.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lanescope.analyze.columns.quantiles import quantile
from lanescope.analyze.graph.nodes import Nodes
from lanescope.replay.readings.banks import first_of_groups, seats_of
from lanescope.replay.readings.phases import scheduler_phases
from lanescope.replay.readings.served import ServedRuns
from lanescope.trace.numbering import different
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace

TOLD_ALONE = 8
"""So many successors of a task are told by one; longer lists are shared (TOLD_ALONE in banks.h)."""
_SOONEST = 0.01
_OPENING = 3
"""To open buffers and go to the next bank takes less than so many looks."""
_NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BankSteps:
    """One entry per step, by controller and time."""

    controller: Array
    time_ns: Array
    gives: Array
    """Whether it dispatches tasks; else it finishes some."""
    bank: Array
    round: Array
    """Number of its round, over all controllers."""
    loop: Array
    """Number of its round as it is recorded, which counts rounds that found nothing; else -1."""
    told: Array
    """How many successors of the finished tasks are told one after the other."""
    earliest_end_ns: Array
    """Of a step that finishes: the first end of its runs, …"""
    latest_end_ns: Array
    """… and the last."""
    opens: Array
    """Whether it finishes the first run of a core."""
    own: Array
    """Of a step that dispatches: whether its round made one of its tasks ready."""
    waited: Array
    """Whether one of the tasks that it dispatches was submitted after the step before it."""


class _Stamps(NamedTuple):
    """The finish and the dispatch of every run, in the order of the steps."""

    run: Array
    controller: Array
    time_ns: Array
    gives: Array
    bank: Array

    @property
    def first(self) -> Array:
        """Where each step begins."""
        return first_of_groups(self.controller, self.time_ns, self.gives, self.bank)


def bank_steps(trace: Trace, nodes: Nodes, runs: ServedRuns, *, cores: int) -> BankSteps:
    """The steps of all schedulers of a trace, whose banks have so many cores."""
    stamps = _stamps(runs, cores)
    first, run = stamps.first, stamps.run
    controller, time, gives, bank = (column[first] for column in stamps[1:])
    ends = runs.end_ns[run]
    earliest = np.minimum.reduceat(np.where(stamps.gives, _NEVER, ends), first)
    latest = np.maximum.reduceat(np.where(stamps.gives, -_NEVER, ends), first)
    new = np.diff(runs.core, prepend=-1) != 0
    opens = np.maximum.reduceat(new[run] & ~stamps.gives, first)
    loop = _loops(trace, controller, time)
    look = soonest_ns((time - latest)[~gives])
    begins = _begins(time, gives, bank, opens=opens, look_ns=look)
    known = np.where(loop >= 0, np.diff(loop, prepend=-1) != 0, begins)
    rounds = np.cumsum(known | (np.diff(controller, prepend=-1) != 0))
    of_stamp = np.repeat(rounds, np.diff(np.append(first, len(run))))
    return BankSteps(
        controller=controller,
        time_ns=time,
        gives=gives,
        bank=bank,
        round=rounds,
        loop=loop,
        told=_told(nodes, runs, stamps, cores=cores),
        earliest_end_ns=earliest,
        latest_end_ns=latest,
        opens=opens,
        own=np.maximum.reduceat(_made_ready(nodes, runs, stamps, of_stamp), first),
        waited=_submitted_ns(nodes, runs, stamps) > np.append(_NEVER, time[:-1])[: len(time)],
    )


def _stamps(runs: ServedRuns, cores: int) -> _Stamps:
    count = len(runs.core)
    run = np.tile(np.arange(count), 2)
    gives = np.repeat([False, True], count)
    time = np.concatenate([runs.finish_ns, runs.dispatch_ns])
    controller, bank = runs.controller[run], (seats_of(runs) // cores)[run]
    order = np.lexsort((bank, gives, time, controller))
    return _Stamps(run[order], controller[order], time[order], gives[order], bank[order])


def soonest_ns(lags_ns: Array) -> float:
    """The shortest of many times, but for one in a hundred; 0.0 for an empty array."""
    return quantile(lags_ns, _SOONEST) if len(lags_ns) else 0.0


def _told(nodes: Nodes, runs: ServedRuns, stamps: _Stamps, *, cores: int) -> Array:
    """By step: the longest list that one tells alone, and the shares of longer ones."""
    successors = np.bincount(nodes.pred, minlength=len(nodes))[nodes.of_row[runs.rows]]
    count = np.where(stamps.gives, 0, successors[stamps.run])
    alone = np.where(count <= TOLD_ALONE, count, 0)
    shared = np.where(count > TOLD_ALONE, -(-count // cores), 0)
    longest = np.maximum.reduceat(alone, stamps.first)
    return np.asarray(longest + np.add.reduceat(shared, stamps.first))


def _made_ready(nodes: Nodes, runs: ServedRuns, stamps: _Stamps, rounds: Array) -> Array:
    """By stamp: whether it is a dispatch in the round that finished a predecessor."""
    node = nodes.of_row[runs.rows][stamps.run]
    done = np.full(len(nodes), -1, np.int64)
    done[node[~stamps.gives]] = rounds[~stamps.gives]
    ready = np.full(len(nodes), -1, np.int64)
    np.maximum.at(ready, nodes.succ, done[nodes.pred])
    return np.asarray(stamps.gives & (ready[node] == rounds))


def _submitted_ns(nodes: Nodes, runs: ServedRuns, stamps: _Stamps) -> Array:
    """By step: the last submit of the tasks that it dispatches, as far as submits are known."""
    submit = nodes.submit[nodes.of_row[runs.rows]][stamps.run]
    return np.asarray(np.maximum.reduceat(np.where(stamps.gives, submit, -_NEVER), stamps.first))


def _loops(trace: Trace, controller: Array, time_ns: Array) -> Array:
    """By step: the recorded number of its round, -1 where it is not known."""
    phases = scheduler_phases(trace)
    loop = np.full(len(time_ns), -1, np.int64)
    for number in different(controller).tolist():
        mine = phases.rows(np.flatnonzero(phases["controller"] == number))
        if not len(mine):
            continue
        mine = mine.rows(np.argsort(mine["start_ns"], kind="stable"))
        own = controller == number
        at = np.searchsorted(mine["start_ns"], time_ns[own], side="right") - 1
        loop[own] = np.where(at >= 0, mine["loop"][np.maximum(at, 0)], -1)
    return np.maximum(loop, -1)


def _begins(time_ns: Array, gives: Array, bank: Array, *, opens: Array, look_ns: float) -> Array:
    """By step: whether a round begins with it, where no phases tell.

    The steps of a round go through the banks, and finish before they dispatch. A look at the cores
    takes longer than to go from step to step, unless the step opens buffers.
    """
    gap = np.diff(time_ns, prepend=time_ns[:1])
    behind, opened = (np.append(False, column[:-1])[: len(gap)] for column in (gives, opens))
    back = np.append(False, bank[1:] <= bank[:-1])[: len(gap)]
    long = gap > np.where(opened & ~back, _OPENING, 1) * look_ns
    return np.asarray((~gives & (behind | long)) | (gives & behind & back & (gap > 2 * look_ns)))
