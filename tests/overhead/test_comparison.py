"""Samples of configurations beside each other, whole results by hand."""

from __future__ import annotations

import pytest

from lanescope.overhead import Configuration, RunSample, compare
from lanescope.overhead.statistics import PairedDifference

OFF = Configuration(0, "off")
STAGING = Configuration(1, "staging")
PRODUCER = Configuration(1, "producer-rotated")


def same(ns: float) -> PairedDifference:
    """A difference that is the same in every round."""
    return PairedDifference(ns, ns, ns, ns, told_apart=ns != 0)


def test_counts_are_summed_or_taken_per_run() -> None:
    samples = [
        RunSample(1_000, records=10, dropped=1, stalls=2, blocked_ns=30),
        RunSample(3_000, records=20, dropped=0, stalls=5, blocked_ns=70),
    ]
    (found,) = compare({STAGING: samples}, tasks=7)
    assert (found.makespan_ns.mean, found.makespan_ns.n) == (2_000, 2)
    assert (found.records_per_run, found.dropped, found.stalls) == (15.0, 1, 7)
    assert (found.blocked_ns_per_run, found.samples) == (50.0, tuple(samples))
    assert (found.to_off_ns, found.to_baseline_ns, found.orchestrator_ns) == (None, None, None)
    assert (found.to_off_percent, found.to_off_ns_per_task, found.overhead_ns) == (None,) * 3


@pytest.mark.parametrize(("tasks", "per_task"), [(5, 40.0), (1, 200.0), (0, 200.0)])
def test_each_is_held_against_level_0_and_the_baseline_of_its_level(
    tasks: int, per_task: float
) -> None:
    off, staging, producer = compare(
        {
            OFF: [RunSample(1_000), RunSample(3_000)],
            STAGING: [RunSample(1_200), RunSample(3_200)],
            PRODUCER: [RunSample(1_150), RunSample(3_150)],
        },
        tasks=tasks,
    )
    assert (off.to_off_ns, off.to_baseline_ns) == (None, None)
    assert (staging.to_off_ns, staging.to_baseline_ns) == (same(200), None)
    assert (staging.to_off_percent, staging.to_off_ns_per_task) == (10.0, per_task)
    assert (producer.to_off_ns, producer.to_baseline_ns) == (same(150), same(-50))


def test_what_recording_costs_has_the_orchestrator_in_it() -> None:
    off, staging = compare(
        {
            OFF: [RunSample(1_000, orchestrator_ns=ns) for ns in (0, 50, 50)],
            STAGING: [RunSample(1_200, orchestrator_ns=ns) for ns in (100, 150, 150)],
        },
        tasks=1,
    )
    assert staging.overhead_ns == same(300)
    assert staging.orchestrator_ns is not None and staging.orchestrator_ns.max == 150
    assert off.overhead_ns is None


@pytest.mark.parametrize("known", [(100, None, 1), (None, 7, None), (None, None, None)])
def test_without_the_orchestrator_of_every_round_nothing_is_said_of_it(
    known: tuple[int | None, ...],
) -> None:
    some = [RunSample(1_200, orchestrator_ns=ns) for ns in known]
    every = [RunSample(1_000, orchestrator_ns=5)] * 3
    off, staging = compare({OFF: every, STAGING: some}, tasks=1)
    assert (staging.overhead_ns, staging.orchestrator_ns) == (None, None)
    off, staging = compare({OFF: some, STAGING: every}, tasks=1)
    assert (staging.overhead_ns, off.orchestrator_ns) == (None, None)
    assert compare({STAGING: every}, tasks=1)[0].overhead_ns is None
