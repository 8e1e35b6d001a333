"""Nanoseconds per record of each kind, fitted to runs of the probes at several levels.

In every round, each probe gives one equation per level: what a unit takes more than at the probe's
first level is the costs of the records that it waits for. Least squares solves a round; the costs
are the medians over the rounds, with the order statistics' interval, which no outlier moves.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from math import comb
from statistics import median
from typing import Protocol

import numpy as np

from lanescope.bench.probes import Probe, ProbedCores, bench_chain, probes
from lanescope.bench.statistics import CONFIDENCE
from lanescope.errors import UsageError
from lanescope.replay.correction.record_costs import Cost, RecordCosts
from lanescope.trace import Trace
from lanescope.trace.schema import MISSING
from lanescope.workloads.graph import TaskGraph

LEAST_ROUNDS = 6
"""Fewer have no interval of 95 %: all of 6 rounds lie on one side of the median once in 32."""
_CLOCK_NS = 1.0
"""A makespan is known no better than to this."""


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
    """The costs on a platform with a protocol; `step` is called after every round."""
    if rounds < LEAST_ROUNDS:
        raise UsageError(
            f"expected at least {LEAST_ROUNDS} rounds, for an interval of {CONFIDENCE:.0%}, "
            f"found {rounds}"
        )
    waited = _phases_per_hop(platform, protocol, seed)
    chosen = probes(platform.bench, protocol, phases_per_hop=waited)
    solved = []
    for number in range(rounds + 1):
        found = _solve(platform, protocol, chosen, seed=seed * 1_000_003 + number)
        if number:  # the first round only warms up
            solved.append(found)
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
    """One round: kind → ns per record."""
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
    """What a unit more takes, ns, by probe and level. Runs come in an order of the round's own."""
    runs = [(probe, level, units) for probe in chosen for level in probe.levels
            for units in probe.sizes]  # fmt: skip
    random.Random(seed).shuffle(runs)
    found = {
        (probe.name, level, units): platform.makespan_ns(probe.graph(units, seed), level, protocol)
        for probe, level, units in runs
    }
    return {
        (probe.name, level): (found[probe.name, level, large] - found[probe.name, level, small])
        / (large - small)
        for probe in chosen
        for small, large in [probe.sizes]
        for level in probe.levels
    }


def _cost(values: Sequence[float], chosen: Sequence[Probe]) -> Cost:
    """Median, and the narrowest pair of order statistics that holds it surely enough."""
    ordered, count = sorted(values), len(values)
    out = 0
    while 1 - 2 * _below(count, out + 1) >= CONFIDENCE:
        out += 1
    resolution = max(2 * _CLOCK_NS / (large - small) for small, large in (p.sizes for p in chosen))
    return Cost(median(values), ordered[out] - resolution, ordered[-1 - out] + resolution)


def _below(count: int, most: int) -> float:
    """Chance that at most so many of the values lie below the median."""
    return float(sum(comb(count, k) for k in range(most + 1)) / 2**count)


def _phases_per_hop(platform: Platform, protocol: str, seed: int) -> float:
    """How many scheduler phases end between a finish in a chain and the dispatch that follows:
    their records are what the next task waits for."""
    graph = bench_chain(platform.bench)(platform.bench.sizes["chain"][0], seed)
    trace = platform.trace(graph, 3, protocol)
    tasks, phases = trace.tasks, trace.phases
    whole = (tasks["dispatch_ns"] != MISSING) & (tasks["finish_ns"] != MISSING)
    finish = np.sort(tasks["finish_ns"][whole])[:-1]
    dispatch = np.sort(tasks["dispatch_ns"][whole])[1:]
    ends = np.sort(phases["end_ns"][phases["lane"] == trace.code("scheduler")])
    waited = np.searchsorted(ends, dispatch, side="right") - np.searchsorted(ends, finish)
    return float(np.median(waited))
