"""A run's figures without the profiler's own cost, each with an interval.

What a replay tells (the makespan, how tasks come to their cores and back) is the recorded figure
times a factor: the replay without the costs over the replay with them. What controllers took is the
recorded time less the records written in it. Tasks are as long as recorded, because their records
are written behind them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lanescope.analyze.cores.makespan import makespan
from lanescope.analyze.tasks.functions import functions
from lanescope.replay.correction.controller_figures import controller_figures
from lanescope.replay.correction.figure import Figure, widened
from lanescope.replay.correction.record_costs import PAID, Cost, RecordCosts, costs_paid, records_of
from lanescope.replay.correction.unrecorded import unrecorded
from lanescope.replay.doubt import JITTER, left_out, variants_of
from lanescope.replay.readings.served import PS
from lanescope.replay.replica import Replayed, Replica, replay, replica_of
from lanescope.results import Result
from lanescope.trace.flags import Feature
from lanescope.trace.schema import MISSING
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace

MAKESPAN = "makespan"
_MEANS = {"dispatch to start": ("dispatch", "start"), "end to finish": ("end", "finish")}
"""Figure → the two moments of a run that it lies between; a mean over all runs."""
_MOMENTS = ("dispatch", "start", "end", "finish")


@dataclass(frozen=True, slots=True)
class Removed(Result):
    """The records of one kind of cost that were taken back."""

    kind: str
    """A key of PAID."""
    records: int
    """How many there were."""
    cost: Cost
    """What one cost."""
    total_ns: float
    """What all of them cost together."""
    paid_by: str


@dataclass(frozen=True, slots=True)
class Corrected(Result):
    """The figures of a run without the profiler's cost, and what was removed."""

    costs: RecordCosts
    removed: tuple[Removed, ...]
    figures: tuple[Figure, ...]
    honesty: float
    """The makespan of the unchanged replay relative to the recorded one, less 1."""
    notes: tuple[str, ...]
    """What the replay guesses or leaves out, and which costs stay in."""


def corrected(trace: Trace, costs: RecordCosts) -> Corrected:
    """The corrected figures of a trace. Raises LanescopeError for one that cannot be replayed."""
    replica, paid = replica_of(trace), costs_paid(trace, costs)
    recorded, replayed = _recorded(replica), _replays(replica, paid)
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
            *controller_figures(trace, paid, tick_ns),
            *means,
            *_runs(trace, tick_ns),
        ),
        honesty=replayed[0].base[MAKESPAN] / max(recorded[MAKESPAN], 1) - 1,
        notes=(*left_out(replica), *_cautions(trace, costs)),
    )


# ---- from replays ----------------------------------------------------------------------------

Figures = dict[str, float]
"""Name of a figure → ns."""


class _Replays(NamedTuple):
    """The figures of one variant of the replica."""

    base: Figures
    """With the costs of recording."""
    without: list[Figures]
    """Without them: with the estimates, and with either end of their intervals."""


def _replays(replica: Replica, costs: RecordCosts) -> list[_Replays]:
    """The replays of every variant that the records allow."""
    return [
        _Replays(
            _replayed(replica, replay(variant)),
            [_replayed(replica, replay(unrecorded(variant, cost_ns))) for cost_ns in _edges(costs)],
        )
        for variant in variants_of(replica)
    ]


def _edges(costs: RecordCosts) -> list[dict[str, float]]:
    """Kind of cost → ns: the estimates, and the ends of their intervals.

    As with lengths, no cost is taken to be known better than to JITTER: changes of buffers are not
    in it, and schedules jump.
    """
    middle, low, high = (costs.at(edge) for edge in ("ns", "low_ns", "high_ns"))
    least = {kind: min(low[kind], ns * (1 - JITTER)) for kind, ns in middle.items()}
    most = {kind: max(high[kind], ns * (1 + JITTER)) for kind, ns in middle.items()}
    return [middle, least, most]


def _recorded(replica: Replica) -> Figures:
    tasks, rows = replica.trace.tasks, replica.units.rows
    times_ns = {name: tasks[f"{name}_ns"][rows] for name in _MOMENTS}
    return {MAKESPAN: float(replica.window.length_ns), **_means(replica, times_ns)}


def _replayed(replica: Replica, replayed: Replayed) -> Figures:
    times_ns = {name: replayed.units[name] / PS for name in _MOMENTS}
    return {MAKESPAN: replayed.makespan_ps / PS, **_means(replica, times_ns)}


def _means(replica: Replica, times_ns: Mapping[str, Array]) -> Figures:
    """Means over the runs that were recorded whole."""
    tasks, rows = replica.trace.tasks, replica.units.rows
    whole = (tasks["dispatch_ns"][rows] != MISSING) & (tasks["finish_ns"][rows] != MISSING)
    return {
        name: float((times_ns[last] - times_ns[first])[whole].mean()) if whole.any() else 0.0
        for name, (first, last) in _MEANS.items()
    }


def _from_replays(
    name: str, recorded: float, replayed: list[_Replays], *, tick_ns: float
) -> Figure:
    """The interval holds all replays, widened by how far the unchanged one is off."""
    bases = [one.base[name] for one in replayed]
    changed = [figures[name] for one in replayed for figures in one.without]
    of = "" if name == MAKESPAN else "mean of all runs"
    if recorded <= 0 or min(bases) <= 0:
        return Figure(name, of, recorded, recorded, *widened(recorded, recorded, tick_ns))
    doubt = abs(bases[0] / recorded - 1)
    ratio = float(np.mean([one.without[0][name] / one.base[name] for one in replayed]))
    low = recorded * min(changed) / max(bases) * (1 - doubt)
    high = recorded * max(changed) / min(bases) * (1 + doubt)
    return Figure(name, of, recorded, recorded * ratio, *widened(low, high, tick_ns))


# ---- cores and runs --------------------------------------------------------------------------


def _core_time(trace: Trace, whole: Figure, tick_ns: float) -> list[Figure]:
    """Each kind's busy share and idle time: its runs are as long as recorded, the makespan is not.

    A run's length is known to one tick of the counter.
    """
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
    """The mean length of each function's runs: as recorded."""
    means = [(row.name, row.exec.mean_ns) for row in functions(trace).rows]
    return [
        Figure("start to end", name, mean, mean, *widened(mean, mean, tick_ns))
        for name, mean in means
    ]


# ---- what was removed ------------------------------------------------------------------------


def _removed(trace: Trace, costs: RecordCosts) -> tuple[Removed, ...]:
    rows = []
    for kind, cost in costs.costs.items():
        records = records_of(trace, kind)
        rows.append(Removed(kind, records, cost, records * cost.ns, PAID[kind][1]))
    return tuple(rows)


def _cautions(trace: Trace, costs: RecordCosts) -> tuple[str, ...]:
    """Which costs stay in, and whether they are of another platform."""
    flags = Feature(trace.meta.flags)
    kinds = {"pmu_controller": "hardware counters", "burst": "the core swimlane"}
    notes = [
        f"what {name} cost is not known and stays in"
        for kind, name in kinds.items()
        if flags & PAID[kind][0] and kind not in costs.costs
    ]
    if costs.platform != trace.meta.chip:
        notes.append(f"the costs are of {costs.platform}, the run is of {trace.meta.chip or '?'}")
    return tuple(notes)
