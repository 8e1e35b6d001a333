"""What a scheduler takes that serves many cores in one step is read from stamps alone."""

from __future__ import annotations

import numpy as np
import pytest
from tests.replay.banked import BankedRun, traced

from lanescope.analyze.graph.nodes import nodes
from lanescope.replay.calibration.bank_costs import (
    BankCosts,
    _fitted,
    _mean,
    bank_costs,
    rest_and_loop,
)
from lanescope.replay.readings.bank_steps import bank_steps
from lanescope.replay.readings.served import served_runs


def read(run: BankedRun, *, level: int) -> BankCosts:
    trace = traced(run, level=level)
    return bank_costs(bank_steps(trace, nodes(trace), served_runs(trace), cores=32))


def test_the_costs_of_a_machine_come_back() -> None:
    costs = read(BankedRun(), level=4)
    # The nearest ends that a look saw came a little before it.
    assert costs.look == pytest.approx(1820, rel=0.02)
    assert costs.look + costs.after_dispatch == pytest.approx(3920, rel=0.01)
    assert costs.complete == pytest.approx(420, abs=1)
    assert costs.resolve == pytest.approx(600, rel=0.1)
    assert costs.resolve_edge == pytest.approx(800, rel=0.02)
    assert costs.before_dispatch == pytest.approx(2000, rel=0.05)
    assert costs.dispatch == pytest.approx(1200, rel=0.01)
    assert costs.opening == pytest.approx(3000, rel=0.05)


def test_with_one_bank_the_parts_of_a_round_add_up() -> None:
    costs = read(BankedRun(schedulers=4), level=4)
    assert costs.resolve_edge == pytest.approx(800, rel=0.02)
    assert costs.resolve + costs.before_dispatch + costs.dispatch == pytest.approx(3800, rel=0.02)


def test_recorded_numbers_of_rounds_tell_what_an_empty_one_takes() -> None:
    run = BankedRun(schedulers=8, cores=150)
    assert read(run, level=3).loop == pytest.approx(2200, abs=1)
    assert read(run, level=2).loop == pytest.approx(2200, rel=0.25)


def test_looks_into_the_shared_queues_come_back() -> None:
    assert read(BankedRun(), level=4).pop == pytest.approx(1500, rel=0.02)


def test_rounds_are_told_apart_without_phases() -> None:
    with_phases, without = (read(BankedRun(schedulers=2), level=level) for level in (3, 2))
    assert without.complete == pytest.approx(with_phases.complete, rel=0.05)
    assert without.dispatch == pytest.approx(with_phases.dispatch, rel=0.05)
    assert without.resolve_edge == pytest.approx(with_phases.resolve_edge, rel=0.1)
    assert without.look == pytest.approx(with_phases.look, rel=0.05)


def test_nothing_is_told_by_a_run_of_one_task() -> None:
    costs = read(BankedRun(tasks=1), level=4)
    assert costs.look == pytest.approx(1820, abs=2200)
    assert costs[1:-1] == (0.0,) * 9


def test_tasks_of_one_length_tell_a_round_by_how_many_fit_into_one() -> None:
    """Gaps of a chain on an H200: there are more rounds in one where rounds were shorter."""
    passed = np.repeat([13.0, 14.0, 15.0, 16.0], [10, 85, 104, 1])
    gap_ns = np.repeat([25933.5, 27345.0, 27328.5, 28716.0], [10, 85, 104, 1])
    told = rest_and_loop(passed, gap_ns, 1600.0)
    assert told == pytest.approx((164.0, 1764.0), abs=5)


def test_tasks_of_many_lengths_tell_what_follows_a_dispatch_and_a_round() -> None:
    passed = np.array([0.0, 1.0, 2.0, 7.0, 15.0])
    assert rest_and_loop(passed, 3000 + 1600 * passed, 1800.0) == pytest.approx((1200.0, 1600.0))
    assert rest_and_loop(passed, 3000 - 100 * passed, 1800.0) is None
    assert rest_and_loop(passed[:1], passed[:1], 1800.0) is None


@pytest.mark.parametrize(("fewest", "is_fit"), [(8.0, False), (7.5, True), (7.0, True)])
def test_numbers_of_rounds_are_a_fit_from_half_of_the_largest_on(
    fewest: float, is_fit: bool
) -> None:
    passed = np.array([fewest, 15.0])
    told = rest_and_loop(passed, 3000 + 1600 * passed, 0.0)
    assert told is not None
    assert (told[1] == pytest.approx(1600)) == is_fit


@pytest.mark.parametrize(
    ("values", "mean"),
    [
        ([], 0.0),
        ([10.0, 12.0, 14.0], 12.0),
        ([10.0, 12.0, 14.0, 100.0], 12.0),
        ([100.0, 100.0, 100.0, 175.0], 118.75),
        ([100.0, 100.0, 100.0, 176.0], 100.0),
        ([0.0, 10.0, 20.0, 30.0, 45.0], 21.0),
        ([0.0, 10.0, 20.0, 30.0, 51.0], 15.0),
    ],
)
def test_a_mean_leaves_out_what_is_three_times_as_far_as_usual(
    values: list[float], mean: float
) -> None:
    assert _mean(np.array(values)) == mean


def test_a_fit_leaves_outliers_and_negative_costs_out() -> None:
    """Times are 100 and 10 for each thing; one had another reason."""
    count = np.arange(12.0)
    times = 100 + 10 * count
    columns = np.column_stack([np.ones(12), count])
    assert _fitted(columns, times) == pytest.approx([100, 10])
    times[5] = 900
    assert _fitted(columns, times) == pytest.approx([100, 10])
    falling = 100 - 0.5 * count
    assert _fitted(columns, falling) == pytest.approx([falling.mean(), 0.0])
    assert _fitted(columns, -falling) == [0.0, 0.0]
    assert _fitted(np.zeros((0, 2)), np.zeros(0)) == [0.0, 0.0]


def test_outliers_are_left_out_twice() -> None:
    """Of 17.6, the mean of all, 8 and 30 are too far; of 16.7, that of the others, only 30 is."""
    times = np.array([8.0, 15.0, 15.0, 20.0, 30.0])
    assert _fitted(np.ones((5, 1)), times) == pytest.approx([14.5])
