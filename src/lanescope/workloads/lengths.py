"""Lengths that vary: how a function's tasks differ from each other, and lengths drawn by a seed.

A length belongs to a unit: one run of a task's block on one core. Draws use whole numbers and exact
operations only, so a seed gives the same lengths on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from lanescope.errors import UsageError
from lanescope.native import Array
from lanescope.trace import Trace
from lanescope.trace.schema import MISSING
from lanescope.workloads.graph import NodeKind, TaskGraph, WorkKind
from lanescope.workloads.spread import LengthSpread

PS_PER_NS = 1_000
MOST_SEED = 2**63 - 1
_HALVES = 12
"""Uniform numbers whose sum is the bell curve: the sum has a standard deviation of exactly 1."""


@dataclass(frozen=True, slots=True)
class Draw:
    """Which lengths are drawn: the same seed and round give the same lengths."""

    seed: int = 0
    round: int = 0

    def __post_init__(self) -> None:
        for name in ("seed", "round"):
            value = getattr(self, name)
            if not 0 <= value <= MOST_SEED:
                raise UsageError(f"expected a {name} from 0 to {MOST_SEED}, found {value}")


def varying_functions(graph: TaskGraph) -> dict[str, LengthSpread]:
    """Return the functions whose lengths are drawn, by name."""
    used = set(graph.func[graph.work == WorkKind.SPIN].tolist())
    return {
        name: spread
        for func, (name, spread) in enumerate(zip(graph.functions, graph.spreads, strict=False))
        if spread is not None and func in used
    }


def drawn(graph: TaskGraph, draw: Draw) -> TaskGraph:
    """Return the graph with a length for each unit; the graph itself where no length varies."""
    if not varying_functions(graph):
        return graph
    units = units_of(graph)
    task = np.repeat(np.arange(len(graph)), units)
    func = graph.func[task]
    lengths = (graph.amount * PS_PER_NS * (graph.work == WorkKind.SPIN))[task]
    seed = np.array([draw.seed, draw.round], np.uint64)
    raw = np.random.PCG64(seed).random_raw(len(task) * _HALVES // 2).astype(np.uint64)
    raw = raw.reshape(len(task), -1)
    for code, spread in enumerate(graph.spreads):
        rows = np.flatnonzero((func == code) & (graph.work[task] == WorkKind.SPIN))
        if spread is not None and len(rows):
            lengths[rows] = _lengths(spread, lengths[rows], raw[rows])
    return replace(graph, unit_ps=lengths)


def units_of(graph: TaskGraph) -> Array:
    """Return how many units each task has: its blocks, times the cores that run one of them."""
    runs = graph.nodes == NodeKind.RUN if graph.nodes is not None else np.ones(len(graph), bool)
    blocks = 1 if graph.blocks is None else graph.blocks
    partners = 0 if graph.partners is None else graph.partners
    units: Array = runs.astype(np.int64) * blocks * (1 + partners)
    return units


def _lengths(spread: LengthSpread, stated: Array, raw: Array) -> Array:
    """Return lengths in ps for units of one function; `raw` has 64 random bits in each cell."""
    if spread.sample_ns:
        sample = np.array(spread.sample_ns, np.int64) * PS_PER_NS
        taken: Array = sample[(raw[:, 0] % np.uint64(len(sample))).astype(np.int64)]
        return taken
    lengths: Array = stated + np.rint(_bell(raw) * spread.sigma_ps).astype(np.int64)
    return np.maximum(lengths, 0)


def _bell(raw: Array) -> Array:
    """Return numbers of mean 0 and standard deviation 1, none beyond 6."""
    low, high = raw & np.uint64(0xFFFFFFFF), raw >> np.uint64(32)
    total = (low + high).sum(axis=1).astype(np.int64)
    middle = _HALVES * (2**32 - 1) // 2
    bell: Array = (total - middle).astype(np.float64) / 2**32
    return bell


def robust_sigma_ns(lengths_ns: Sequence[int] | Array) -> float:
    """Return 1.4826 times the median distance from the median.

    Equals the standard deviation of a bell curve, and hardly changes with a few long outliers.
    """
    lengths = np.asarray(lengths_ns, np.float64)
    if not len(lengths):
        return 0.0
    return float(1.4826 * np.median(np.abs(lengths - np.median(lengths))))


def recorded_ns(trace: Trace, function: str) -> tuple[int, ...]:
    """Return the lengths of a function's runs in a trace, for `GraphBuilder.vary(sample_ns=…)`.

    Raises:
        UsageError: The trace has no run of the function with a start and an end.
    """
    names = [trace.words[code] for code in trace.functions["name"].tolist()]
    codes = trace.functions["func"].tolist()
    wanted = [code for code, name in zip(codes, names, strict=True) if name == function]
    tasks = trace.tasks
    ran = (tasks["start_ns"] != MISSING) & (tasks["end_ns"] != MISSING)
    rows = ran & np.isin(tasks["func"], wanted)
    if not rows.any():
        raise UsageError(
            f"{trace.meta.name} has no run of function {function!r} with a start and an end; it "
            f"has: {', '.join(names) or 'no functions'}"
        )
    return tuple((tasks["end_ns"] - tasks["start_ns"])[rows].tolist())
