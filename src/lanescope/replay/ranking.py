"""What would pay: changes that are usually worth a try, in classes of what has to be done for them.

Every change can be asked for by itself in the words of the command line (`asked.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from lanescope.analyze.columns.groups import group_by
from lanescope.errors import UsageError
from lanescope.replay import changes as ways
from lanescope.replay.asked import IMPLIED
from lanescope.replay.changes import Change
from lanescope.replay.readings.served import PS
from lanescope.replay.replica import Replica
from lanescope.replay.what_if import EffortGroup, WhatIf

EFFORTS = {
    "function": "a faster function",
    "cores": "more cores",
    "pre-dispatch": "another pre-dispatch",
    "schedulers": "more schedulers",
    "controllers": "cheaper controllers",
    "edges": "fewer edges",
    "buffers": "more recording buffers",
}
"""Classes of changes by what has to be done for them, and what the text calls them."""
MOST_FUNCTIONS = 20
"""So many functions are tried, those that took the most time in all."""
MOST_EDGES = 5
"""So many pairs of functions are tried, those whose edges tasks waited for most often."""
SCALE = 0.9
"""Functions and costs become so many times as long."""


def rank_changes(replica: Replica) -> list[Change]:
    """The changes to try: every function and cost 10 % less, one more of every resource, another
    pre-dispatch, edges that tasks waited for, and twice as many recording buffers."""
    return [*_functions(replica), *_resources(replica), *_edges(replica), *_buffers(replica)]


def ranked(answer: WhatIf, changes: Sequence[Change]) -> WhatIf:
    """The answer with its last predictions, which are of these changes, in classes.

    The class with the shortest makespan comes first, and in each class the shortest.
    """
    asked = len(answer.predictions) - len(changes)
    tried = list(zip(changes, answer.predictions[asked:], strict=True))
    groups = []
    for effort in dict.fromkeys(change.effort for change in changes):
        mine = [prediction for change, prediction in tried if change.effort == effort]
        sure = sorted((one for one in mine if one.sure), key=lambda one: one.makespan_ns)
        without = tuple(one.name for one in mine if not one.sure)
        groups.append(EffortGroup(effort, tuple(sure), without))
    groups.sort(key=lambda group: min((p.makespan_ns for p in group.predictions), default=np.inf))
    return replace(answer, predictions=answer.predictions[:asked], ranking=tuple(groups))


def _functions(replica: Replica) -> Iterator[Change]:
    rows, names = replica.units.rows, _names(replica)
    groups = group_by(replica.trace.tasks["func"][rows])
    total_ps = groups.sums(replica.units.lengths_ps)
    largest = sorted(zip(total_ps, groups.keys.tolist(), strict=True), key=lambda one: -one[0])
    for _, func in largest[:MOST_FUNCTIONS]:
        if func >= 0:
            name, way = names.get(func) or f"func_{func}", partial(ways.scale_function, func=func)
            asked = ("--scale", f"{name}={SCALE}")
            yield Change(f"{name} x{SCALE}", partial(way, factor=SCALE), "function", asked)


def _resources(replica: Replica) -> Iterator[Change]:
    machine, costs = replica.machine, replica.costs
    for code, kind in enumerate(machine.kinds):
        count = int(np.count_nonzero(machine.core_kind == code)) + 1
        way = partial(ways.set_cores, kind=kind, count=count)
        yield Change(f"{kind} cores +1 ({count})", way, "cores", ("--cores", f"{kind}={count}"))
    for held in (machine.pre_dispatch + 1, machine.pre_dispatch - 1):
        if _can(way := partial(ways.set_pre_dispatch, count=held), replica):
            asked = ("--pre-dispatch", str(held))
            yield Change(f"pre-dispatch {held}", way, "pre-dispatch", asked)
    more, cost_ns = machine.schedulers + 1, SCALE * (costs.pop + costs.dispatch) / PS
    way = partial(ways.set_schedulers, count=more)
    yield Change(f"schedulers +1 ({more})", way, "schedulers", ("--schedulers", str(more)))
    way = partial(ways.set_dispatch_cost, ns=cost_ns)
    asked = ("--dispatch-cost", f"{cost_ns:.4g}")
    yield Change(f"dispatch cost x{SCALE}", way, "controllers", asked)
    way, asked = partial(ways.scale_submits, factor=SCALE), ("--submit-scale", str(SCALE))
    yield Change(f"submit cost x{SCALE}", way, "controllers", asked)


def _edges(replica: Replica) -> Iterator[Change]:
    """First those that others imply, which nobody misses; then those that were waited for."""
    if _can(ways.drop_implied_edges, replica):
        asked = ("--drop-edge", IMPLIED)
        yield Change(f"without {IMPLIED} edges", ways.drop_implied_edges, "edges", asked)
    names = _names(replica)
    for pred, succ in _waited_for(replica):
        pair = ":".join(names.get(func) or str(func) for func in (pred, succ))
        first, second = (ways.nodes_of_function(replica, func) for func in (pred, succ))
        way = partial(ways.drop_edges, pred=first, succ=second)
        if _can(way, replica):
            yield Change(f"without {pair}", way, "edges", ("--drop-edge", pair))


def _waited_for(replica: Replica) -> list[tuple[int, int]]:
    """Pairs of functions of which the first ended last of what the second waited for; those that
    most tasks waited for first."""
    nodes = replica.nodes
    late = np.flatnonzero((nodes.gate >= 0) & (nodes.last >= 0))
    funcs = replica.trace.tasks["func"].astype(np.int64)
    first, second = funcs[nodes.last[nodes.gate[late]]], funcs[nodes.last[late]]
    known = (first >= 0) & (second >= 0)
    groups = group_by((first << 32 | second)[known])
    ordered = sorted(zip(groups.counts(), groups.keys.tolist(), strict=True), reverse=True)
    return [(key >> 32, key & 0xFFFFFFFF) for _, key in ordered[:MOST_EDGES]]


def _buffers(replica: Replica) -> Iterator[Change]:
    """Twice as many, where a producer can wait for one."""
    buffers = replica.buffers
    twice = 2 * int(buffers.count[buffers.records > 0].max(initial=0))
    if 0 < twice <= np.iinfo(np.int32).max:
        way = partial(ways.set_buffers, count=twice)
        yield Change(f"{twice} buffers", way, "buffers", ("--buffers", str(twice)))


def _can(way: Callable[[Replica], Replica], replica: Replica) -> bool:
    try:
        way(replica)
    except UsageError:
        return False
    return True


def _names(replica: Replica) -> dict[int, str]:
    """Function id to name."""
    trace = replica.trace
    return dict(zip(trace.functions["func"].tolist(), trace.text("functions", "name"), strict=True))
