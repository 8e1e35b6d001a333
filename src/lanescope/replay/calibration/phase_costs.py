"""What schedulers take for each thing they do, from the phases of their rounds and the dispatches
and finishes inside them. Means, not medians: a counter's ticks are coarser than most of these."""

from __future__ import annotations

import numpy as np

from lanescope.native.replay import Costs
from lanescope.replay.readings.served import PS, ServedRuns, cores_holding, in_ps, mean
from lanescope.trace.schema import MISSING
from lanescope.trace.table import Array, Table
from lanescope.trace.trace import Trace

OUTER = ("complete", "async_poll", "dummy", "dispatch", "early_dispatch", "drain", "release")
"""Phases that take time from a scheduler's round."""


def phase_costs(trace: Trace, phases: Table, rows: ServedRuns) -> dict[str, int]:
    length = phases["end_ns"] - phases["start_ns"]
    kind, count = phases["kind"], np.maximum(phases["tasks"], 0).astype(np.int64)
    resolve = (kind == trace.code("resolve")) & (count > 0)
    release = (kind == trace.code("release")) & (count > 0)
    publish = (kind == trace.code("drain_publish")) & (count > 0)
    found = {
        "resolve": in_ps(_rate(length[resolve], count[resolve])),
        "release": in_ps(_rate(length[release], count[release])),
        "release_tasks": _release_tasks(phases, rows, np.flatnonzero(release)),
        "publish": in_ps(_rate(length[publish], count[publish])),
        "phase": in_ps(_gap_in_round(trace, phases, rows.tick_ns)),
    }
    return {**found, **_dispatch_costs(trace, phases, rows), **_complete_costs(trace, phases, rows)}


def _release_tasks(phases: Table, rows: ServedRuns, which: Array) -> int:
    """How many wait until they are released: several may come at once, so the fewest, but for some
    that were needed sooner. When all is over, those that are left do not wait."""
    if not len(which):
        return 1
    count = phases["tasks"][which]
    usual = count[phases["start_ns"][which] < rows.finish.max()]
    if not len(usual):
        return int(count.max()) + 1
    return max(int(np.quantile(usual, 0.1, method="lower")), 1)


def _rate(length: Array, count: Array) -> float:
    return float(length.sum() / count.sum()) if len(count) else 0.0


def _gap_in_round(trace: Trace, phases: Table, tick: float) -> float:
    """Between a complete and the dispatch of the same round: what writing a record takes."""
    order = np.lexsort((phases["start_ns"], phases["controller"]))
    kind, loop, who = (phases[name][order] for name in ("kind", "loop", "controller"))
    outer = np.isin(kind, [trace.code(name) for name in OUTER])
    kind, loop, who = kind[outer], loop[outer], who[outer]
    start, end = phases["start_ns"][order][outer], phases["end_ns"][order][outer]
    same = (who[1:] == who[:-1]) & (loop[1:] == loop[:-1]) & (loop[1:] != MISSING)
    gap = (start[1:] - end[:-1])[same]
    return mean(gap[gap >= 0], tick)


def _dispatch_costs(trace: Trace, phases: Table, rows: ServedRuns) -> dict[str, int]:
    """A phase takes pop per look into a queue and dispatch per core given a task."""
    which = np.flatnonzero((phases["kind"] == trace.code("dispatch")) & (phases["pop_hit"] > 0))
    if not len(which):
        return {}
    length = (phases["end_ns"] - phases["start_ns"])[which]
    hits, misses = phases["pop_hit"][which], np.maximum(phases["pop_miss"][which], 0)
    given, last = _inside(phases, which, rows, rows.dispatch)
    # In a run whose phases are all alike, looks and dispatches cannot be told apart by number; but
    # behind the last dispatch of a phase there are only looks that found nothing.
    empty = (misses > 0) & (given > 0)
    if empty.any() and np.linalg.matrix_rank(np.column_stack([hits + misses, given])) < 2:
        pop = _rate((phases["end_ns"][which] - last)[empty], misses[empty])
        rest = length - pop * (hits + misses)
        return {"pop": in_ps(pop), "dispatch": in_ps(_rate(rest, np.maximum(given, 1)))}
    looks = (hits + misses).astype(np.float64)
    pop, dispatch = _fit(length, (looks, given.astype(np.float64)))
    return {"pop": in_ps(pop), "dispatch": in_ps(dispatch)}


def _inside(phases: Table, which: Array, rows: ServedRuns, moments: Array) -> tuple[Array, Array]:
    """How many of the moments of the phase's controller lie in each phase, and the last one."""
    found, last = np.zeros(len(which), np.int64), np.zeros(len(which), np.int64)
    for controller in np.unique(phases["controller"][which]).tolist():
        mine = phases["controller"][which] == controller
        times = np.sort(moments[rows.controller == controller])
        low = np.searchsorted(times, phases["start_ns"][which][mine], side="right")
        high = np.searchsorted(times, phases["end_ns"][which][mine], side="right")
        found[mine] = high - low
        last[mine] = times[np.maximum(high - 1, 0)] if len(times) else 0
    return found, last


def _fit(length: Array, columns: tuple[Array, ...]) -> list[float]:
    """Least squares without negative costs: a column that wants one is left out."""
    kept = list(range(len(columns)))
    result = [0.0] * len(columns)
    while kept:
        matrix = np.column_stack([columns[k] for k in kept])
        values = np.linalg.lstsq(matrix, length.astype(np.float64), rcond=None)[0]
        if (values >= 0).all():
            for place, value in zip(kept, values.tolist(), strict=True):
                result[place] = value
            return result
        kept.pop(int(np.argmin(values)))
    return result


