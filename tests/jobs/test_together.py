"""Which collectives end together, by hand: waiting senders, drift, groups that contradict."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.jobs.hand_made import Made, Row, job_of

from lanescope.jobs.arrivals import Arrivals
from lanescope.jobs.ends import Ends, RankFit
from lanescope.jobs.together import (
    _contradictions,
    _fit,
    _placed,
    _rendezvous,
    _tells_drift,
    _usual_spread,
    together,
)


def messages(lengths: list[tuple[int, int]], source: int = 0, target: int = 1) -> list[list[Row]]:
    """Rows of the sender and of the receiver; so long both take for each message."""
    return [
        [
            Row(k, 1_000_000 * (k + 1), 1_000_000 * (k + 1) + one[side], kind=kind, source=source,
                target=target, group=f"to {target}")
            for k, one in enumerate(lengths)
        ]
        for side, kind in enumerate(("send", "recv"))
    ]  # fmt: skip


@pytest.mark.parametrize("source", [0, 1])
@pytest.mark.parametrize(
    ("sent", "received", "waits"),
    [(17_000, 10_000, False), (17_001, 10_000, True), (10_000, 17_001, False)],
)
def test_a_sender_that_takes_clearly_longer_waits(
    source: int, sent: int, received: int, waits: bool
) -> None:
    """More than 1.2 times as long and 5 µs; the sender is the first or the second rank."""
    rows = messages([(sent, received)], source, 1 - source)
    arrivals = job_of(*map(Made, rows if source == 0 else rows[::-1])).arrivals
    assert _rendezvous(arrivals).tolist() == [waits]


def test_each_sender_is_held_against_its_own_receiver() -> None:
    """Rank 0 sends to 1 and 2, or receives from them; the second receiver waits for its sender."""
    slow, quick = messages([(50_000, 10_000)]), messages([(10_000, 50_000)], target=2)
    arrivals = job_of(Made([*slow[0], *quick[0]]), Made(slow[1]), Made(quick[1])).arrivals
    assert _rendezvous(arrivals).tolist() == [True, False]
    slow, quick = messages([(50_000, 10_000)], 1, 0), messages([(10_000, 50_000)], 2, 0)
    arrivals = job_of(Made([*slow[1], *quick[1]]), Made(slow[0]), Made(quick[0])).arrivals
    assert _rendezvous(arrivals).tolist() == [True, False]


def test_one_message_of_twenty_tells_of_all() -> None:
    long, short = (50_000, 10_000), (10_000, 10_000)
    twenty = job_of(*map(Made, messages([long] + [short] * 19))).arrivals
    assert _rendezvous(twenty).tolist() == [True] * 20
    more = job_of(*map(Made, messages([long] + [short] * 20))).arrivals
    assert _rendezvous(more).tolist() == [False] * 21


def test_ranks_and_sizes_are_told_apart() -> None:
    """The sender waits for rank 1 and not for rank 2, and not for the larger message."""
    first, one = messages([(50_000, 10_000)] * 2)
    second, two = messages([(10_000, 10_000)] * 2, target=2)
    arrivals = job_of(Made([*first, *second]), Made(one), Made(two)).arrivals
    assert _rendezvous(arrivals).tolist() == [True, True, False, False]
    bytes_of = np.array([64, 4_096, 64, 64])
    lengths = np.where(np.arange(8) == 2, 10_000, arrivals.end - arrivals.start)
    large = replace(arrivals, bytes=bytes_of, end=arrivals.start + lengths)
    assert _rendezvous(large).tolist() == [True, False, False, False]


def test_a_message_of_a_sender_that_is_not_here_tells_nothing() -> None:
    arrivals = job_of(*map(Made, messages([(50_000, 10_000)], 7, 8))).arrivals
    assert (arrivals.root.tolist(), _rendezvous(arrivals).tolist()) == ([-1], [False])


def found(residual: list[float], moment: list[float], *, error: tuple[float, ...] = ()) -> RankFit:
    nothing = np.zeros(len(error) or 2)
    wrong = np.array(error) if error else nothing
    return RankFit(nothing, nothing, 0.0, wrong, np.array(residual), np.array(moment))


@pytest.mark.parametrize(("residual", "tells"), [(199.0, True), (201.0, False)])
def test_drift_is_told_where_it_is_known_better_than_50_ppm(residual: float, tells: bool) -> None:
    """16 collectives of 2 ranks, 1 ms around the middle: 50 ppm of 1 ms, times 4, are 200 ns."""
    count = np.repeat(np.arange(16), 2)
    ends = Ends(count, np.tile([0, 1], 16), np.zeros(32), np.ones(32), 2)
    moment = [-1e6, 1e6] * 8
    assert _tells_drift(ends, found([residual, -residual] * 16, moment)) is tells


@pytest.mark.parametrize(("count", "tells"), [(4, False), (5, True)])
def test_four_collectives_tell_no_drift(count: int, tells: bool) -> None:
    rows = np.repeat(np.arange(count), 2)
    ends = Ends(rows, np.tile([0, 1], count), np.zeros(2 * count), np.ones(2 * count), 2)
    moment = [1e6 * k for k in range(count)]
    assert _tells_drift(ends, found([0.0] * 2 * count, moment)) is tells


def test_clocks_that_may_not_drift_are_wrong_by_50_ppm_of_half_the_time() -> None:
    """Three collectives within 2 s; the clock has steps of 10 ns, and no end is off."""
    rows = [Row(k, 10**9 * k, 10**9 * k + 100) for k in range(3)]
    arrivals = job_of(Made(rows), Made(rows)).arrivals
    every = np.ones(3, bool)
    one = _fit(arrivals, every, arrivals.end.astype(float), np.array([10.0, 40.0]))
    assert one.error.tolist() == pytest.approx([50_005.0, 50_020.0])
    none = _fit(arrivals, ~every, arrivals.end.astype(float), np.array([10.0, 40.0]))
    assert (none.error.tolist(), none.offset.tolist()) == ([0.0, 0.0], [0.0, 0.0])


def test_a_kind_whose_ends_agree_counts_more_than_one_whose_ends_do_not() -> None:
    """Rank 1 is ahead by nothing in 12 reductions, by 600 to 1200 ns in 10 barriers."""
    late = [0] * 12 + [600 + 60 * k for k in range(10)]
    rows = [
        [
            Row(k, 10_000 * k, 10_000 * k + 100 + by * rank,
                kind="all_reduce" if k < 12 else "barrier")
            for k, by in enumerate(late)
        ]
        for rank in range(2)
    ]  # fmt: skip
    arrivals = job_of(*map(Made, rows)).arrivals
    one = _fit(arrivals, np.ones(22, bool), arrivals.end.astype(float), np.ones(2))
    assert one.offset.tolist() == pytest.approx([0.0, 0.0], abs=0.5)


def meetings(gaps: list[int], group: str = "a") -> list[list[Row]]:
    """Rank 1 begins so long after rank 0 has ended; 0 and less is no contradiction."""
    return [
        [
            Row(k, 1_000 * k + (10 + gap) * rank, 1_000 * k + 10 + (10 + gap) * rank, group)
            for k, gap in enumerate(gaps)
        ]
        for rank in range(2)
    ]


def wrong(arrivals: Arrivals, mask: list[bool] | None = None, one: RankFit | None = None) -> object:
    times = arrivals.start.astype(float), arrivals.end.astype(float)
    used = np.array(mask if mask is not None else [True] * len(arrivals))
    fit = one or found([1.0, -1.0, 1.0], [], error=(3.0, 5.0))
    return _contradictions(arrivals, used, times, fit).tolist()


def test_a_group_contradicts_itself_beyond_what_clocks_and_ends_explain() -> None:
    """Twice the larger error, 10 ns, and 20 times the usual distance of ends, 1 ns."""
    assert wrong(job_of(*map(Made, meetings([30]))).arrivals) == []
    assert wrong(job_of(*map(Made, meetings([31]))).arrivals) == [0]


def test_a_tenth_of_contradictions_is_borne() -> None:
    assert wrong(job_of(*map(Made, meetings([50] + [0] * 9))).arrivals) == []
    assert wrong(job_of(*map(Made, meetings([50] + [0] * 8))).arrivals) == [0]


def test_only_the_group_that_contradicts_itself_is_wrong_and_what_is_not_used_does_not_count() -> (
    None
):
    both = zip(meetings([0, 0], "good"), meetings([50, 50], "bad"), strict=True)
    arrivals = job_of(*(Made([*one, *two]) for one, two in both)).arrivals
    assert arrivals.groups == ("good", "bad")
    assert wrong(arrivals) == [1]
    assert wrong(arrivals, [True, True, False, False]) == []


def test_clocks_that_are_set_apart_take_a_contradiction_away() -> None:
    """Rank 1 is ahead by 100 ns, and runs twice as fast behind the moment 0."""
    arrivals = job_of(*map(Made, meetings([100]))).arrivals
    ahead = replace(found([], [], error=(0.0, 0.0)), offset=np.array([0.0, 100.0]))
    assert wrong(arrivals, one=ahead) == []
    assert wrong(arrivals, one=replace(ahead, offset=np.array([0.0, 99.0]))) == [0]
    drifts = replace(ahead, offset=np.array([0.0, 50.0]), drift=np.array([0.0, 0.5]), middle=20.0)
    assert _placed(drifts, np.array([0, 1]), np.array([110.0, 110.0])).tolist() == [110.0, 40.0]


def test_the_usual_spread_is_twenty_times_the_median_distance() -> None:
    assert _usual_spread(found([1.0, -3.0, 2.0], [])) == 40.0
    assert _usual_spread(found([], [])) == 0.0


def test_clocks_are_found_without_the_groups_that_contradict_themselves() -> None:
    """In two of four groups ranks enter after others have left; a broadcast tells nothing."""
    ends = [10_000 * k for k in range(1, 12)]
    rows: list[list[Row]] = [[], []]
    for rank, ahead in enumerate((0, 500)):
        for group in ("good", "fine"):
            rows[rank] += [Row(k, end, end + ahead + 3_000, group) for k, end in enumerate(ends)]
        for group in ("bad", "worse"):
            for k, end in enumerate(ends[:4]):
                at = end + (2_000_000 if k % 2 == rank else 0)
                rows[rank].append(Row(k, at, at + 100, group))
        rows[rank].append(Row(0, 900, 950, "root", "broadcast", source=0))
    arrivals = job_of(*map(Made, rows)).arrivals
    times = arrivals.start.astype(float), arrivals.end.astype(float)
    mask, refused, one = together(arrivals, *times, np.ones(2))
    names = [arrivals.groups[group] for group in arrivals.group[mask]]
    assert names == ["good"] * 11 + ["fine"] * 11
    assert refused == ["bad", "worse"]
    assert one.offset.tolist() == pytest.approx([-250.0, 250.0], abs=1)
