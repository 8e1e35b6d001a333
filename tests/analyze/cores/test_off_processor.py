"""Threads that were off the processor: which waits tell so, and which have other reasons."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.analyze.hand import make_trace, task
from tests.analyze.simulated import a2a3, simulated

from lanescope.analyze.cores.off_processor import OFF_NS, ThreadsAway, are_off
from lanescope.analyze.cores.suspects import suspects
from lanescope.analyze.cores.verdict import verdict
from lanescope.workloads import build_workload

CORES = [{"core": 0, "kind": "aic", "controller": 0}, {"core": 1, "kind": "aic", "controller": 0}]


def found(tasks: list[dict[str, Any]]) -> ThreadsAway | None:
    trace = make_trace(tasks=tasks, cores=CORES, functions=[{"func": 0, "name": "f"}])
    return suspects(trace).off_processor


def steady(count: int = 10) -> list[dict[str, Any]]:
    """Tasks of core 0, each picked up after 1 µs and seen 1 µs after its end."""
    return [
        task(0, at := 20_000 * n, at + 1_000, at + 1_000, at + 9_000, at + 10_000, task=n, func=0)
        for n in range(count)
    ]


def test_a_steady_run_has_none() -> None:
    assert found(steady()) is None


def test_an_idle_core_that_does_not_pick_up_its_task_was_off() -> None:
    late = task(1, 0, 80_000, 80_000, 90_000, 91_000, task=99, func=0)
    off = found([*steady(), late])
    assert off is not None
    assert (off.waits, off.longest_ns, off.ns) == (1, 80_000, 80_000)
    assert off.share == pytest.approx(80_000 / 190_000, rel=0.01)


def test_a_scheduler_that_does_nothing_although_a_task_has_ended_was_off() -> None:
    late = task(1, 181_000, 182_000, 182_000, 185_000, 300_000, task=99, func=0)
    off = found([*steady(), late])
    assert off is not None
    assert (off.waits, off.longest_ns) == (1, 300_000 - 190_000), "it saw another end at 190 µs"


def test_a_scheduler_that_is_busy_with_others_was_not_off() -> None:
    late = task(1, 0, 1_000, 1_000, 5_000, 190_001, task=99, func=0)
    assert found([*steady(), late]) is None


def test_waits_that_are_all_long_are_as_usual() -> None:
    waits = np.full(20, 2 * OFF_NS)
    assert not are_off(waits, least=OFF_NS).any()
    assert are_off(np.append(waits, 30 * OFF_NS), least=OFF_NS).tolist() == [*[False] * 20, True]


def test_cores_that_no_table_names_have_no_scheduler() -> None:
    tasks = [task(1, 0, 0, 0, 0, 0, func=0), {"core": 0}]
    assert suspects(make_trace(tasks=tasks)).off_processor is None


@pytest.mark.parametrize("workload", ["fan", "paged_attention", "mixed", "spmd_mix"])
def test_nothing_is_off_on_a_simulated_chip(workload: str) -> None:
    trace = simulated(build_workload(workload, {}), a2a3())
    assert suspects(trace).off_processor is None
    assert verdict(trace) is not None


def test_a_wait_that_is_not_known_says_nothing_of_what_is_short() -> None:
    """Half of the known waits are 1,000 ns; with the unknown ones the short waits would be -1."""
    known = [1000.0] * 4 + [10 * OFF_NS]
    waits = np.array([-1.0] * 20 + known)
    alone, beside = are_off(np.array(known), least=2000.0), are_off(waits, least=2000.0)
    assert beside.tolist() == [False] * 20 + alone.tolist()
    short = np.array([-1.0] * 20 + [500.0, 500.0, 500.0, 600.0])
    assert not are_off(short, least=0.0).any()


def test_a_wait_of_nothing_is_known_and_short() -> None:
    waits = np.array([0.0] * 4 + [6000.0])
    assert are_off(waits, least=1000.0).tolist() == [*[False] * 4, True]
    assert not are_off(waits, least=6000.0).any(), "it must be longer than the least"
