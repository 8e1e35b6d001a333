"""What a late rank did since its peers last met it."""

from __future__ import annotations

import numpy as np
import pytest
from tests.jobs.hand_made import Made, Row, job_of

from lanescope.jobs import lateness
from lanescope.jobs.lateness import (
    BEGAN_LATE,
    CAUSES,
    ELSEWHERE,
    IDLE,
    RAN_LONGER,
    UNSEEN,
    Lateness,
    LateRanks,
    _previous,
)
from lanescope.jobs.waits import waits


def test_time_counts_from_the_last_collective_that_has_ended() -> None:
    """Rank 2 enters the second one of all ranks early, and that ends long after the small one."""
    both = [Row(0, 1_000, 1_100), Row(1, 6_000, 6_100)]
    made = [
        Made([*both, Row(0, 3_000, 4_100, "pair")], [(1_200, 2_900)]),
        Made([*both, Row(0, 4_000, 4_100, "pair")], [(1_200, 3_900)]),
        Made([both[0], Row(1, 2_000, 6_100)], [(1_200, 1_900)]),
    ]
    job = job_of(*made)
    found = waits(job)
    arrivals = found.detail.arrivals
    pair = [k for k in range(len(arrivals)) if arrivals.title(k).startswith("all_reduce 0 of pair")]
    late = LateRanks(job, found).at(np.array(pair), 1)
    assert (late.start.tolist(), late.end.tolist()) == ([1_100], [4_000])
    assert {cause: late.by[cause][0] for cause in CAUSES if late.by[cause][0]} == {
        RAN_LONGER: 1_000,
    }


def test_without_a_common_begin_all_of_the_lateness_is_not_recorded() -> None:
    """The ranks meet for the first time, and no step of theirs is recorded."""
    job = job_of(*(Made([Row(0, start, 9_000)]) for start in (1_000, 3_000, 7_000)))
    late = LateRanks(job, waits(job)).at(np.array([0]), 2)
    assert late.late.tolist() == [5_000.0]
    assert {cause: late.by[cause].tolist() for cause in CAUSES} == {
        cause: [5_000.0 if cause == UNSEEN else 0.0] for cause in CAUSES
    }
    assert (late.start.tolist(), late.end.tolist()) == ([0], [0])


def by(late: Lateness) -> dict[str, float]:
    return {cause: float(late.by[cause][0]) for cause in CAUSES if late.by[cause][0]}


def test_the_first_collective_counts_from_the_steps_of_each_rank() -> None:
    """Rank 2 begins its step 500 later, works 1200 longer, meets others for 100, idles 200 more.

    The step before that ends far from there does not count.
    """
    usual = Made([Row(0, 11_000, 14_000)], [(10_000, 10_800)], [(0, 0, 5_000), (1, 10_000, 15_000)])
    last = Made(
        [Row(0, 13_000, 14_000), Row(0, 12_700, 12_800, "other", stream=9)],
        [(10_600, 12_600)],
        [(0, 0, 5_000), (1, 10_500, 15_000)],
    )
    job = job_of(usual, usual, last)
    found = waits(job)
    late = LateRanks(job, found).at(np.array([0]), 2)
    assert by(late) == {RAN_LONGER: 1_200, ELSEWHERE: 100, IDLE: 200, BEGAN_LATE: 500}
    assert late.late.tolist() == [2_000]
    assert late.waited.tolist() == [4_000]
    assert (late.start.tolist(), late.end.tolist()) == ([10_500], [13_000])
    assert not LateRanks(job, found).met_before(0)


