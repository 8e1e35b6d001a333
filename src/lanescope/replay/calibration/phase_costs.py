"""What schedulers take for each thing they do, from the phases of their rounds and the dispatches
and finishes inside these phases. See `calibrate` for why costs are means."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from lanescope.analyze.columns.quantiles import median
from lanescope.native.replay import Costs
from lanescope.replay.readings.phases import are_outer
from lanescope.replay.readings.served import ServedRuns, cores_holding, in_ps, trimmed_mean
from lanescope.trace.numbering import different
from lanescope.trace.schema import MISSING
from lanescope.trace.table import Array, Table
from lanescope.trace.trace import Trace


def phase_costs(trace: Trace, phases: Table, runs: ServedRuns, *, costs: Costs) -> Costs:
    """The costs with all those that phases tell; `phases` are the schedulers'."""
    length = phases["end_ns"] - phases["start_ns"]
    kind, count = phases["kind"], np.maximum(phases["tasks"], 0).astype(np.int64)
    resolve = (kind == trace.code("resolve")) & (count > 0)
    release = (kind == trace.code("release")) & (count > 0)
    publish = (kind == trace.code("drain_publish")) & (count > 0)
    costs = replace(
        costs,
        resolve_edge=in_ps(_each_ns(length[resolve], count[resolve])),
        release=in_ps(_each_ns(length[release], count[release])),
        release_tasks=_release_tasks(phases, runs, np.flatnonzero(release)),
        publish=in_ps(_each_ns(length[publish], count[publish])),
        scheduler_phase=in_ps(_gap_in_round_ns(trace, phases, runs.tick_ns)),
    )
    costs = _with_dispatch_costs(trace, phases, runs, costs=costs)
    return _with_complete_costs(trace, phases, runs, costs=costs)


def _release_tasks(phases: Table, runs: ServedRuns, which: Array) -> int:
    """How many finished tasks a scheduler gathers before it releases them.

    Several may come at once, so the fewest count, except for the lowest 10 %: those were needed
    sooner. Releases after the last finish do not count: they release what is left.
    """
    if not len(which):
        return 1
    count = phases["tasks"][which]
    usual = count[phases["start_ns"][which] < runs.finish_ns.max()]
    if not len(usual):
        return int(count.max()) + 1
    return max(int(np.sort(usual)[int(0.1 * (len(usual) - 1))]), 1)


def _each_ns(length_ns: Array, count: Array) -> float:
    """Mean time per thing that was done; 0.0 for nothing."""
    return float(length_ns.sum() / count.sum()) if len(count) else 0.0


def _gap_in_round_ns(trace: Trace, phases: Table, tick_ns: float) -> float:
    """Mean time between two phases of one round: what writing a phase's record takes."""
    order = np.lexsort((phases["start_ns"], phases["controller"]))
    kind, loop, who = (phases[name][order] for name in ("kind", "loop", "controller"))
    outer = are_outer(trace, kind)
    loop, who = loop[outer], who[outer]
    start, end = phases["start_ns"][order][outer], phases["end_ns"][order][outer]
    same = (who[1:] == who[:-1]) & (loop[1:] == loop[:-1]) & (loop[1:] != MISSING)
    gap = (start[1:] - end[:-1])[same]
    return trimmed_mean(gap[gap >= 0], tick_ns)


def _fit(length_ns: Array, columns: tuple[Array, ...]) -> list[float]:
    """What one of each column costs in ns, by least squares over lengths that hold so many of
    each. A column whose cost would be negative is left out and costs 0."""
    kept = list(range(len(columns)))
    result = [0.0] * len(columns)
    while kept:
        matrix = np.column_stack([columns[k] for k in kept])
        values = np.linalg.lstsq(matrix, length_ns.astype(np.float64), rcond=None)[0]
        if (values >= 0).all():
            for place, value in zip(kept, values.tolist(), strict=True):
                result[place] = value
            return result
        kept.pop(int(np.argmin(values)))
    return result


# ---- dispatching ---------------------------------------------------------------------------------


def _with_dispatch_costs(trace: Trace, phases: Table, runs: ServedRuns, *, costs: Costs) -> Costs:
    """A dispatch phase takes `pop` per look into a queue and `dispatch` per core that is given a
    task."""
    which = np.flatnonzero((phases["kind"] == trace.code("dispatch")) & (phases["pop_hit"] > 0))
    if not len(which):
        return costs
    length = (phases["end_ns"] - phases["start_ns"])[which]
    hits, misses = phases["pop_hit"][which], np.maximum(phases["pop_miss"][which], 0)
    given = _given(phases, which, runs)
    looks = hits + misses
    # In a run whose phases are all alike, looks and dispatches cannot be told apart by number; but
    # behind the last dispatch of a phase there are only looks that found nothing.
    empty = (misses > 0) & (given.dispatches > 0)
    if empty.any() and np.linalg.matrix_rank(np.column_stack([looks, given.dispatches])) < 2:
        pop = _each_ns((phases["end_ns"][which] - given.last_ns)[empty], misses[empty])
        dispatch = _each_ns(length - pop * looks, np.maximum(given.dispatches, 1))
    else:
        columns = looks.astype(np.float64), given.dispatches.astype(np.float64)
        pop, dispatch = _fit(length, columns)
    return replace(costs, pop=in_ps(pop), dispatch=in_ps(dispatch))


