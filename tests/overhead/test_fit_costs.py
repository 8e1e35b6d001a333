"""Fitted costs against a simulator's parameters, and against costs made up for the purpose."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from lanescope.device.flags import level_features
from lanescope.errors import UsageError
from lanescope.overhead.fit_costs import LEAST_ROUNDS, fit_costs
from lanescope.overhead.probed import SimProbed, ThreadProbed
from lanescope.overhead.probes import ProbedCores
from lanescope.platforms.sim.chip import load_chip
from lanescope.platforms.sim.costs import known_costs_ns
from lanescope.trace import Trace
from lanescope.workloads.graph import TaskGraph


@pytest.mark.parametrize("protocol", ["staging", "controller-rotated", "producer-rotated"])
@pytest.mark.parametrize("chip", ["a2a3", "a5"])
def test_the_fit_finds_the_parameters_of_the_simulator(
    chip: str, protocol: str, tmp_path: Path
) -> None:
    platform = SimProbed(load_chip(chip), tmp_path)
    found = fit_costs(platform, protocol, rounds=LEAST_ROUNDS, seed=1)
    truth = known_costs_ns(platform.chip, level_features(4), protocol)
    assert found.costs.keys() == truth.keys()
    for kind, cost in found.costs.items():
        assert cost.low_ns <= truth[kind] <= cost.high_ns, kind
        assert cost.high_ns - cost.low_ns <= 60, kind  # and not by being wide
    assert list(tmp_path.iterdir()) == []


@dataclass
class Made:
    """A platform whose times are a sum of costs; in some calls something disturbs it."""

    real: SimProbed
    disturbed: set[int] = field(default_factory=set)
    calls: int = 0
    name = "made"

    @property
    def bench(self) -> ProbedCores:
        return self.real.bench

    def makespan_ns(self, graph: TaskGraph, level: int, protocol: str) -> float:
        self.calls += 1
        each = {"cores": 50.0 * (level >= 1), "gate": 7.0 * (level >= 4)}
        hop = 11.0 * (level >= 2) + 2 * 13.0 * (level >= 3)
        units = len(graph) / (self.bench.cores if graph.name == "cores" else 1)
        extra = 1e9 if self.calls in self.disturbed else 0.0
        return 1000.0 + units * (300 + each.get(graph.name, hop)) + extra

    def trace(self, graph: TaskGraph, level: int, protocol: str) -> Trace:
        return self.real.trace(graph, level, protocol)


def made(tmp_path: Path, disturbed: set[int]) -> Made:
    return Made(SimProbed(load_chip("a2a3"), tmp_path), disturbed)


TRUE = {"core_task": 50, "controller_task": 11, "scheduler_phase": 13, "orchestrator_phase": 7}


def test_costs_that_add_up_are_found_exactly(tmp_path: Path) -> None:
    found = fit_costs(made(tmp_path, set()), "producer-rotated", rounds=6, seed=1)
    assert {kind: round(cost.ns, 6) for kind, cost in found.costs.items()} == TRUE
    assert all(cost.high_ns - cost.low_ns < 0.5 for cost in found.costs.values())
    assert (found.platform, found.basis) == ("made", "fitted")


def test_a_disturbed_round_does_not_move_the_costs(tmp_path: Path) -> None:
    platform = made(tmp_path, {20, 21, 40})
    found = fit_costs(platform, "producer-rotated", rounds=15, seed=1)
    assert {kind: round(cost.ns, 6) for kind, cost in found.costs.items()} == TRUE
    assert all(cost.high_ns - cost.low_ns < 0.5 for cost in found.costs.values())


def test_few_rounds_have_no_interval(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="expected at least 6 rounds, for an interval of 95%"):
        fit_costs(made(tmp_path, set()), "staging", rounds=5, seed=1)


class Small(ThreadProbed):
    repeats = 1
    bench = replace(
        ThreadProbed.bench, sizes={"cores": (5, 25), "chain": (5, 25), "gate": (50, 100)}
    )


def test_threads_can_be_probed(tmp_path: Path) -> None:
    """What comes out depends on the machine; that each kind has a cost does not."""
    found = fit_costs(Small(tmp_path), "staging", rounds=6, seed=1)
    kinds = {"core_task", "core_moved", "controller_task", "scheduler_phase", "orchestrator_phase"}
    assert found.costs.keys() == kinds
    assert all(cost.problem() == "" for cost in found.costs.values())
    assert list(tmp_path.iterdir()) == []
