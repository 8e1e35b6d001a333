"""What is asked for in one breath is replayed as one change: against the simulator."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.analyze.simulated import recorded_halved
from tests.replay.runs import replica, span_ns

import lanescope
from lanescope.platforms.recording import Recording
from lanescope.platforms.sim.chip import load_chip
from lanescope.replay.asked import AskedChanges, together
from lanescope.replay.replica import Replica
from lanescope.replay.what_if import ChangePrediction, what_if
from lanescope.workloads import build_workload


def asked(made: Replica, changes: AskedChanges) -> ChangePrediction:
    (prediction,) = what_if(made, [together(changes.changes(made))]).predictions
    return prediction


@pytest.mark.parametrize(
    ("workload", "func"), [("paged_attention", 0), ("random_dag", 1), ("matmul_add", 0)]
)
def test_lengths_cores_and_schedulers_change_together(workload: str, func: int) -> None:
    """One aiv core more in every cluster, one scheduler less, and a function of half the length."""
    graph = build_workload(workload, {})
    chip = replace(load_chip("a2a3"), aiv_per_cluster=3, schedulers=2, provenance={})
    name = graph.functions[func]
    changes = AskedChanges(scale={name: 0.5}, cores={"aiv": 72}, schedulers=2)
    prediction = asked(replica(workload), changes)
    truth = span_ns(recorded_halved(graph, chip, Recording(), func=func))
    assert prediction.name == f"{name} x0.5, aiv=72, 2 schedulers"
    assert abs(prediction.makespan_ns / truth - 1) <= 0.03
    assert prediction.low_ns <= truth <= prediction.high_ns


@pytest.mark.parametrize("workload", ["paged_attention", "random_dag", "fan"])
@pytest.mark.parametrize("held", [0, 2])
def test_another_pre_dispatch_is_what_the_simulator_then_takes(workload: str, held: int) -> None:
    truth = span_ns(lanescope.run(workload, pre_dispatch=held))
    prediction = asked(replica(workload), AskedChanges(pre_dispatch=held))
    assert prediction.name == f"pre-dispatch {held}"
    assert abs(prediction.makespan_ns / truth - 1) <= 0.03
    assert prediction.low_ns <= truth <= prediction.high_ns