class _Given(NamedTuple):
    """By phase: how many dispatches lie in it, and the moment of the last one."""

    dispatches: Array
    last_ns: Array


def _given(phases: Table, which: Array, runs: ServedRuns) -> _Given:
    """The dispatches inside these phases, each by the phase's own controller."""
    count, last = np.zeros(len(which), np.int64), np.zeros(len(which), np.int64)
    for controller in different(phases["controller"][which]).tolist():
        mine = phases["controller"][which] == controller
        times = np.sort(runs.dispatch_ns[runs.controller == controller])
        low = np.searchsorted(times, phases["start_ns"][which][mine], side="right")
        high = np.searchsorted(times, phases["end_ns"][which][mine], side="right")
        count[mine] = high - low
        last[mine] = times[np.maximum(high - 1, 0)] if len(times) else 0
    return _Given(count, last)


# ---- completing ----------------------------------------------------------------------------------


class _Finishes(NamedTuple):
    """What the complete phases of one controller show, in ns."""

    first_ns: Array
    """By phase: from its start to its first finish."""
    holding: Array
    """By phase: cores that hold a task at its start."""
    apart_ns: Array
    """By further finish: from the finish before it in the same phase."""


def _with_complete_costs(trace: Trace, phases: Table, runs: ServedRuns, *, costs: Costs) -> Costs:
    """From a complete phase's start to its first finish, a scheduler looks at every core that holds
    a task and completes one. From finish to finish it completes one and writes its record."""
    which = np.flatnonzero((phases["kind"] == trace.code("complete")) & (phases["tasks"] > 0))
    if not len(which):
        return costs
    every = [
        _finishes(phases.rows(which[phases["controller"][which] == controller]), runs, controller)
        for controller in different(phases["controller"][which]).tolist()
    ]
    lead = np.concatenate([one.first_ns for one in every])
    held = np.concatenate([one.holding for one in every]).astype(np.float64)
    poll, fixed = _fit(lead, (held, np.ones(len(lead))))
    record = _record_ns(trace, phases, runs)
    apart = np.concatenate([one.apart_ns for one in every])
    each = trimmed_mean(apart, runs.tick_ns) or fixed + record
    complete = min(fixed, max(each - record, 0.0))
    return replace(
        costs,
        poll_core=in_ps(poll),
        complete=in_ps(complete),
        complete_base=in_ps(fixed - complete),
        task_record=in_ps(record),
    )


def _finishes(complete: Table, runs: ServedRuns, controller: int) -> _Finishes:
    """`complete` are the complete phases of the controller."""
    times = np.sort(runs.finish_ns[runs.controller == controller])
    start, end = complete["start_ns"], complete["end_ns"]
    low = np.searchsorted(times, start, side="left")
    high = np.searchsorted(times, end, side="right")
    some = high > low
    # Finishes of a phase behind its first: opened at low + 1, closed at high.
    change = np.zeros(len(times) + 1, np.int64)
    np.add.at(change, low[some] + 1, 1)
    np.add.at(change, high[some], -1)
    inside = np.cumsum(change)[: len(times)] > 0
    return _Finishes(
        first_ns=times[low[some]] - start[some],
        holding=cores_holding(runs, controller, start[some]),
        apart_ns=np.diff(times, prepend=times[:1])[inside],
    )


def _record_ns(trace: Trace, phases: Table, runs: ServedRuns) -> float:
    """Mean time from the last finish of a complete phase to the telling of successors, which comes
    next: what writing a task's record takes."""
    gaps = [np.zeros(0, np.int64)]
    for controller in different(phases["controller"]).tolist():
        mine = phases["controller"] == controller
        told = phases["start_ns"][mine & (phases["kind"] == trace.code("resolve"))]
        around = np.sort(phases["start_ns"][mine & (phases["kind"] == trace.code("complete"))])
        times = np.sort(runs.finish_ns[runs.controller == controller])
        if not len(around) or not len(times):
            continue
        last = times[np.maximum(np.searchsorted(times, told, side="right") - 1, 0)]
        begun = around[np.maximum(np.searchsorted(around, told, side="right") - 1, 0)]
        gaps.append((told - last)[(begun <= last) & (last <= told)])
    # Successors are also told behind other phases, and then later.
    every = np.concatenate(gaps)
    return trimmed_mean(every[every <= 2 * median(every)], runs.tick_ns) if len(every) else 0.0
