"""The search for costs: it ends at the best, and keeps what is as good."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lanescope.native.replay import Costs
from lanescope.replay.calibration.refine import SearchLimits, _Search, _spread, _Try, refine
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


def searched(tick_ps: int = 1_000, tries: int = 60, **costs: int) -> _Search:
    """A search that has tried only its first costs; no score is lower than another."""
    limits = SearchLimits(RangePs(5_000, 10_000), tick_ps, tries)
    return _Search(Costs(**costs), lambda one: 5.0, limits)


@pytest.mark.parametrize(
    ("name", "begun", "by_ps", "moved"),
    [
        ("loop", 100_000, 500, 100_500),
        ("loop", 100_000, 2_500, 102_000),
        ("loop", 100_000, -2_500, 98_000),
        ("loop", 500, -900, 0),
        ("loop", 500, 0.6, 501),
        ("engine_latency", 1_000, 9_000, 6_010),
        ("engine_latency", 1_000, -9_000, -4_010),
    ],
)
def test_a_cost_moves_by_a_tick_and_one_percent_at_most(
    name: str, begun: int, by_ps: float, moved: int
) -> None:
    found = searched(**{name: begun})._moved({name: by_ps})
    assert found == replace(Costs(**{name: begun}), **{name: moved})


def test_several_costs_move_at_once() -> None:
    found = searched(loop=9_000, pop=5_000)._moved({"loop": 10, "pop": -10})
    assert found == Costs(loop=9_010, pop=4_990)


def test_a_scan_goes_from_a_tick_below_to_a_tick_above_what_is_allowed() -> None:
    """Where all are as good, the middle of them is tried last; the first costs had 0."""
    found = searched(tries=8)
    found.scan(Costs())
    seen = [one.costs.finish_latency for one in found.tried]
    assert seen == [0, 4_000, 5_000, 6_000, 7_000, 8_000, 9_000, 10_000, 11_000, 7_000]
    low = searched(tick_ps=6_000, tries=2)
    low.scan(Costs())
    assert [one.costs.finish_latency for one in low.tried] == [0, 0, 16_000, 0]


def test_costs_are_scored_once_and_only_a_lower_score_is_better() -> None:
    scored: list[Costs] = []

    def score(costs: Costs) -> float:
        scored.append(costs)
        return float(costs.loop)

    search = _Search(Costs(loop=5), score, SearchLimits(RangePs(0, 0), 1, 9))
    tries = [search._is_better(Costs(loop=loop)) for loop in (5, 6, 4, 4, 6)]
    assert tries == [False, False, True, False, False]
    assert ([one.loop for one in scored], len(search.tried)) == ([5, 6, 4], 6)
    assert search.best == (4.0, Costs(loop=4))


def test_a_search_ends_with_its_tries_or_with_a_good_score() -> None:
    def over(score: float, tries: int) -> bool:
        limits = SearchLimits(RangePs(0, 0), 1, tries)
        return _Search(Costs(), lambda one: score, limits)._over

    assert (over(0.25, 2), over(0.24, 2), over(0.25, 1)) == (False, True, True)


def spread(*tried: tuple[float, int]) -> list[int]:
    found = _spread([_Try(score, Costs(finish_latency=seen)) for score, seen in tried])
    return [one.finish_latency for one in found]


def test_six_costs_about_as_good_are_kept_from_end_to_end() -> None:
    """The best has a score of 1: up to 1.1 and a quarter of a good one, 0.0625, is as good."""
    assert spread((1.0, 50), (1.16, 70), (1.1626, 80), (1.17, 90)) == [50, 70]
    assert spread((2.0, 40), (1.0, 50), (1.1, 10), (1.1, 90)) == [50, 10, 90]
    many = [(1.0, 500), *((1.1, 100 * place) for place in range(11) if place != 5)]
    assert spread(*many) == [500, 0, 200, 400, 600, 800, 1000]
    assert spread((1.0, 50), (1.1, 50)) == [50]


def test_first_the_values_of_seen_are_tried_in_a_row() -> None:
    calls = []

    def score(costs: Costs) -> float:
        calls.append(costs)
        return 5.0

    refine(START, score, SearchLimits(RangePs(70_000, 80_000), 20_000, 100))
    first = [costs.finish_latency for costs in calls[1:20]]
    assert [replace(one, finish_latency=START.finish_latency) for one in calls[:20]] == [START] * 20
    assert first == sorted(first)
