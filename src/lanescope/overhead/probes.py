"""Task graphs whose makespan is one thing's busy time, so that records show up in it one by one.

    cores         long independent tasks: every core runs without a pause but for its records
    chain         one task after the other: each hop waits for its scheduler's work and records
    gate          all wait for the task that is submitted last: submits come first, then all else
    submits       short independent tasks, faster to run than to submit

Each probe runs in two sizes. The difference of the two makespans divided by the difference in units
is the time per unit: what happens once, at the beginning and the end, is in both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from lanescope.trace.meta import TELLS_FIRST
from lanescope.trace.table import Array
from lanescope.workloads.graph import TaskGraph, WorkKind

PRODUCER, STAGING = "producer-rotated", "staging"
GraphMaker = Callable[[int, int], TaskGraph]
"""Makes a graph of so many units, by a seed."""
_SPREAD = 0.02
"""Lengths of long tasks vary by this fraction, so that no two rounds are alike."""


@dataclass(frozen=True, slots=True)
class ProbedCores:
    """The cores that the probes run on, all of one kind, and the lengths of their tasks."""

    kind: str
    cores: int
    long_ns: int
    short_ns: int
    sizes: Mapping[str, tuple[int, int]]
    """Probe to the units of its smaller and of its larger run."""


@dataclass(frozen=True, slots=True)
class Probe:
    """One graph in two sizes, at several levels."""

    name: str
    levels: tuple[int, ...]
    """Levels that are run; all are compared with the first."""
    graph: GraphMaker
    sizes: tuple[int, int]
    """Units of the smaller and of the larger run."""
    waits: Callable[[int], dict[str, float]]
    """Level to how many records of each kind one unit waits for."""


def probes(bench: ProbedCores, protocol: str, *, phases_per_hop: float) -> list[Probe]:
    """Return the probes that show the costs of a protocol.

    `phases_per_hop` is how many phases of a scheduler end between two tasks of a chain.
    """
    sizes = bench.sizes
    core_first = protocol not in TELLS_FIRST

    def hop(level: int) -> dict[str, float]:
        return {
            "core_task": float(core_first and level >= 1),
            "core_moved": float(protocol != PRODUCER and level >= 1),
            "controller_task": float(level >= 2),
            "scheduler_phase": phases_per_hop * (level >= 3),
        }

    chosen = [
        Probe("cores", (0, 1), core_graphs(bench), sizes["cores"], _one("core_task", 1)),
        Probe("chain", (0, 1, 2, 3), chain_graphs(bench), sizes["chain"], hop),
        Probe("gate", (3, 4), gate_graphs(bench), sizes["gate"], _one("orchestrator_phase", 4)),
    ]
    if protocol == STAGING and "submits" in sizes:
        shared = _one("staging_shared", 1)
        chosen.append(Probe("submits", (0, 1), submit_graphs(bench), sizes["submits"], shared))
    return chosen


def _one(kind: str, level: int) -> Callable[[int], dict[str, float]]:
    """One record of this kind per unit, from this level on."""
    return lambda at: {kind: float(at >= level)}


def core_graphs(bench: ProbedCores) -> GraphMaker:
    """Return the maker of `cores`: long independent tasks, one per core and unit."""

    def graph(units: int, seed: int) -> TaskGraph:
        count = units * bench.cores
        lengths = bench.long_ns * (1 + _SPREAD * np.random.default_rng(seed).uniform(-1, 1, count))
        return _graph("cores", bench.kind, lengths)

    return graph


def chain_graphs(bench: ProbedCores) -> GraphMaker:
    """Return the maker of `chain`: one task after the other, a unit each.

    Lengths vary by more than a scheduler's round, so that hops end at any moment of it.
    """

    def graph(units: int, seed: int) -> TaskGraph:
        lengths = bench.short_ns * np.random.default_rng(seed).uniform(1, 3, units)
        return _graph("chain", bench.kind, lengths, np.arange(units - 1), np.arange(1, units))

    return graph


def gate_graphs(bench: ProbedCores) -> GraphMaker:
    """Return the maker of `gate`: all tasks wait for the one that is submitted last."""

    def graph(units: int, seed: int) -> TaskGraph:
        lengths = bench.short_ns * np.random.default_rng(seed).uniform(1, 3, units)
        return _graph("gate", bench.kind, lengths, np.full(units - 1, units - 1),
                      np.arange(units - 1))  # fmt: skip

    return graph


def submit_graphs(bench: ProbedCores) -> GraphMaker:
    """Return the maker of `submits`: independent tasks, shorter than their own submits."""

    def graph(units: int, seed: int) -> TaskGraph:
        lengths = bench.short_ns * np.random.default_rng(seed).uniform(0, 0.1, units)
        return _graph("submits", bench.kind, lengths)

    return graph


def _graph(
    name: str,
    kind: str,
    lengths_ns: Array,
    pred: Array | None = None,
    succ: Array | None = None,
) -> TaskGraph:
    count, none = len(lengths_ns), np.zeros(0, np.int64)
    return TaskGraph(
        name=name,
        functions=(name,),
        kinds=(kind,),
        func=np.zeros(count, np.int32),
        kind=np.zeros(count, np.int32),
        work=np.full(count, WorkKind.SPIN, np.int32),
        amount=np.rint(lengths_ns).astype(np.int64),
        pred=none if pred is None else pred,
        succ=none if succ is None else succ,
    )
