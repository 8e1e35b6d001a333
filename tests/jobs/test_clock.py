"""The common clock of a job: offsets, drift, what it rests on, and its error."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.jobs.hand_made import Made, Row, job_of, meeting

from lanescope.jobs.ends import Ends, fit, islands, with_error
from lanescope.trace.meta import HostClock

ENDS = [10_000 * k * k + 1_000_000 for k in range(1, 40)]


def test_clocks_that_differ_by_an_offset_are_found_exactly() -> None:
    rows = meeting(ENDS, [0, 7_000_000, -3_000_000])
    clock = job_of(*map(Made, rows)).clock
    offsets = [one.offset_ns for one in clock.ranks]
    assert np.diff(offsets) == pytest.approx([7e6, -10e6], abs=1)
    assert clock.end_spread_worst_ns == pytest.approx(0, abs=2)
    assert clock.raw_spread_p50_ns == 10_000_000
    assert {one.basis for one in clock.ranks} == {"ends of collectives"}


@pytest.mark.parametrize("drift", [False, True])
def test_ranks_that_never_meet_have_no_offset_and_no_error(drift: bool) -> None:
    empty = np.zeros(0, np.int64)
    nobody = Ends(empty, empty, np.zeros(0), np.zeros(0), 3)
    found = fit(nobody, drift=drift)
    assert [one.tolist() for one in (found.offset, found.drift, found.error)] == [[0.0] * 3] * 3
    assert (found.middle, found.residual.tolist(), found.moment.tolist()) == (0.0, [], [])
    assert with_error(nobody, found, np.ones(3), drift=drift) is found


def test_common_and_local_are_inverse() -> None:
    clock = job_of(*map(Made, meeting(ENDS, [0, 5_000]))).clock
    times = np.array([0, 123_456_789])
    assert np.abs(clock.local(1, clock.common(1, times)) - times).max() <= 1


def chain(ranks: int, drift: float, noise: float, seed: int) -> tuple[Ends, np.ndarray]:
    """Ranks k and k + 1 meet; nobody meets all. Clocks have offsets and drifts."""
    random = np.random.default_rng(seed)
    offset = random.uniform(-1e8, 1e8, ranks)
    slope = random.uniform(-drift, drift, ranks)
    moments = np.sort(random.uniform(0, 60e9, (ranks - 1, 60)))
    collective, rank, end = [], [], []
    for k in range(ranks - 1):
        for j in range(60):
            for one in (k, k + 1):
                collective.append(k * 60 + j)
                rank.append(one)
                moment = moments[k, j]
                tail = noise * random.standard_t(2)
                end.append(moment + offset[one] + slope[one] * (moment - 30e9) + tail)
    ends = Ends(np.array(collective), np.array(rank), np.array(end), np.ones(len(end)), ranks)
    return ends, np.stack([offset, slope], axis=1)


@pytest.mark.parametrize("seed", range(4))
def test_a_chain_of_pairs_is_within_its_stated_error(seed: int) -> None:
    ends, truth = chain(12, 20e-6, 1000.0, seed)
    found = with_error(ends, fit(ends, drift=True), np.ones(12), drift=True)
    wrong = np.zeros(12)
    for time in (-30e9, 30e9):
        apart = found.offset + found.drift * time - truth[:, 0] - truth[:, 1] * time
        wrong = np.maximum(wrong, np.abs(apart - apart.mean()))
    assert (wrong <= found.error + 1000).mean() >= 0.99
    assert found.error.max() < 50_000


def test_ranks_that_nothing_joins_are_islands() -> None:
    ends = Ends(np.array([0, 0, 1, 1]), np.array([0, 1, 2, 3]), np.zeros(4), np.ones(4), 5)
    assert islands(ends).tolist() == [0, 0, 2, 2, 4]


def test_ranks_on_two_axes_are_not_compared() -> None:
    one, other = meeting(ENDS, [0, 1000]), meeting(ENDS, [0, 9_000_000])
    second = [[replace(row, group="other") for row in rows] for rows in other]
    clock = job_of(*map(Made, [*one, *second])).clock
    assert len(set(clock.axes.tolist())) == 2
    assert clock.error(np.array([0]), np.array([2])).tolist() == [np.inf]
    assert "there are 2 axes" in clock.notes[-1]


def test_utc_joins_axes_whose_error_is_stated() -> None:
    one, other = meeting(ENDS, [0, 0]), meeting(ENDS, [0, 0])
    second = [[replace(row, group="other") for row in rows] for rows in other]
    known = {"epoch_ns": 10**18, "epoch_error_ns": 2_000_000}
    ranks = [Made(rows, meta=known) for rows in [*one, *second]]
    clock = job_of(*ranks).clock
    assert len(set(clock.axes.tolist())) == 1
    assert clock.error(np.array([0]), np.array([2]))[0] >= 4_000_000
    assert clock.error(np.array([0]), np.array([1]))[0] < 10_000


def messages(offset: int, *, both: bool) -> tuple[Made, Made]:
    """Rank 1's clock is ahead; messages take 2 µs, and go forth, or forth and back."""
    first, second = [], []
    for k in range(30):
        at = 1_000_000 * (k + 1)
        first.append(Row(k, at, at + 2000, kind="send", source=0, target=1))
        second.append(
            Row(k, at + offset - 500, at + offset + 2000, kind="recv", source=0, target=1)
        )
        if both:
            at += 500_000
            second.append(Row(k, at + offset, at + offset + 2000, kind="send", source=1, target=0))
            first.append(Row(k, at - 700, at + 2000, kind="recv", source=1, target=0))
    order = lambda rows: sorted(rows, key=lambda row: row.start)  # noqa: E731
    return Made(order(first)), Made(order(second))


