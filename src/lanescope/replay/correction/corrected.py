"""A run's figures without the profiler's own cost, each with an interval.

What a replay can tell (the makespan, how tasks come to their cores and back) is the recorded figure
times what the replays say: without the costs over with them. What controllers took is the recorded
time less the records written in it. Tasks are as long as recorded: their records lie behind them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from lanescope.analyze.controllers.threads import Controller, controllers
from lanescope.analyze.cores.makespan import makespan
from lanescope.analyze.tasks.functions import functions
from lanescope.replay.correction.record_costs import PAID, Cost, RecordCosts, costs_paid, records_of
from lanescope.replay.correction.unrecorded import unrecorded
from lanescope.replay.readings.served import PS
from lanescope.replay.replica import Model, Replayed, model, replay
from lanescope.replay.what_if import JITTER, LEAST_DOUBT, left_out, variants_of
from lanescope.trace.flags import Feature
from lanescope.trace.schema import MISSING
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace

MAKESPAN = "makespan"
_MEANS = {"dispatch to start": ("dispatch", "start"), "end to finish": ("end", "finish")}
"""Means over all runs."""
_MOMENTS = ("dispatch", "start", "end", "finish")


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of the timeline: ns, or a share of 1 where `is_share`."""

    name: str
    of: str
    """Function, kind of core or thread; "" for the run."""
    recorded: float
    corrected: float
    low: float
    high: float
    is_share: bool = False


@dataclass(frozen=True, slots=True)
class Removed:
    """Records of one kind: how many, what each cost, who paid."""

    kind: str
    records: int
    cost: Cost
    total_ns: float
    paid_by: str


@dataclass(frozen=True, slots=True)
class Corrected:
    """The figures, what was removed, and how far the unchanged replay is off the recording."""

    costs: RecordCosts
    removed: tuple[Removed, ...]
    figures: tuple[Figure, ...]
    honesty: float
    notes: tuple[str, ...]


def corrected(trace: Trace, costs: RecordCosts) -> Corrected:
    """Refuses a trace that cannot be replayed."""
    found, paid = model(trace), costs_paid(trace, costs)
    recorded, replayed = _recorded(found), _replays(found, paid)
    tick_ns = 10**9 / (trace.meta.clock_hz or 10**9)
    whole, *means = (
        _from_replays(name, value, replayed, tick_ns=tick_ns) for name, value in recorded.items()
    )
    return Corrected(
        costs=paid,
        removed=_removed(trace, paid),
        figures=(
            whole,
            *_core_time(trace, whole, tick_ns),
            *_threads(trace, paid, tick_ns),
            *means,
            *_runs(trace, tick_ns),
        ),
        honesty=replayed[0][0][MAKESPAN] / max(recorded[MAKESPAN], 1) - 1,
        notes=(*left_out(found), *_cautions(trace, costs)),
    )


def _widened(low: float, high: float, least: float) -> tuple[float, float]:
    """No interval is narrower than what the clock and the last permille leave open."""
    return max(low * (1 - LEAST_DOUBT) - least, 0.0), high * (1 + LEAST_DOUBT) + least


# ---- from replays ----------------------------------------------------------------------------

Replays = list[tuple[dict[str, float], list[dict[str, float]]]]
"""Of every model that the records allow: its figures, and those without the costs."""


def _replays(found: Model, costs: RecordCosts) -> Replays:
    return [
        (
            _replayed(found, replay(variant)),
            [_replayed(found, replay(unrecorded(variant, cost_ns))) for cost_ns in _edges(costs)],
        )
        for variant in variants_of(found)
    ]


def _edges(costs: RecordCosts) -> list[dict[str, float]]:
    """The estimates, and the ends of their intervals. As with lengths, no cost is taken to be known
    better than to JITTER: switches of buffers are not in it, and schedules jump."""
    middle, low, high = (costs.at(edge) for edge in ("ns", "low_ns", "high_ns"))
    least = {kind: min(low[kind], ns * (1 - JITTER)) for kind, ns in middle.items()}
    most = {kind: max(high[kind], ns * (1 + JITTER)) for kind, ns in middle.items()}
    return [middle, least, most]


def _recorded(found: Model) -> dict[str, float]:
    tasks, rows = found.trace.tasks, found.unit_rows
    times = {name: tasks[f"{name}_ns"][rows] for name in _MOMENTS}
    return {MAKESPAN: float(found.window.length_ns), **_means(found, times)}


def _replayed(found: Model, once: Replayed) -> dict[str, float]:
    times = {name: once.units[name] / PS for name in _MOMENTS}
    return {MAKESPAN: once.makespan_ps / PS, **_means(found, times)}


def _means(found: Model, times: Mapping[str, Array]) -> dict[str, float]:
    """Over the runs that were recorded whole."""
    tasks, rows = found.trace.tasks, found.unit_rows
    whole = (tasks["dispatch_ns"][rows] != MISSING) & (tasks["finish_ns"][rows] != MISSING)
    return {
        name: float((times[last] - times[first])[whole].mean()) if whole.any() else 0.0
        for name, (first, last) in _MEANS.items()
    }


