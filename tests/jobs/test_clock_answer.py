"""What a job's clock says: spreads, the way there and back, errors, notes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.jobs.hand_made import Made, job_of, meeting

from lanescope.jobs.clock import JobClock, _refused_note, _spread

ENDS = [1_000_000 * k for k in range(1, 41)]


def clock_of(*offsets: int, **meta: object) -> JobClock:
    return job_of(*(Made(rows, meta=dict(meta)) for rows in meeting(ENDS, list(offsets)))).clock


def test_clocks_are_apart_by_their_offsets_and_the_mean_is_the_axis() -> None:
    clock = clock_of(0, 6_000_000, 3_000_000)
    assert [round(one.offset_ns) for one in clock.ranks] == [-3_000_000, 3_000_000, 0]
    assert [one.arrivals for one in clock.ranks] == [40, 40, 40]
    assert (clock.end_spread_p50_ns, clock.end_spread_worst_ns) == (0.0, 0.0)
    assert clock.raw_spread_p50_ns == 6_000_000


def test_spreads_are_quantiles_over_collectives() -> None:
    """Rank 1 ends 800 ns late in every fourth collective: the median does not see it."""
    rows = meeting(ENDS, [0, 0, 0])
    rows[1] = [replace(one, end=one.end + 800 * (k % 4 == 0)) for k, one in enumerate(rows[1])]
    clock = job_of(*map(Made, rows)).clock
    assert clock.end_spread_p50_ns is not None and clock.end_spread_p50_ns < 5
    assert clock.end_spread_p95_ns == pytest.approx(800, abs=5)
    assert clock.end_spread_worst_ns == pytest.approx(800, abs=5)
    late = clock.ranks[1]
    assert late.residual_p50_ns is not None and late.residual_p50_ns < 5
    assert late.residual_worst_ns == pytest.approx(800, abs=10)


def test_local_is_the_way_back() -> None:
    ranks = meeting(ENDS, [0, 5_000_000])
    ranks[1] = [
        replace(one, start=round(one.start * 1.0001), end=round(one.end * 1.0001))
        for one in ranks[1]
    ]
    clock = job_of(*map(Made, ranks)).clock
    assert clock.drifts
    times = np.array([0, 7_777_777, 40_000_000])
    for place in (0, 1):
        assert np.abs(clock.local(place, clock.common(place, times)) - times).max() <= 1


def test_times_of_utc_are_put_on_one_axis_before() -> None:
    """Rank 1 began to record 1 s later, and its times count from there."""
    rows = meeting([end + 2_000_000_000 for end in ENDS], [0, -1_000_000_000])
    epochs = (10**18, 10**18 + 1_000_000_000)
    job = job_of(*(Made(one, meta={"epoch_ns": e}) for one, e in zip(rows, epochs, strict=True)))
    assert job.clock.zero.tolist() == [0, 1_000_000_000]
    assert [round(one.offset_ns) for one in job.clock.ranks] == [0, 0]
    assert job.clock.raw_spread_p50_ns == 0


def test_a_rank_that_knows_no_utc_is_taken_to_begin_with_the_first() -> None:
    known = ({"epoch_ns": 10**18 + 500}, {}, {"epoch_ns": 10**18})
    rows = meeting(ENDS, [0, 0, 0])
    job = job_of(*(Made(one, meta=meta) for one, meta in zip(rows, known, strict=True)))
    assert job.clock.zero.tolist() == [500, 0, 0]


def clock_by_hand() -> JobClock:
    """Rank 0 is ahead by 100 and runs a tenth faster; rank 1 is of its island, rank 2 of its axis.

    Rank 3 is alone. Times of rank 0 are 50 behind, and the middle is at 1000.
    """
    clock = clock_of(0, 0, 0, 0)
    usual = replace(clock.ranks[0], offset_ns=0.0, drift_ppb=0.0, axis=0)
    ranks = (
        replace(usual, offset_ns=100.0, drift_ppb=1e8, island=0, island_error_ns=1.0, error_ns=5.0),
        replace(usual, island=0, island_error_ns=2.0, error_ns=7.0),
        replace(usual, island=2, island_error_ns=4.0, error_ns=9.0),
        replace(usual, island=3, island_error_ns=8.0, error_ns=None, axis=3),
    )
    return replace(clock, ranks=ranks, zero=np.array([50, 0, 0, 0]), middle=1_000.0)


def test_times_are_moved_by_zero_offset_and_drift_from_the_middle_on() -> None:
    clock = clock_by_hand()
    times = np.array([1_050, 2_050, 50])
    assert clock.common(0, times).tolist() == [1_000, 1_900, 100]
    assert clock.local(0, np.array([1_000, 1_900, 100])).tolist() == times.tolist()
    both = np.array([0, 1])
    assert clock.common(both, np.array([2_050, 7])).tolist() == [1_900, 7]


def test_the_order_of_two_ranks_is_as_wrong_as_what_joins_them() -> None:
    clock = clock_by_hand()
    one, other = np.array([0, 0, 1, 0]), np.array([1, 2, 2, 3])
    assert clock.error(one, other).tolist() == [3.0, 14.0, 16.0, np.inf]
    assert clock.axes.tolist() == [0, 0, 0, 3]


def test_a_spread_is_between_the_first_and_the_last_end_of_the_rows_that_are_used() -> None:
    arrivals = job_of(*map(Made, meeting(ENDS[:3], [0, 30, 10]))).arrivals
    rows = np.array([0, 2, 3, 4, 5])
    assert _spread(arrivals, rows, arrivals.end).tolist() == [10, 30]
    assert _spread(arrivals, rows[:0], arrivals.end).tolist() == []


def test_the_clock_tells_its_largest_error() -> None:
    clock = clock_of(0, 1_000)
    most = max(one.error_ns or 0.0 for one in clock.ranks)
    assert repr(clock).startswith("<JobClock of 2 ranks: error ≤ ") and most > 0
    alone = job_of(Made([], [(0, 5)])).clock
    assert repr(alone) == "<JobClock of 1 ranks: error not known>"
    assert alone.ranks[0].error_ns is None
    assert set(clock.to_dict()) & {"zero", "middle"} == set()


def test_errors_add_up_within_an_island() -> None:
    clock = clock_of(0, 1_000, 2_000)
    inner = [one.island_error_ns for one in clock.ranks]
    found = clock.error(np.array([0, 1]), np.array([1, 2]))
    assert found.tolist() == [inner[0] + inner[1], inner[1] + inner[2]]


@pytest.mark.parametrize(
    ("refused", "some"),
    [(["a"], "a"), (["a", "b", "c"], "a, b, c"), (list("abcde"), "a, b, c and 2 more")],
)
def test_refused_groups_are_named_up_to_three(refused: list[str], some: str) -> None:
    assert _refused_note(refused).endswith(f"clocks and waits leave them out: {some}.")
    assert _refused_note([]) == ""
