"""The search for costs: it ends at the best, and keeps what is as good."""

from __future__ import annotations

from lanescope.native.replay import Costs
from lanescope.replay.calibration.refine import SearchLimits, refine
from lanescope.replay.readings.served import RangePs

START = Costs(loop=50_000, poll_core=100_000, scheduler_phase=88_000, finish_latency=75_000)


def test_it_finds_costs_that_are_a_little_off() -> None:
    def score(costs: Costs) -> float:
        return (abs(costs.scheduler_phase - 87_900) + abs(costs.poll_core - 100_300)) / 1000 + 0.3

    best, *_ = refine(START, score, SearchLimits(RangePs(70_000, 80_000), 20_000, 400))
    assert abs(best.scheduler_phase - 87_900) <= 160 and abs(best.poll_core - 100_300) <= 160


def test_what_nothing_tells_stays_open() -> None:
    """Any value between two others is as good: both ends are kept."""

    def score(costs: Costs) -> float:
        return 0.0 if 20_000 <= costs.finish_latency <= 100_000 else 3.0

    likely = refine(START, score, SearchLimits(RangePs(0, 120_000), 1_000, 100))
    seen = [costs.finish_latency for costs in likely]
    assert 20_000 <= min(seen) <= 30_000 and 90_000 <= max(seen) <= 100_000


def test_it_takes_no_more_replays_than_it_may() -> None:
    calls = []

    def score(costs: Costs) -> float:
        calls.append(costs)
        return 5.0

    refine(START, score, SearchLimits(RangePs(0, 1000), 1_000, 30))
    assert len(calls) <= 30 + 24 + 2


def test_costs_about_as_good_as_the_best_are_kept_and_worse_ones_are_not() -> None:
    """Up to 50 ns the score is 1, up to 90 ns a little more, above that clearly more."""

    def score(costs: Costs) -> float:
        return (
            1.0
            if costs.finish_latency <= 50_000
            else 1.05
            if costs.finish_latency <= 90_000
            else 1.3
        )

    best, *others = refine(START, score, SearchLimits(RangePs(0, 120_000), 1_000, 60))
    assert best.finish_latency <= 50_000
    assert 80_000 <= max(costs.finish_latency for costs in others) <= 90_000


def test_the_first_moves_are_a_quarter_of_a_tick() -> None:
    tried = []

    def score(costs: Costs) -> float:
        tried.append(costs.scheduler_phase - START.scheduler_phase)
        return 5.0

    refine(START, score, SearchLimits(RangePs(0, 1000), 1_000, 60))
    moved = [by_ps for by_ps in tried if by_ps]
    assert moved[:4] == [250, -250, 125, -125]