def _complete_costs(trace: Trace, phases: Table, rows: ServedRuns) -> dict[str, int]:
    """Start to first finish takes a look at every core that holds a task and one completion;
    finish to finish takes one completion and its record."""
    which = np.flatnonzero((phases["kind"] == trace.code("complete")) & (phases["tasks"] > 0))
    if not len(which):
        return {}
    first: list[Array] = []
    holding: list[Array] = []
    spacing: list[Array] = []
    for controller in np.unique(phases["controller"][which]).tolist():
        mine = which[phases["controller"][which] == controller]
        times = np.sort(rows.finish[rows.controller == controller])
        start, end = phases["start_ns"][mine], phases["end_ns"][mine]
        low = np.searchsorted(times, start, side="left")
        high = np.searchsorted(times, end, side="right")
        some = high > low
        first.append(times[low[some]] - start[some])
        holding.append(cores_holding(rows, controller, start[some]))
        # Finishes of a phase behind its first: opened at low + 1, closed at high.
        change = np.zeros(len(times) + 1, np.int64)
        np.add.at(change, low[some] + 1, 1)
        np.add.at(change, high[some], -1)
        inside = np.cumsum(change)[: len(times)] > 0
        spacing.append(np.diff(times, prepend=times[:1])[inside])
    lead, held = np.concatenate(first), np.concatenate(holding).astype(np.float64)
    poll, fixed = _fit(lead, (held, np.ones(len(lead))))
    record = _record_cost(trace, phases, rows)
    each = mean(np.concatenate(spacing), rows.tick_ns) or fixed + record
    complete = min(fixed, max(each - record, 0.0))
    return {
        "poll": in_ps(poll),
        "complete": in_ps(complete),
        "complete_base": in_ps(fixed - complete),
        "record": in_ps(record),
    }


def _record_cost(trace: Trace, phases: Table, rows: ServedRuns) -> float:
    """From the last finish of a complete phase to the telling of successors, which comes next."""
    gaps = [np.zeros(0, np.int64)]
    for controller in np.unique(phases["controller"]).tolist():
        mine = phases["controller"] == controller
        told = phases["start_ns"][mine & (phases["kind"] == trace.code("resolve"))]
        around = np.sort(phases["start_ns"][mine & (phases["kind"] == trace.code("complete"))])
        times = np.sort(rows.finish[rows.controller == controller])
        if not len(around) or not len(times):
            continue
        last = times[np.maximum(np.searchsorted(times, told, side="right") - 1, 0)]
        begun = around[np.maximum(np.searchsorted(around, told, side="right") - 1, 0)]
        gaps.append((told - last)[(begun <= last) & (last <= told)])
    # Successors are also told behind other phases, and then later.
    every = np.concatenate(gaps)
    return mean(every[every <= 2 * np.median(every)], rows.tick_ns) if len(every) else 0.0


def loop_costs(
    trace: Trace, phases: Table, rows: ServedRuns, *, costs: Costs
) -> tuple[int, tuple[int, int]]:
    """Rounds that found nothing are counted, not recorded: the time between two phases over the
    rounds between them. The soonest that an end was seen is how long that takes."""
    spans, rounds, held, lags = [], [], [], []
    outer = np.isin(phases["kind"], [trace.code(name) for name in OUTER])
    for controller in np.unique(phases["controller"]).tolist():
        mine = np.flatnonzero(outer & (phases["controller"] == controller))
        mine = mine[np.argsort(phases["start_ns"][mine], kind="stable")]
        start, end, loop = (phases[name][mine] for name in ("start_ns", "end_ns", "loop"))
        passed = loop[1:] - loop[:-1]
        idle = (passed > 1) & (loop[1:] != MISSING) & (loop[:-1] != MISSING)
        gap = (start[1:] - end[:-1])[idle] - costs.phase / PS
        spans.append(gap)
        rounds.append(passed[idle])
        held.append(cores_holding(rows, controller, end[:-1][idle]))
        lags.append(_lags(rows, controller, start, end))
    count = np.concatenate(rounds)
    own = np.concatenate(spans) - np.concatenate(held) * (costs.poll / PS) * count
    loop_ns = _round(own, count, rows.tick_ns)
    seen = _seen(np.concatenate(lags), loop_ns, costs.poll / PS)
    return in_ps(loop_ns), (in_ps(seen[0]), in_ps(seen[1]))


def _round(span: Array, count: Array, tick: float) -> float:
    """How long one of `count` rounds takes. News that turned out to be for others start a round
    anew, so most spans are too short."""
    if not len(span):
        return 1.0
    each = span / count
    usual = float(np.quantile(each, 0.75))
    near = np.abs(each - usual) <= 1 + 2 * tick / count
    if np.count_nonzero(near) >= len(each) / 4:
        usual = float(span[near].sum() / count[near].sum())
    return max(usual, 0.0)


def _lags(rows: ServedRuns, controller: int, start: Array, end: Array) -> Array:
    """Of tasks that ended while their controller found nothing to do: from the end to the phase
    that saw it, and how many cores held a task then."""
    mine = np.flatnonzero(rows.controller == controller)
    at = np.searchsorted(start, rows.finish[mine], side="right") - 1
    known = at > 0
    mine, at = mine[known], at[known]
    idle = rows.end[mine] >= end[at - 1]
    mine, at = mine[idle], at[idle]
    held = cores_holding(rows, controller, end[at - 1])
    return np.column_stack([start[at] - rows.end[mine], held])


def _seen(lags: Array, loop_ns: float, poll_ns: float) -> tuple[float, float]:
    """An end is seen at the next round's begin: no lag is shorter than what we look for, and none
    is longer by more than a round."""
    if not len(lags):
        return 0.0, 0.0
    shortest = float(lags[:, 0].min())
    least = float((lags[:, 0] - loop_ns - poll_ns * lags[:, 1]).max())
    return min(max(least, 0.0), shortest), shortest
