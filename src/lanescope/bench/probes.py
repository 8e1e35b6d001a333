"""Task graphs whose makespan is one thing's busy time, so that records show up in it one by one.

    cores         long independent tasks: every core goes from task to task, and its record with it
    chain         one task after the other: each hop waits for what its scheduler does, and records
    gate          all wait for the task that is submitted last: submits come first, then all else
    submits       short independent tasks, faster to run than to submit

Each is run in two sizes, and the difference is per unit: what happens once at begin and end is in
both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from lanescope.trace.table import Array
from lanescope.workloads.graph import TaskGraph, WorkKind

PRODUCER, STAGING = "producer-rotated", "staging"
_SPREAD = 0.02
"""Lengths of long tasks vary by this part, so that no two rounds are alike."""


@dataclass(frozen=True, slots=True)
class ProbedCores:
    """What the probes run on: cores of one kind, and how long their tasks are."""

    kind: str
    cores: int
    long_ns: int
    short_ns: int
    sizes: Mapping[str, tuple[int, int]]
    """By probe: units of the smaller and of the larger run."""


@dataclass(frozen=True, slots=True)
class Probe:
    """`levels` are compared with the first of them; `waits` says how many records of each kind the
    makespan holds per unit at a level."""

    name: str
    levels: tuple[int, ...]
    graph: Callable[[int, int], TaskGraph]
    """Of so many units, by a seed."""
    sizes: tuple[int, int]
    waits: Callable[[int], dict[str, float]]


def probes(bench: ProbedCores, protocol: str, *, phases_per_hop: float) -> list[Probe]:
    """Those that tell the costs of a protocol."""
    sizes = bench.sizes
    core_first = protocol != PRODUCER

    def hop(level: int) -> dict[str, float]:
        return {
            "core_task": float(core_first and level >= 1),
            "core_moved": float(core_first and level >= 1),
            "controller_task": float(level >= 2),
            "scheduler_phase": phases_per_hop * (level >= 3),
        }

    found = [
        Probe("cores", (0, 1), bench_cores(bench), sizes["cores"], _one("core_task", 1)),
        Probe("chain", (0, 1, 2, 3), bench_chain(bench), sizes["chain"], hop),
        Probe("gate", (3, 4), bench_gate(bench), sizes["gate"], _one("orchestrator_phase", 4)),
    ]
    if protocol == STAGING and "submits" in sizes:
        shared = _one("staging_shared", 1)
        found.append(Probe("submits", (0, 1), bench_submits(bench), sizes["submits"], shared))
    return found


def _one(kind: str, level: int) -> Callable[[int], dict[str, float]]:
    return lambda at: {kind: float(at >= level)}


def bench_cores(bench: ProbedCores) -> Callable[[int, int], TaskGraph]:
    def graph(units: int, seed: int) -> TaskGraph:
        count = units * bench.cores
        lengths = bench.long_ns * (1 + _SPREAD * np.random.default_rng(seed).uniform(-1, 1, count))
        return _graph("cores", bench.kind, lengths)

    return graph


def bench_chain(bench: ProbedCores) -> Callable[[int, int], TaskGraph]:
    """Lengths vary by more than a scheduler's round, so that hops end at any moment of it."""

    def graph(units: int, seed: int) -> TaskGraph:
        lengths = bench.short_ns * np.random.default_rng(seed).uniform(1, 3, units)
        return _graph("chain", bench.kind, lengths, np.arange(units - 1), np.arange(1, units))

    return graph


def bench_gate(bench: ProbedCores) -> Callable[[int, int], TaskGraph]:
    def graph(units: int, seed: int) -> TaskGraph:
        lengths = bench.short_ns * np.random.default_rng(seed).uniform(1, 3, units)
        return _graph("gate", bench.kind, lengths, np.full(units - 1, units - 1),
                      np.arange(units - 1))  # fmt: skip

    return graph


def bench_submits(bench: ProbedCores) -> Callable[[int, int], TaskGraph]:
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