def test_messages_both_ways_join_clocks() -> None:
    clock = job_of(*messages(5_000_000, both=True)).clock
    offsets = [one.offset_ns for one in clock.ranks]
    assert {one.basis for one in clock.ranks} == {"messages"}
    assert clock.ranks[1].error_ns is not None
    assert abs(offsets[1] - offsets[0] - 5_000_000) <= 2 * clock.ranks[1].error_ns
    assert clock.ranks[1].error_ns < 5_000


def test_messages_one_way_only_bound_and_join_nothing() -> None:
    clock = job_of(*messages(5_000_000, both=False)).clock
    assert {one.basis for one in clock.ranks} == {"nothing"}
    assert len(set(clock.axes.tolist())) == 2


def test_senders_that_wait_for_their_receiver_end_with_it() -> None:
    first, second = [], []
    random = np.random.default_rng(3)
    for k in range(40):
        at, early = 1_000_000 * (k + 1), int(random.integers(-200_000, 200_000))
        end = at + max(early, 0) + 20_000
        first.append(Row(k, at, end, kind="send", source=0, target=1))
        begin = at + early
        second.append(Row(k, begin + 7_000_000, end + 7_000_000, kind="recv", source=0, target=1))
    clock = job_of(Made(first), Made(second)).clock
    assert {one.basis for one in clock.ranks} == {"ends of collectives"}
    assert clock.ranks[1].offset_ns - clock.ranks[0].offset_ns == pytest.approx(7e6, abs=2)


def test_a_group_whose_ranks_end_before_others_begin_is_refused() -> None:
    good = meeting(ENDS, [0, 0])
    bad = [
        [Row(k, end + shift, end + shift + 100, group="bad") for k, end in enumerate(ENDS)]
        for shift in (0, 300_000)
    ]
    for k in range(len(ENDS)):
        shift = 300_000 if k % 2 else -300_000
        row = bad[1][k]
        bad[1][k] = replace(row, start=row.start + shift, end=row.end + shift)
    clock = job_of(*(Made([*one, *two]) for one, two in zip(good, bad, strict=True))).clock
    assert clock.refused == ("bad",)
    assert clock.end_spread_worst_ns is not None and clock.end_spread_worst_ns < 10


def test_the_clock_of_the_host_joins_ranks_without_collectives() -> None:
    def host(ns: int) -> dict[str, HostClock]:
        return {"host_clock": HostClock(ns, 0, 15_000, "calibrated")}

    job = job_of(
        Made(work=[(0, 10)], meta=host(1_000_000)), Made(work=[(0, 10)], meta=host(1_400_000))
    )
    clock = job.clock
    assert {one.basis for one in clock.ranks} == {"clock of the host"}
    moments = [int(clock.common(place, np.array([0]))[0]) for place in (0, 1)]
    assert moments[1] - moments[0] == 400_000
    assert clock.error(np.array([0]), np.array([1])).tolist() == [30_000.0]
