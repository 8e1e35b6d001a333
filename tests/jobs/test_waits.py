"""Waiting and transfer in collectives, and who was last."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
from tests.jobs.hand_made import Made, Row, job_of

from lanescope.jobs.arrivals import TOGETHER, UNKNOWN
from lanescope.jobs.waits import _check, _detail, _ranks, _usable, _wait, waits


def arriving(starts: list[list[int]]) -> list[Made]:
    """Ranks that arrive at moments (collective × rank) and end 1 µs after the last."""
    ranks: list[list[Row]] = [[] for _ in starts[0]]
    for k, moments in enumerate(starts):
        base = 1_000_000 * (k + 1)
        for rows, moment in zip(ranks, moments, strict=True):
            rows.append(Row(k, base + moment, base + max(moments) + 1000))
    return [Made(rows) for rows in ranks]


def test_wait_is_until_the_last_has_come_and_transfer_the_rest() -> None:
    found = waits(job_of(*arriving([[0, 50_000, 20_000]] * 6)))
    assert [one.wait_ns for one in found.ranks] == [300_000, 0, 180_000]
    assert [one.transfer_ns for one in found.ranks] == [6_000, 6_000, 6_000]
    assert [one.times_last for one in found.ranks] == [0, 6, 0]
    assert found.ranks[1].caused_ns == 480_000
    assert found.ranks[1].margin_ns == 180_000
    assert found.check is not None and found.check.worst_ns <= 2


def test_who_was_last_within_the_error_is_undecided() -> None:
    made = arriving([[0, 10, 0]] * 6)
    first = made[0]
    late = [
        Row(row.sequence, row.start, row.end + 700 * (k % 3)) for k, row in enumerate(first.rows)
    ]
    found = waits(job_of(Made(late), *made[1:]))
    assert found.decided == 0
    assert sum(one.times_last_undecided for one in found.ranks) == 6
    assert sum(one.caused_ns for one in found.ranks) == 0


def test_a_missing_rank_is_said_to_be_missing() -> None:
    made = arriving([[0, 50_000, 20_000]] * 6)
    sized = [
        Made([Row(row.sequence, row.start, row.end, size=3) for row in one.rows])
        for one in (made[0], made[2])
    ]
    job = job_of(*sized, numbers=[0, 2], world=3)
    found = waits(job)
    assert job.missing == (1,)
    assert found.incomplete == 6
    assert [one.times_last for one in found.ranks] == [0, 6]


def test_a_receiver_waits_for_its_sender_and_nobody_is_late_for_that() -> None:
    together = arriving([[0, 0]] * 6)
    for k in range(4):
        at = 20_000_000 + 1_000_000 * k
        together[0] = Made(
            [*together[0].rows, Row(k, at, at + 1000, kind="send", source=0, target=1)]
        )
        together[1] = Made(
            [*together[1].rows, Row(k, at - 30_000, at + 1000, kind="recv", source=0, target=1)]
        )
    found = waits(job_of(*together))
    assert found.ranks[1].message_wait_ns == 120_000
    assert [one.times_last for one in found.ranks] == [0, 0]
    assert found.together == 6 and found.collectives == 10


def test_nobody_waits_for_a_late_member_of_a_broadcast() -> None:
    def rows(start: int, end: int) -> Made:
        return Made(
            [
                Row(k, 100_000 * k + start, 100_000 * k + end, kind="broadcast", source=0)
                for k in range(5)
            ]
        )

    meet = arriving([[0, 0, 0]] * 6)
    root, early, late = rows(5_000, 8_000), rows(0, 8_000), rows(40_000, 41_000)
    ranks = [
        Made([*one.rows, *other.rows]) for one, other in zip(meet, (root, early, late), strict=True)
    ]
    found = waits(job_of(*ranks))
    assert [one.message_wait_ns for one in found.ranks] == [0, 25_000, 0]


def test_ranks_on_two_axes_are_not_compared() -> None:
    """Messages one way alone do not join the clocks of two ranks."""
    made = [
        Made([Row(k, 100 * k + at, 100 * k + 50, kind=kind, source=0, target=1) for k in range(4)])
        for at, kind in ((0, "send"), (10, "recv"))
    ]
    found = waits(job_of(*made))
    assert (found.collectives, found.left_out, found.wait_ns, found.check) == (0, 4, 0, None)
    assert [one.collectives for one in found.ranks] == [0, 0]
    assert repr(found) == "<JobWaits in 0 collectives: wait 0 ns, transfer 0 ns>"


class Four(SimpleNamespace):
    """Collectives of two ranks each: of ranks 0 and 1, but the third of 1 and 2."""

    def __len__(self) -> int:
        return 4


def test_collectives_of_known_kind_on_one_axis_in_groups_with_one_order_are_usable() -> None:
    """Rank 2 is on an axis of its own, and group b was refused."""
    arrivals = Four(
        groups=("a", "b"),
        group=np.array([0, 0, 0, 1]),
        tie=np.array([TOGETHER, UNKNOWN, TOGETHER, TOGETHER]),
        rank=np.array([0, 1, 0, 1, 1, 2, 0, 1]),
        first=np.array([0, 2, 4, 6, 8]),
    )
    clock = SimpleNamespace(refused=("b",), axes=np.array([5, 5, 7]))

    def usable(**changes: object) -> list[bool]:
        given = SimpleNamespace(**{**vars(clock), **changes})
        return _usable(cast(Any, arrivals), cast(Any, given)).tolist()

    assert usable() == [True, False, False, False]
    assert usable(refused=()) == [True, False, False, True]
    assert usable(axes=np.array([5, 5, 5])) == [True, False, True, False]
    assert usable(axes=np.array([5, 6, 6])) == [False, False, True, False]


def split(kind: str, *times: tuple[int, int], root: int = 0) -> list[int]:
    """What each rank waits in a collective of this kind, on clocks that are the same."""
    made = [Made([Row(0, *one, kind=kind, source=root)]) for one in times]
    arrivals = job_of(*made).arrivals
    last = np.array([max(start for start, _ in times)])
    waited: list[int] = _wait(arrivals, arrivals.start, arrivals.end, last).tolist()
    return waited


def test_who_waits_for_whom_depends_on_the_kind() -> None:
    """The root comes at 5; rank 1 came at 0, rank 2 comes at 40 and ends at 41."""
    times = (5, 50), (0, 8), (40, 41)
    assert split("all_reduce", *times) == [35, 40, 0]
    assert split("broadcast", *times) == [0, 5, 0]
    assert split("broadcast", (5, 50), (0, 3), (40, 41)) == [0, 3, 0]
    assert split("reduce", *times) == [35, 0, 0]
    assert split("reduce", (5, 9), (0, 8), (40, 41)) == [4, 0, 0]
    assert split("anything", *times) == [0, 0, 0]


def test_both_ends_of_a_message_wait_no_longer_than_they_take() -> None:
    rows = [
        Row(0, 5, 20, kind="recv", source=1, target=0),
        Row(0, 30, 31, kind="send", source=1, target=0),
    ]
    arrivals = job_of(*(Made([row]) for row in rows)).arrivals
    assert _wait(arrivals, arrivals.start, arrivals.end, np.array([30])).tolist() == [15, 0]


class OneClock(SimpleNamespace):
    """Times are on the common axis already, and the order of any two is wrong by 20."""

    def common(self, rank: object, times: np.ndarray) -> np.ndarray:
        return times

    def error(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        return np.full(len(one), 20.0)


def test_the_last_is_known_where_it_comes_later_than_the_error() -> None:
    """By 20 and by 21 ns; nobody is called late for a broadcast."""
    starts = [(0, 100), (10, 110), (30, 131)]
    rows = [
        [*(Row(k, at, 200 + 300 * k) for k, at in enumerate(one)),
         Row(2, 900 + one[0] * 10, 2_000, kind="broadcast", source=0)]
        for one in starts
    ]  # fmt: skip
    job = job_of(*map(Made, rows))
    found = _detail(job.arrivals, cast(Any, OneClock()))
    assert (found.last.tolist(), found.last_row.tolist()) == ([2, 2, 2], [2, 5, 8])
    assert found.margin.tolist() == [20, 21, 200]
    assert found.decided.tolist() == [False, True, False]
    assert found.wait.tolist() == [30, 20, 0, 31, 21, 0, 0, 0, 0]
    assert found.waited.tolist() == [50, 52, 0]
    assert found.transfer[:3].tolist() == [170, 170, 170]
    ranks = _ranks(job, found)
    assert [one.times_last for one in ranks] == [0, 0, 1]
    assert [one.times_last_undecided for one in ranks] == [0, 0, 1]
    assert [(one.caused_ns, one.margin_ns) for one in ranks] == [(0, 0), (0, 0), (52, 21)]
    assert [one.wait_ns for one in ranks] == [61, 41, 0]


def test_the_check_counts_what_clocks_and_ends_do_not_explain() -> None:
    """By lengths rank 0 waits as by the clock, then 30 and 31 ns longer; 13 + 17 explain 30."""
    detail = SimpleNamespace(
        arrivals=job_of(
            *(Made([Row(0, 0, 9), Row(1, 0, 9), Row(2, 0, 9)]) for _ in range(2))
        ).arrivals,
        start=np.array([0, 30, 0, 30, 0, 30]),
        end=np.array([50, 50, 80, 50, 81, 50]),
        wait=np.array([30, 0, 30, 0, 30, 0]),
    )
    known = [
        SimpleNamespace(island_error_ns=error, residual_p95_ns=residual)
        for error, residual in ((3.0, 10.0), (17.0, None))
    ]
    found = _check(cast(Any, detail), cast(Any, SimpleNamespace(ranks=known)))
    assert found is not None
    assert (found.worst_ns, found.p50_ns, found.beyond, found.arrivals) == (31.0, 0.0, 1, 6)
    assert found.p95_ns == 30.75