def test_a_rank_whose_steps_begin_later_cannot_be_compared() -> None:
    """Its first step begins when it has arrived already; one peer with a step is not enough."""
    usual = Made([Row(0, 1_000, 4_000)], [], [(0, 0, 5_000)])
    unmarked = Made([Row(0, 1_000, 4_000)])
    job = job_of(usual, usual, Made([Row(0, 3_000, 4_000)], [], [(0, 3_001, 5_000)]))
    assert by(LateRanks(job, waits(job)).at(np.array([0]), 2)) == {UNSEEN: 2_000}
    job = job_of(usual, usual, Made([Row(0, 3_000, 4_000)], [], [(0, 3_000, 5_000)]))
    assert by(LateRanks(job, waits(job)).at(np.array([0]), 2)) == {IDLE: -1_000, BEGAN_LATE: 3_000}
    job = job_of(unmarked, unmarked, Made([Row(0, 3_000, 4_000)], [], [(0, 0, 5_000)]))
    assert by(LateRanks(job, waits(job)).at(np.array([0]), 2)) == {UNSEEN: 2_000}
    job = job_of(unmarked, usual, Made([Row(0, 3_000, 4_000)], [], [(0, 0, 5_000)]))
    assert by(LateRanks(job, waits(job)).at(np.array([0]), 2)) == {IDLE: 2_000}


def test_the_collectives_at_which_a_rank_was_last_are_by_what_others_waited() -> None:
    """Rank 1 is last by 100, 300 and 200 µs, and rank 0 by 500 µs."""
    late = [(0, 100), (0, 300), (500, 0), (0, 200)]
    made = [
        Made([
            Row(k, 10_000_000 * k + 1_000 * one[rank] + 1, 10_000_000 * k + 1_000_001)
            for k, one in enumerate(late)
        ])
        for rank in range(2)
    ]  # fmt: skip
    job = job_of(*made)
    found = LateRanks(job, waits(job))
    assert found.of(1).collective.tolist() == [1, 3, 0]
    assert found.of(1).waited.tolist() == [300_000, 200_000, 100_000]
    assert found.of(0).collective.tolist() == [2]
    assert found.of(1).late.tolist() == [300_000, 200_000, 100_000]


def met(*rows: tuple[str, int, int, tuple[int, ...]]) -> list[int]:
    """By collective, in the order given: the one at which its ranks met before, or -1."""
    made: list[list[Row]] = [[] for _ in range(3)]
    for k, (group, start, end, ranks) in enumerate(rows):
        kind = "broadcast" if group == "b" else "all_reduce"
        for place in ranks:
            made[place].append(Row(k, start, end, group, kind))
    detail = waits(job_of(*map(Made, made))).detail
    order = detail.arrivals.sequence
    before = _previous(detail)
    found = {int(order[k]): int(order[one]) if one >= 0 else -1 for k, one in enumerate(before)}
    return [found[k] for k in range(len(rows))]


ALL = (0, 1, 2)


def test_ranks_met_before_at_the_last_collective_that_had_ended() -> None:
    rows = ("a", 0, 100, ALL), ("a", 100, 300, ALL), ("a", 299, 400, ALL), ("a", 900, 950, ALL)
    assert met(*rows) == [-1, 0, 0, 2]


def test_a_wider_collective_is_a_meeting_and_a_narrower_or_another_one_is_none() -> None:
    rows = [
        ("a", 0, 100, ALL),
        ("p", 200, 300, (0, 1)),
        ("q", 400, 500, (1, 2)),
        ("b", 550, 560, ALL),
        ("a", 600, 700, ALL),
    ]
    assert met(*rows) == [-1, 0, 0, -1, 0]


def test_a_collective_that_takes_no_time_is_not_its_own_meeting_before() -> None:
    assert met(("a", 50, 50, ALL), ("a", 90, 90, ALL)) == [-1, 0]


def test_of_very_many_groups_only_the_same_ranks_are_compared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = ("a", 0, 100, ALL), ("p", 200, 300, (0, 1)), ("p", 400, 500, (0, 1))
    monkeypatch.setattr(lateness, "_MOST_GROUPS", 2)
    assert met(*rows) == [-1, 0, 1]
    monkeypatch.setattr(lateness, "_MOST_GROUPS", 1)
    assert met(*rows) == [-1, -1, 1]
