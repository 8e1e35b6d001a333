"""Runs to replay: simulated ones, made once per process, and one written by hand."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from tests.analyze.hand import make_trace, task
from tests.analyze.simulated import simulated

from lanescope.analyze.cores.makespan import makespan
from lanescope.native.replay import Costs
from lanescope.platforms.sim.chip import load_chip
from lanescope.replay.calibration.calibrate import Calibration
from lanescope.replay.readings.served import RangePs
from lanescope.replay.replica import Replica, replica_of
from lanescope.trace import Trace
from lanescope.workloads import build_workload


@cache
def recorded(workload: str, chip: str = "a2a3", level: int = 4) -> Trace:
    """A built-in workload on a simulated chip."""
    return simulated(build_workload(workload, {}), load_chip(chip), level=level)


@cache
def replica(workload: str, chip: str = "a2a3", level: int = 4) -> Replica:
    """Its replica."""
    return replica_of(recorded(workload, chip, level))


def span_ns(trace: Trace) -> int:
    """First dispatch to last finish."""
    window = makespan(trace).makespan
    assert window is not None
    return window.length_ns


def hand_run(**meta: Any) -> Trace:
    """Four tasks on three cores, level 2: A on two aiv cores, then B twice on the aic core, and a
    barrier that no core runs. Every core takes 10 ns to get a task and 20 ns until its end is seen.

    task 1, A, aiv 1   [100, 300)   ┐
    task 2, A, aiv 2   [110, 210)   ├─ task 5, barrier ─ task 3, B, aic 0 [340, 440)
    task 4, B, aic 0   [450, 650)   (after task 3)
    """
    return make_trace(
        {"level": 2, "queues": ("aic", "aiv"), **meta},
        tasks=[
            task(0, 330, 340, 340, 440, 460, task=3, func=1, token=1, blocks=1),
            task(0, 440, 450, 450, 650, 670, task=4, func=1, token=2, blocks=1),
            task(1, 90, 100, 100, 300, 320, task=1, func=0, token=1, blocks=1),
            task(2, 100, 110, 110, 210, 230, task=2, func=0, token=1, blocks=1),
            {"task": 5, "kind": "dummy"},
        ],
        edges=[
            {"pred": 1, "succ": 5},
            {"pred": 2, "succ": 5},
            {"pred": 5, "succ": 3},
            {"pred": 3, "succ": 4},
        ],
        cores=[
            {"core": 0, "name": "aic 0", "kind": "aic", "cluster": 0, "controller": 0},
            {"core": 1, "name": "aiv 1", "kind": "aiv", "cluster": 0, "controller": 0},
            {"core": 2, "name": "aiv 2", "kind": "aiv", "cluster": 1, "controller": 1},
        ],
        functions=[{"func": 0, "name": "A"}, {"func": 1, "name": "B"}],
    )


def hand_replica() -> Replica:
    """The replica of `hand_run` in which only tasks and submits take time, and no core holds a task
    in advance: node 0 runs [0, 200) ns, 1 [10, 110), 2 [200, 300), 3 [300, 500)."""
    made = replica_of(hand_run())
    return replace(
        made,
        costs=Costs(),
        machine=replace(made.machine, pre_dispatch=0),
        calibration=Calibration(costs=Costs(), seen_ps=RangePs(0, 0)),
    )
