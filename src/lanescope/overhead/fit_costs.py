"""Nanoseconds per record of each kind, fitted to runs of the probes at several levels.

In every round, each probe gives one equation per level. Its left side is how much longer a unit
takes than at the probe's first level. Its right side is the cost of the records that the unit waits
for. Least squares solves a round. The costs are medians over the rounds; their intervals are order
statistics, which no outlier moves.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from math import comb
from statistics import median
from typing import Protocol

import numpy as np

from lanescope.errors import UsageError
from lanescope.overhead.probes import Probe, ProbedCores, chain_graphs, probes
from lanescope.overhead.statistics import CONFIDENCE
from lanescope.replay.correction.record_costs import Cost, RecordCosts
from lanescope.trace import Trace
from lanescope.trace.schema import MISSING
from lanescope.workloads.graph import TaskGraph

LEAST_ROUNDS = 6
"""Fewer rounds have no interval of 95 %: the values of 6 rounds lie all on one side of the median
once in 32 times."""
_CLOCK_NS = 1.0
"""Precision of a makespan."""


class Platform(Protocol):
    """Where the probes run."""

    @property
    def name(self) -> str: ...

    @property
    def bench(self) -> ProbedCores: ...

    def makespan_ns(self, graph: TaskGraph, level: int, protocol: str) -> float: ...

    def trace(self, graph: TaskGraph, level: int, protocol: str) -> Trace: ...


def fit_costs(
    platform: Platform,
    protocol: str,
    *,
    rounds: int,
    seed: int,
    step: Callable[[], None] = lambda: None,
) -> RecordCosts:
    """Fit the costs on a platform with a protocol; `step` is called after every round."""
    if rounds < LEAST_ROUNDS:
        raise UsageError(
            f"expected at least {LEAST_ROUNDS} rounds, for an interval of {CONFIDENCE:.0%}, "
            f"found {rounds}"
        )
    waited = _phases_per_hop(platform, protocol, seed)
    chosen = probes(platform.bench, protocol, phases_per_hop=waited)
    solved = []
    for number in range(rounds + 1):
        costs_ns = _solve(platform, protocol, chosen, seed=seed * 1_000_003 + number)
        if number:  # the first round only warms up
            solved.append(costs_ns)
        step()
    return RecordCosts(
        platform=platform.name,
        protocol=protocol,
        basis="fitted",
        costs={kind: _cost([one[kind] for one in solved], chosen) for kind in solved[0]},
        note=f"{rounds} rounds of {', '.join(probe.name for probe in chosen)}; "
        f"medians with {CONFIDENCE:.0%} intervals",
    )


def _solve(
    platform: Platform, protocol: str, chosen: Sequence[Probe], *, seed: int
) -> dict[str, float]:
    """Run and solve one round: kind of record to ns per record."""
    times = _run_round(platform, protocol, chosen, seed=seed)
    rows: list[dict[str, float]] = []
    more: list[float] = []
    for probe in chosen:
        first, *others = probe.levels
        base = probe.waits(first)
        for level in others:
            waits = probe.waits(level)
            rows.append({kind: count - base[kind] for kind, count in waits.items()})
            more.append(times[probe.name, level] - times[probe.name, first])
    kinds = list(dict.fromkeys(kind for row in rows for kind, count in row.items() if count))
    matrix = np.array([[row.get(kind, 0.0) for kind in kinds] for row in rows])
    costs = np.linalg.lstsq(matrix, np.array(more), rcond=None)[0]
    return dict(zip(kinds, costs.tolist(), strict=True))


def _run_round(
    platform: Platform, protocol: str, chosen: Sequence[Probe], *, seed: int
) -> dict[tuple[str, int], float]:
    """Return how many ns one unit more takes, by probe and level; the order of runs is random."""
    runs = [(probe, level, units) for probe in chosen for level in probe.levels
            for units in probe.sizes]  # fmt: skip
    random.Random(seed).shuffle(runs)
    makespans = {
        (probe.name, level, units): platform.makespan_ns(probe.graph(units, seed), level, protocol)
        for probe, level, units in runs
    }
    return {
        (probe.name, level): (makespans[probe.name, level, large]
                              - makespans[probe.name, level, small]) / (large - small)
        for probe in chosen
        for small, large in [probe.sizes]
        for level in probe.levels
    }  # fmt: skip


def _cost(values: Sequence[float], chosen: Sequence[Probe]) -> Cost:
    """Return the median, and the narrowest pair of order statistics that holds it with 95 %."""
    ordered, count = sorted(values), len(values)
    out = 0
    while 1 - 2 * _below(count, out + 1) >= CONFIDENCE:
        out += 1
    resolution = max(2 * _CLOCK_NS / (large - small) for small, large in (p.sizes for p in chosen))
    return Cost(median(values), ordered[out] - resolution, ordered[-1 - out] + resolution)


def _below(count: int, most: int) -> float:
    """Return the probability that at most `most` of `count` values lie below the true median."""
    return float(sum(comb(count, k) for k in range(most + 1)) / 2**count)


def _phases_per_hop(platform: Platform, protocol: str, seed: int) -> float:
    """Return how many scheduler phases end between a finish in a chain and the next dispatch.

    Their records are what the next task waits for.
    """
    graph = chain_graphs(platform.bench)(platform.bench.sizes["chain"][0], seed)
    trace = platform.trace(graph, 3, protocol)
    tasks, phases = trace.tasks, trace.phases
    whole = (tasks["dispatch_ns"] != MISSING) & (tasks["finish_ns"] != MISSING)
    finish = np.sort(tasks["finish_ns"][whole])[:-1]
    dispatch = np.sort(tasks["dispatch_ns"][whole])[1:]
    ends = np.sort(phases["end_ns"][phases["lane"] == trace.code("scheduler")])
    waited = np.searchsorted(ends, dispatch, side="right") - np.searchsorted(ends, finish)
    return float(np.median(waited))
