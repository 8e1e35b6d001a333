"""Fitted costs against a simulator's parameters, and against costs made up for the purpose."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from tests.analyze.hand import make_trace, task

from lanescope.device.flags import level_features
from lanescope.errors import UsageError
from lanescope.overhead.fit_costs import (
    LEAST_ROUNDS,
    _below,
    _cost,
    _phases_per_hop,
    fit_costs,
)
from lanescope.overhead.probed import SimProbed, ThreadProbed
from lanescope.overhead.probes import ProbedCores, probes
from lanescope.platforms.sim.chip import load_chip
from lanescope.platforms.sim.costs import known_costs_ns
from lanescope.replay.correction.record_costs import Cost
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


class Listed(Made):
    """A platform that keeps which probes ran, by name, level, units and first length."""

    def __init__(self, folder: Path) -> None:
        super().__init__(SimProbed(load_chip("a2a3"), folder))
        self.runs: list[tuple[str, int, int, int]] = []

    def makespan_ns(self, graph: TaskGraph, level: int, protocol: str) -> float:
        self.runs.append((graph.name, level, len(graph), int(graph.amount[0])))
        return super().makespan_ns(graph, level, protocol)


def test_every_round_runs_all_probes_in_an_order_and_with_lengths_of_its_own(
    tmp_path: Path,
) -> None:
    platform, steps = Listed(tmp_path), []
    fit_costs(platform, "producer-rotated", rounds=6, seed=1, step=lambda: steps.append(1))
    assert len(platform.runs) == 7 * 16 and len(steps) == 7
    rounds = [platform.runs[at : at + 16] for at in range(0, 7 * 16, 16)]
    kinds = [[run[:3] for run in one] for one in rounds]
    assert len(set(map(tuple, kinds))) == 7
    cores = platform.bench.cores
    assert {tuple(sorted(one)) for one in kinds} == {
        tuple(
            sorted(
                [
                    *(("cores", level, units * cores) for level in (0, 1) for units in (6, 24)),
                    *(("chain", level, units) for level in range(4) for units in (150, 600)),
                    *(("gate", level, units) for level in (3, 4) for units in (200, 800)),
                ]
            )
        )
    }
    assert len({run[3] for run in platform.runs if run[0] == "cores"}) == 7
    again, other = Listed(tmp_path), Listed(tmp_path)
    fit_costs(again, "producer-rotated", rounds=6, seed=1)
    fit_costs(other, "producer-rotated", rounds=6, seed=2)
    assert again.runs == platform.runs
    assert {run[3] for run in other.runs}.isdisjoint(
        run[3] for run in platform.runs if run[0] == "cores"
    )


def test_the_round_that_warms_up_does_not_count(tmp_path: Path) -> None:
    """Every makespan of the first round is off by another amount."""

    class Cold(Made):
        def makespan_ns(self, graph: TaskGraph, level: int, protocol: str) -> float:
            late = 1e6 * (level + 1) * len(graph) if self.calls < 16 else 0.0
            return super().makespan_ns(graph, level, protocol) + late

    found = fit_costs(
        Cold(SimProbed(load_chip("a2a3"), tmp_path)), "producer-rotated", rounds=6, seed=1
    )
    assert {kind: round(cost.ns, 6) for kind, cost in found.costs.items()} == TRUE
    assert all(cost.high_ns - cost.low_ns < 0.5 for cost in found.costs.values())
    assert (found.protocol, found.note) == (
        "producer-rotated",
        "6 rounds of cores, chain, gate; medians with 95% intervals",
    )


@pytest.mark.parametrize(("count", "out"), [(6, 0), (8, 0), (9, 1), (11, 1), (12, 2), (15, 3)])
def test_the_interval_leaves_out_as_many_values_as_the_confidence_allows(
    count: int, out: int
) -> None:
    """The clock's 2 ns are spread over the 4 units between the sizes of the smaller probe."""
    chosen = probes(
        ProbedCores("aiv", 1, 1, 1, {"cores": (6, 10), "chain": (1, 9), "gate": (1, 21)}),
        "producer-rotated",
        phases_per_hop=1,
    )
    values = [10.0 * number for number in range(count)]
    found = _cost(values[::-1], chosen)
    middle = 10 * (count - 1) / 2
    assert found == Cost(middle, 10.0 * out - 0.5, 10.0 * (count - 1 - out) + 0.5)


@pytest.mark.parametrize(
    ("count", "most", "chance"), [(6, 0, 1 / 64), (6, 1, 7 / 64), (4, 4, 1.0), (1, 0, 0.5)]
)
def test_how_likely_few_values_lie_below_the_median(count: int, most: int, chance: float) -> None:
    assert _below(count, most) == chance


def test_phases_that_end_between_a_finish_and_the_next_dispatch_are_counted() -> None:
    """Hops 10-20 with two phases, one of them at its end, and 30-40 with one, at its start."""

    class Told:
        bench = ProbedCores("aiv", 1, 1, 1, {"chain": (3, 9)})

        def trace(self, graph: TaskGraph, level: int, protocol: str) -> Trace:
            assert (graph.name, len(graph), level, protocol) == ("chain", 3, 3, "staging")
            rows = [(0, 10), (20, 30), (40, 50)]
            phases = [("scheduler", end) for end in (9, 15, 20, 30, 55)]
            return make_trace(
                tasks=[
                    *(task(0, start, None, start, end, end) for start, end in rows),
                    task(0, None, None, 32, 33, 34),
                    task(0, 35, None, 36, 37, None),
                ],
                phases=[
                    {"lane": lane, "controller": 0, "kind": "x", "start_ns": 0, "end_ns": end}
                    for lane, end in (*phases, ("orchestrator", 16), ("orchestrator", 35))
                ],
            )

    told: Any = Told()
    assert _phases_per_hop(told, "staging", 1) == 1.5
