"""Who holds up a job: matrices of work and waiting by hand, and the verdict."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tests.jobs.hand_made import Made, Row, job_of

from lanescope.jobs.balance import balance
from lanescope.jobs.heat import hundredths, peer_ratios
from lanescope.jobs.roles import Roles
from lanescope.jobs.steps import MARKED, JobSteps
from lanescope.jobs.stragglers import (
    RankScore,
    Stragglers,
    _some,
    _stands_out,
    against_peers,
    stragglers,
)
from lanescope.jobs.waits import RankWait, waits

NAN = float("nan")


def steps_of(work: list[list[float]], caused: list[list[float]] | None = None) -> JobSteps:
    matrix = np.array(work, np.float64)
    waited = np.zeros_like(matrix) if caused is None else np.array(caused, np.float64)
    count = matrix.shape[1]
    return JobSteps(np.arange(count), MARKED, matrix, matrix, matrix, waited, waited)


def judged(
    work: list[list[float]],
    *,
    role: list[int] | None = None,
    caused: list[list[float]] | None = None,
    last: list[int] | None = None,
    margin: list[int] | None = None,
    hosts: list[str] | None = None,
) -> Stragglers:
    """The verdict for ranks with this work; all recordings are 1000 ns long."""
    ranks = range(len(work))
    host = hosts or [""] * len(work)
    job = job_of(*(Made([Row(0, 0, 1_000)], meta={"host": host[k]}) for k in ranks))
    steps = steps_of(work, caused)
    times, late = last or [0 for _ in ranks], margin or [0 for _ in ranks]
    own = tuple(
        RankWait(k, 9, 0, 0, 0, times[k], 0, int(np.nansum(steps.caused[k])), late[k])
        for k in ranks
    )
    found = replace(waits(job), ranks=own, decided=sum(times))
    numbers = np.array(role if role is not None else [0 for _ in ranks])
    return stragglers(job, found, steps, Roles(numbers, numbers))


def test_a_rank_is_held_against_the_median_of_the_others_of_its_role() -> None:
    work = np.array([[10.0, 10.0], [12.0, NAN], [14.0, 20.0], [99.0, 99.0]])
    found = against_peers(work, np.array([0, 0, 0, 1]))
    expected = [[10 / 13, 0.5], [1.0, NAN], [14 / 11, 2.0], [NAN, NAN]]
    np.testing.assert_allclose(found.ratio, expected)
    spread = 1.4826 * 2.0
    np.testing.assert_allclose(found.sigmas[:3, 0], [-3 / spread, 0.0, 3 / spread])


def test_peers_that_agree_are_taken_to_differ_by_0_2_percent() -> None:
    found = against_peers(np.array([[100.0], [100.0], [101.0]]), np.zeros(3, np.int64))
    np.testing.assert_allclose(found.sigmas[2], [1.0 / 0.2])


def test_a_step_that_one_rank_has_alone_compares_nothing() -> None:
    found = against_peers(np.array([[5.0], [NAN]]), np.zeros(2, np.int64))
    assert np.isnan(found.ratio).all() and np.isnan(found.sigmas).all()


def test_five_percent_in_half_of_the_steps_is_slow() -> None:
    found = judged([[100] * 4, [100] * 4, [105, 105, 100, 100]])
    assert (found.verdict, found.straggler) == ("none", None)
    found = judged([[100] * 4, [100] * 4, [105, 105, 105, 100]])
    assert (found.verdict, found.straggler) == ("slow", 2)
    assert found.sentence == "Rank 2 computes 1.05 times as long as its peers, in 3 of 4 steps."
    first = found.ranks[0]
    assert (first.rank, first.work_ns, first.slow_steps, first.steps) == (2, 105.0, 3, 4)
    assert (first.first_half, first.second_half) == (1.05, 1.025)


@pytest.mark.parametrize(
    ("work", "verdict"),
    [
        ([120, 120, 100, 100], "slow"),
        ([120, 120, 100, 100, 100], "none"),
        ([105], "slow"),
        ([104], "none"),
        ([105, NAN, NAN], "slow"),
    ],
)
def test_a_rank_is_slow_in_half_of_the_steps_that_it_has(work: list[float], verdict: str) -> None:
    usual = [100.0] * len(work)
    assert judged([usual, usual, work]).verdict == verdict


def test_less_than_five_percent_is_not_slow() -> None:
    assert judged([[100] * 4, [100] * 4, [104] * 4]).verdict == "none"


def test_more_work_within_the_spread_of_the_peers_is_not_slow() -> None:
    """1.4826 · 10 is a sigma, and 30 more are two of them."""
    assert judged([[90] * 4, [100] * 4, [110] * 4, [130] * 4]).verdict == "none"


def test_two_slow_ranks_are_told_together_unless_one_stands_out() -> None:
    usual = [[100.0] * 4] * 5
    found = judged([*usual, [120] * 4, [118] * 4])
    assert (found.verdict, found.straggler) == ("several", None)
    assert found.sentence == (
        "No single rank holds up the job, but 2 ranks compute 1.18 to 1.20 times as long as their "
        "peers: ranks 5, 6."
    )
    found = judged([*usual, [120] * 4, [113] * 4])
    assert (found.verdict, found.straggler) == ("slow", 5)
    assert found.sentence.endswith(" So do 1 more: rank 6.")


def test_more_than_six_ranks_are_counted() -> None:
    found = judged([*[[100.0] * 4] * 9, *[[120.0] * 4] * 8])
    assert found.sentence.endswith("peers: ranks 9, 10, 11, 12, 13, 14 and 2 more.")


def late(caused: list[float], *, last: int, margin: int) -> Stragglers:
    """Rank 1 was last so often; rank 0 was last at all other of 4 collectives."""
    others = [20.0] * len(caused)
    return judged(
        [[100] * len(caused), [100] * len(caused)],
        caused=[others, caused],
        last=[4 - last, last],
        margin=[0, margin],
    )


def test_a_late_rank_causes_half_of_the_waiting_often_and_delays_the_job() -> None:
    assert late([60.0] * 4, last=2, margin=20).sentence == (
        "Rank 1 causes 75% of the waiting: it is last in 2 of 4 collectives whose last rank is "
        "known, and causes most in 4 of 4 steps. Its work takes no longer than that of its peers."
    )
    assert late([60.0] * 4, last=2, margin=19).verdict == "none"
    assert late([0.0, 0.0, 0.0, 70.0], last=1, margin=20).verdict == "none"
    assert late([0.0, 0.0, 0.0, 90.0], last=2, margin=20).verdict == "late"
    assert late([0.0, 0.0, 0.0, 90.0], last=1, margin=20).verdict == "none"
    assert late([0.0, 30.0, 30.0, 30.0], last=1, margin=20).verdict == "late"
    assert late([0.0, 0.0, 60.0, 60.0], last=1, margin=20).verdict == "none"


def test_shares_are_of_all_waiting_and_of_all_decided_collectives() -> None:
    found = late([60.0] * 4, last=1, margin=50)
    scores = {one.rank: one for one in found.ranks}
    shares = (scores[1].last_share, scores[1].caused_share, scores[1].delay_share)
    assert shares == (0.25, 0.75, 0.05)
    assert (scores[0].worst_steps, scores[1].worst_steps) == (0, 4)
    assert [one.rank for one in found.ranks] == [1, 0]


def test_a_role_that_takes_a_tenth_longer_is_named() -> None:
    work = [[100] * 3, [100] * 3, [110] * 3, [110] * 3]
    found = judged(work, role=[0, 0, 1, 1])
    assert (found.verdict, found.straggler, found.role) == ("role", None, 1)
    assert found.sentence == (
        "No single rank holds up the job, but the ranks of one role do: ranks 2, 3 compute 1.10 "
        "times as long as ranks of other roles."
    )
    assert [(one.ranks, one.work_ns, one.ratio) for one in found.roles] == [
        ((0, 1), 100.0, 100 / 110),
        ((2, 3), 110.0, 1.1),
    ]
    assert judged([[100], [100], [109], [109]], role=[0, 0, 1, 1]).verdict == "none"


def on_hosts(caused: list[list[float]], hosts: list[str]) -> Stragglers:
    return judged([[100.0] * len(caused[0]) for _ in caused], caused=caused, hosts=hosts)


def test_a_machine_whose_ranks_cause_most_waiting_is_named() -> None:
    caused = [[10.0] * 4, [10.0] * 4, [30.0] * 4, [40.0] * 4]
    found = on_hosts(caused, ["a", "b", "c", "c"])
    assert found.verdict == "host"
    assert found.sentence == (
        "No single rank holds up the job, but one machine does: the 2 ranks of c cause 78% of the "
        "waiting."
    )
    assert [(one.host, one.ranks, one.caused_ns) for one in found.hosts] == [
        ("c", (2, 3), 280),
        ("a", (0,), 40),
        ("b", (1,), 40),
    ]
    assert on_hosts(caused, ["a", "a", "c", "c"]).verdict == "none"
    assert on_hosts([row[:2] for row in caused], ["a", "b", "c", "c"]).verdict == "none"
    assert on_hosts([row[:3] for row in caused], ["a", "b", "c", "c"]).verdict == "host"
    assert on_hosts(caused, ["", "b", "c", "c"]).hosts == ()


def test_a_machine_that_is_late_once_is_late_by_chance() -> None:
    quiet = [10.0] * 8
    late_once = [*[0.0] * 7, 400.0]
    late_twice = [*[0.0] * 6, 200.0, 200.0]
    found = on_hosts([quiet, quiet, late_once], ["a", "b", "c"])
    assert (found.verdict, found.hosts[0].worst_steps) == ("none", 1)
    found = on_hosts([quiet, quiet, late_twice], ["a", "b", "c"])
    assert (found.verdict, found.hosts[0].worst_steps) == ("host", 2)


@pytest.mark.parametrize(("often", "verdict"), [(2, "none"), (3, "host")])
def test_a_machine_is_late_often_where_it_is_in_a_quarter_of_the_steps(
    often: int, verdict: str
) -> None:
    late = [*[0.0] * (12 - often), *[200.0] * often]
    assert on_hosts([[10.0] * 12, [10.0] * 12, late], ["a", "b", "c"]).verdict == verdict


@pytest.mark.parametrize(("waiting", "verdict"), [(40.0, "host"), (39.0, "none")])
def test_a_machine_is_late_where_it_causes_half_of_the_waiting(
    waiting: float, verdict: str
) -> None:
    caused = [[20.0] * 4, [20.0] * 4, [waiting] * 4, [0.0] * 4]
    assert on_hosts(caused, ["a", "b", "c", "c"]).verdict == verdict


def test_nothing_to_compare_is_said() -> None:
    found = judged([[100.0], [NAN]])
    assert (found.verdict, found.straggler) == ("unknown", None)
    assert found.sentence == "Nothing can be compared: the ranks share no collectives and no steps."
    assert judged([[100.0], [NAN]], last=[1, 0]).verdict == "none"


def test_balance_is_of_medians_over_steps_by_role() -> None:
    job = job_of(*(Made([Row(0, 0, 1_000)]) for _ in range(5)))
    steps = steps_of([[10, 10, 99], [20, 20, 20], [30, 30, 30], [50, 50, NAN], [0, 0, 0]])
    role = np.array([0, 0, 1, 1, 2])
    whole, first, second = balance(job, steps, Roles(role, role))
    assert (whole.role, whole.ranks, whole.mean_ns, whole.imbalance) == (
        None,
        4,
        27.5,
        50 / 27.5 - 1,
    )
    assert (whole.most, whole.max_ns, whole.least, whole.min_ns) == (3, 50.0, 0, 10.0)
    assert (first.role, first.most, first.least) == (0, 1, 0)
    assert (second.role, second.ranks, second.mean_ns) == (1, 2, 40.0)
    one_role = balance(job, steps, Roles(np.zeros(5, np.int64), role))
    assert [one.role for one in one_role] == [None]
    assert balance(job, steps_of([[] for _ in range(5)]), Roles(role, role)) == ()


def test_a_rank_that_is_alone_in_its_role_is_its_own_measure() -> None:
    """Rank 0 is alone, and has no second step; ranks are listed in another order."""
    ranks = tuple(SimpleNamespace(rank=k, role=role) for k, role in ((2, 1), (0, 0), (1, 1)))
    matrix = steps_of([[10.0, NAN], [20.0, 30.0], [40.0, 10.0]])
    report: Any = SimpleNamespace(stragglers=SimpleNamespace(ranks=ranks), matrix=matrix)
    found = peer_ratios(report)
    np.testing.assert_array_equal(found, [[1.0, NAN], [0.5, 3.0], [2.0, 1 / 3]])


def test_a_role_with_one_rank_that_works_has_no_balance() -> None:
    """A rank that worked 1 ns is one that works."""
    job = job_of(*(Made([Row(0, 0, 1_000)]) for _ in range(4)))
    roles = np.array([0, 0, 1, 1])
    found = balance(job, steps_of([[1.0], [3.0], [2.0], [0.0]]), Roles(roles, roles))
    assert [(one.role, one.ranks, one.min_ns) for one in found] == [(None, 3, 1.0), (0, 2, 1.0)]


@pytest.mark.parametrize(
    ("ratio", "byte"),
    [(NAN, 0), (0.0, 1), (0.014, 1), (0.015, 2), (1.0, 100), (2.55, 255), (9.0, 255)],
)
def test_ratios_are_bytes_in_hundredths(ratio: float, byte: int) -> None:
    assert hundredths(np.array([ratio])).tolist() == [byte]


@pytest.mark.parametrize(
    ("first", "second", "alone"),
    [(3.0, 2.0, True), (3.0, 2.5, False), (11.0, 8.0, False), (11.0, 7.99, True),
     (1.5, None, True), (None, None, False)],
)  # fmt: skip
def test_a_rank_stands_out_where_the_next_is_less_than_seven_tenths_as_much_above_its_peers(
    first: float | None, second: float | None, alone: bool
) -> None:
    assert _stands_out(score(first), score(second)) is alone


def score(ratio: float | None) -> RankScore:
    nothing = {"work_ns": None, "sigmas": None, "first_half": None, "second_half": None}
    shares = {"last_share": None, "caused_share": None, "delay_share": None}
    counts = dict.fromkeys(("slow_steps", "steps", "times_last", "caused_ns", "worst_steps"), 0)
    return RankScore(rank=0, role=0, ratio=ratio, **nothing, **shares, **counts)


@pytest.mark.parametrize(
    ("count", "told"),
    [
        (1, "rank 0"),
        (2, "ranks 0, 1"),
        (6, "ranks 0, 1, 2, 3, 4, 5"),
        (7, "ranks 0, 1, 2, 3, 4, 5 and 1 more"),
        (1_007, "ranks 0, 1, 2, 3, 4, 5 and 1,001 more"),
    ],
)
def test_six_ranks_are_named(count: int, told: str) -> None:
    assert _some(tuple(range(count))) == told