def _from_replays(name: str, recorded: float, replayed: Replays, *, tick_ns: float) -> Figure:
    """The rule of a what-if's interval: all replays, and how far the unchanged one is off."""
    bases = [base[name] for base, _ in replayed]
    changed = [one[name] for _, ones in replayed for one in ones]
    of = "" if name == MAKESPAN else "mean of all runs"
    if recorded <= 0 or min(bases) <= 0:
        return Figure(name, of, recorded, recorded, *_widened(recorded, recorded, tick_ns))
    doubt = abs(bases[0] / recorded - 1)
    ratio = float(np.mean([ones[0][name] / base[name] for base, ones in replayed]))
    low = recorded * min(changed) / max(bases) * max(1 - doubt, 0)
    high = recorded * max(changed) / min(bases) * (1 + doubt)
    return Figure(name, of, recorded, recorded * ratio, *_widened(low, high, tick_ns))


# ---- cores and runs --------------------------------------------------------------------------


def _core_time(trace: Trace, whole: Figure, tick_ns: float) -> list[Figure]:
    """Each kind's busy share and idle time: its runs are as long as recorded, the makespan is not.

    A run's length is known to one tick of the counter."""
    figures = []
    for kind in makespan(trace).kinds:
        if not kind.busy_ns:
            continue
        busy, open_ns = kind.busy_ns, kind.tasks * tick_ns
        spans = [kind.cores * max(span, 1.0) for span in (whole.low, whole.high)]
        recorded, after = kind.cores * whole.recorded, kind.cores * max(whole.corrected, 1.0)
        shares = ((busy - open_ns) / spans[1], (busy + open_ns) / spans[0])
        figures += [
            Figure("utilisation", kind.kind, busy / recorded, busy / after, *shares, is_share=True),
            Figure(
                *("idle core time", kind.kind, recorded - busy, max(after - busy, 0.0)),
                *(max(spans[0] - busy - open_ns, 0.0), max(spans[1] - busy + open_ns, 0.0)),
            ),
        ]
    return figures


def _runs(trace: Trace, tick_ns: float) -> list[Figure]:
    means = [(row.name, row.exec.mean_ns) for row in functions(trace).rows]
    return [
        Figure("start to end", name, mean, mean, *_widened(mean, mean, tick_ns))
        for name, mean in means
    ]


# ---- inside controllers ----------------------------------------------------------------------


def _threads(trace: Trace, costs: RecordCosts, tick_ns: float) -> list[Figure]:
    threads = controllers(trace)
    mine = [one for one in threads if one.lane == "scheduler"]
    figures = [
        _less(("first to last submit", "orchestrator"), one.span_ns, costs, tick_ns=tick_ns,
              records=_orchestrator_records(one, trace))
        for one in threads if one.lane == "orchestrator"
    ]  # fmt: skip
    if mine:
        busy = sum(thread.busy_ns for thread in mine)
        ticks_ns = tick_ns * sum(thread.phases for thread in mine)
        figures.append(_less(("time in phases", "schedulers"), busy, costs, tick_ns=ticks_ns,
                             records=_scheduler_records(mine, trace)))  # fmt: skip
    return figures


def _orchestrator_records(thread: Controller, trace: Trace) -> dict[str, int]:
    """From the begin of its first phase to the end of its last, whose record is behind that."""
    finish = trace.tasks["finish_ns"]
    copies = np.count_nonzero((finish >= (thread.start_ns or 0)) & (finish < (thread.end_ns or 0)))
    return {"orchestrator_phase": thread.phases - 1, "staging_shared": int(copies)}


def _scheduler_records(threads: list[Controller], trace: Trace) -> dict[str, int]:
    """Those written inside phases: of tasks and of inner phases. A phase's own is behind it."""
    inner = sum(
        budget.count
        for thread in threads
        for budget in thread.kinds
        if budget.role in ("inner", "marker")
    )
    tasks = sum(thread.completed or 0 for thread in threads)
    each = ("controller_task", "core_moved", "pmu_controller", "engine_drain")
    bursts = records_of(trace, "burst")
    return {**dict.fromkeys(each, tasks), "scheduler_phase": inner, "burst": bursts}


def _less(
    name: tuple[str, str],
    recorded: int,
    costs: RecordCosts,
    *,
    records: Mapping[str, int],
    tick_ns: float,
) -> Figure:
    middle, low, high = (
        max(recorded - sum(n * costs.at(edge).get(kind, 0.0) for kind, n in records.items()), 0.0)
        for edge in ("ns", "high_ns", "low_ns")
    )
    return Figure(*name, float(recorded), middle, *_widened(low, high, tick_ns))


# ---- what was removed ------------------------------------------------------------------------


def _removed(trace: Trace, costs: RecordCosts) -> tuple[Removed, ...]:
    rows = []
    for kind, cost in costs.costs.items():
        records = records_of(trace, kind)
        rows.append(Removed(kind, records, cost, records * cost.ns, PAID[kind][1]))
    return tuple(rows)


def _cautions(trace: Trace, costs: RecordCosts) -> tuple[str, ...]:
    notes = []
    flags = Feature(trace.meta.flags)
    kinds = {"pmu_controller": "hardware counters", "burst": "the core swimlane"}
    notes += [
        f"what {name} cost is not known and stays in"
        for kind, name in kinds.items()
        if flags & PAID[kind][0] and kind not in costs.costs
    ]
    if costs.platform != trace.meta.chip:
        notes.append(f"the costs are of {costs.platform}, the run is of {trace.meta.chip or '?'}")
    return tuple(notes)
