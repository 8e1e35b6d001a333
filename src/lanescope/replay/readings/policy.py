"""How the schedulers of a recorded run choose a task, its core, and which of several ends they see.

Nothing of this is recorded. Each choice is compared with what every rule would have chosen; the
rule that is right most often is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from lanescope.native.replay import (
    BY_CORE,
    BY_END,
    FIRST_READY,
    LAST_READY,
    LATEST,
    LONGEST,
    LOWEST,
    SchedulerPolicy,
)  # fmt: skip
from lanescope.replay.readings.given import GivenRuns
from lanescope.trace.numbering import different
from lanescope.trace.table import Array

_CHOICES = 2_000_000
"""About so many candidates are looked at in all."""
_NEVER = np.iinfo(np.int64).max
_BETTER = 0.1
"""Another rule than the first must be right in a part of the choices that is larger by this …"""
_FEWEST = 3
"""… of at least so many choices on which the rules differ."""


class _Choice(NamedTuple):
    """Some of the candidates were chosen."""

    keys: Array
    """By candidate: what the first rule orders by; it takes the smallest."""
    others: tuple[Array, ...]
    """The same of each other rule."""
    chosen: Array
    """By candidate: whether it was chosen."""


def policy_of(given: GivenRuns) -> SchedulerPolicy:
    """The rules that the runs of a trace follow, as far as they tell."""
    return SchedulerPolicy(
        choice=(LONGEST, LOWEST, LATEST)[_best_rule(_core_choices(given))],
        pop=(FIRST_READY, LAST_READY)[_best_rule(_task_choices(given))],
        collect=_collect(given),
    )


def _best_rule(choices: Iterator[_Choice]) -> int:
    """The number of the rule that is right most often; 0 is the first."""
    right: list[list[float]] = []
    for one in choices:
        count = int(np.count_nonzero(one.chosen))
        hits = [
            int(np.count_nonzero(one.chosen[np.argsort(keys, kind="stable")[:count]])) / count
            for keys in (one.keys, *one.others)
        ]
        if max(hits) > min(hits):
            right.append(hits)
    if len(right) < _FEWEST:
        return 0
    share = np.mean(right, axis=0)
    best = int(np.argmax(share))
    return best if share[best] > share[0] + _BETTER else 0


def _groups(given: GivenRuns) -> Iterator[Array]:
    """Places of runs that one scheduler dispatched to one kind of core at one moment."""
    order = np.lexsort((given.kind, given.scheduler, given.dispatch_ns))
    keys = [values[order] for values in (given.kind, given.scheduler, given.dispatch_ns)]
    new = np.zeros(len(order), bool)
    for values in keys:
        new[1:] |= values[1:] != values[:-1]
    yield from np.split(order, np.flatnonzero(new))


def _task_choices(given: GivenRuns) -> Iterator[_Choice]:
    """Of the tasks of a kind that were ready, some were dispatched."""
    by_kind = {k: np.flatnonzero(given.kind == k) for k in different(given.kind).tolist()}
    left = _CHOICES
    for group in _groups(given):
        one = int(group[0])
        mine = by_kind[int(given.kind[one])]
        now = given.dispatch_ns[one]
        left -= len(mine)
        ready = mine[(given.ready_ns[mine] < now) & (given.dispatch_ns[mine] >= now)]
        chosen = np.isin(ready, group)
        if chosen.any() and not chosen.all():
            since, told = given.ready_ns[ready], given.told[ready]
            yield _Choice(since, (np.where(told, -since, since),), chosen)
        if left < 0:
            return


def _core_choices(given: GivenRuns) -> Iterator[_Choice]:
    """Of a scheduler's idle cores of a kind, some were given a task."""
    idle_since = _idle_since(given)
    left = _CHOICES
    for group in _groups(given):
        one = int(group[0])
        cores, since, until = idle_since(int(given.scheduler[one]), int(given.kind[one]))
        now = given.dispatch_ns[one]
        left -= len(cores)
        idle = (since < now) & (until >= now)
        chosen = np.isin(cores[idle], given.core[group])
        if chosen.any() and not chosen.all():
            yield _Choice(since[idle], (cores[idle], -since[idle]), chosen)
        if left < 0:
            return


_Idle = tuple[Array, Array, Array]


def _idle_since(given: GivenRuns) -> Callable[[int, int], _Idle]:
    """A function that gives, for the cores of a scheduler and a kind, all times in which one held
    no task: core, begin, end. The first time of a core begins before all dispatches; its last one
    does not end."""
    order = np.lexsort((given.dispatch_ns, given.core))
    core, finish = given.core[order], given.finish_ns[order]
    first = np.append(True, core[1:] != core[:-1])[: len(core)]
    last = np.append(core[1:] != core[:-1], True)[: len(core)]
    begin = int(given.dispatch_ns.min(initial=0)) - 1
    since = np.append(np.where(first, begin, np.roll(finish, 1)), finish[last])
    until = np.append(given.dispatch_ns[order], np.full(np.count_nonzero(last), _NEVER))
    order = np.append(order, order[last])
    core, kinds = given.core[order], int(given.kind.max(initial=0)) + 1
    key = given.scheduler[order] * kinds + given.kind[order]
    parts: dict[int, _Idle] = {}
    for value in different(key).tolist():
        mine = key == value
        parts[value] = core[mine], since[mine], until[mine]
    return lambda scheduler, kind: parts[scheduler * kinds + kind]


def _collect(given: GivenRuns) -> int:
    """Two ends were there when the first was seen: was it the earlier one, or the one of the core
    with the lower number? Only pairs count on which the two differ."""
    order = np.lexsort((given.finish_ns, given.scheduler))
    scheduler, core, end, finish = (
        values[order] for values in (given.scheduler, given.core, given.end_ns, given.finish_ns)
    )
    both = (scheduler[1:] == scheduler[:-1]) & (finish[1:] > finish[:-1]) & (end[1:] < finish[:-1])
    earlier, lower = end[:-1] < end[1:], core[:-1] < core[1:]
    by_core = np.count_nonzero(both & lower & ~earlier)
    by_end = np.count_nonzero(both & ~lower & earlier)
    return BY_CORE if by_core > by_end else BY_END
