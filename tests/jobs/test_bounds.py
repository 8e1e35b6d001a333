"""Clocks by messages: bounds of each message, the line between two clouds, chains of islands."""

from __future__ import annotations

import numpy as np
import pytest
from tests.jobs.hand_made import Made, Row, job_of

from lanescope.jobs.bounds import Bounds, _chained, _Line, bounds_of, join


def rows(kind: str, times: list[tuple[int, int]], source: int) -> list[Made]:
    return [Made([Row(0, *one, kind=kind, source=source)]) for one in times]


def bounds(kind: str, times: list[tuple[int, int]], source: int) -> list[tuple[int, ...]]:
    arrivals = job_of(*rows(kind, times, source)).arrivals
    found = bounds_of(arrivals, arrivals.start, arrivals.end)
    columns = (found.from_rank, found.to_rank, found.before, found.after, found.transfer)
    return sorted(zip(*(column.tolist() for column in columns), strict=True))


TIMES = [(0, 30), (5, 15), (8, 48)]


def test_nobody_ends_a_broadcast_before_its_root_began() -> None:
    """The transfer takes at least as long as the shorter of the two operations."""
    assert bounds("broadcast", TIMES, 1) == [(1, 0, 5, 30, 10), (1, 2, 5, 48, 10)]


def test_the_root_of_a_reduction_does_not_end_before_the_others_began() -> None:
    assert bounds("reduce", TIMES, 2) == [(0, 2, 0, 48, 30), (1, 2, 5, 48, 10)]


def made(pairs: list[tuple[int, int, int, int]], transfer: int = 0) -> Bounds:
    """From rank, to rank, before, after."""
    columns = [np.array(column) for column in zip(*pairs, strict=True)]
    return Bounds(*columns, np.full(len(pairs), transfer))


def test_a_clock_lies_in_the_middle_of_both_ways() -> None:
    """Rank 1 is ahead by 1000; a message takes 40 one way and 60 the other."""
    pairs = [(0, 1, t, t + 1_040) for t in range(0, 10_000, 1_000)]
    pairs += [(1, 0, t + 1_000, t + 60) for t in range(500, 10_000, 1_000)]
    found = join(made(pairs), np.array([0, 1]), 2, 0)
    assert found.known.tolist() == [True, True]
    assert found.offset[0] == found.error[0] == 0
    assert found.offset[1] == pytest.approx(990, abs=2)
    assert found.drift[1] == pytest.approx(0, abs=1e-6)
    assert 50 <= found.error[1] < 60


def test_messages_one_way_alone_tell_nothing() -> None:
    pairs = [(0, 1, t, t + 1_040) for t in range(0, 10_000, 1_000)]
    found = join(made(pairs), np.array([0, 1]), 2, 0)
    assert found.known.tolist() == [True, False]
    assert np.isinf(found.error[1])


def test_messages_within_an_island_tell_nothing_about_islands() -> None:
    pairs = [(0, 1, 0, 10), (1, 0, 0, 10)]
    found = join(made(pairs), np.array([1, 1]), 2, 1)
    assert found.known.tolist() == [False, True]


def test_islands_are_placed_by_the_chain_with_the_least_error() -> None:
    """From 2 to 0 there is a line with an error of 9, and a way by 1 with 3 + 4."""
    lines = {
        (0, 2): _Line(100.0, 0.5, 9.0),
        (0, 1): _Line(10.0, 0.1, 3.0),
        (1, 2): _Line(20.0, 0.2, 4.0),
    }
    found = _chained(lines, 4, 2)
    assert found.known.tolist() == [True, True, True, False]
    assert found.error.tolist() == [7.0, 4.0, 0.0, np.inf]
    assert found.offset.tolist() == [-30.0, -20.0, 0.0, 0.0]
    assert found.drift.tolist() == pytest.approx([-0.3, -0.2, 0.0, 0.0])


def test_a_clock_that_runs_faster_is_followed() -> None:
    """Rank 1 is ahead by 1000 ns at 0 and gains 100 ppm; every message takes 50 ns."""
    moments = range(0, 1_000_000_000, 100_000_000)
    pairs = [(0, 1, t, t + 1_050 + t // 10_000) for t in moments]
    pairs += [(1, 0, t + 1_000 + t // 10_000, t + 50) for t in moments]
    found = join(made(pairs, transfer=50), np.array([0, 1]), 2, 0)
    assert found.drift[1] == pytest.approx(100e-6, abs=2e-8)
    assert found.offset[1] == pytest.approx(1_000, abs=20)
    back = join(made(pairs, transfer=50), np.array([0, 1]), 2, 1)
    assert (back.drift[0], back.offset[0]) == (-found.drift[1], -found.offset[1])
    assert back.known.tolist() == [True, True]


def test_the_error_is_the_farthest_line_that_all_messages_allow() -> None:
    """At both ends of 1 s a message takes at most 40 µs longer each way than its transfer.

    Lines may leave the middle one by 40 µs at either end.
    """
    moments = (0, 1_000_000_000)
    pairs = [(0, 1, t, t + 50_000) for t in moments] + [(1, 0, t, t + 50_000) for t in moments]
    found = join(made(pairs, transfer=10_000), np.array([0, 1]), 2, 0)
    assert (found.drift[1], found.offset[1]) == pytest.approx((0.0, 0.0), abs=1e-9)
    assert found.error[1] == pytest.approx(40_000, rel=0.03)


def test_messages_that_contradict_their_transfer_still_have_a_line() -> None:
    """They take 40 ns both ways and should take 60: no line fits, and the nearest one counts."""
    moments = range(0, 10_000, 1_000)
    pairs = [(0, 1, t, t + 40) for t in moments] + [(1, 0, t, t + 40) for t in moments]
    found = join(made(pairs, transfer=60), np.array([0, 1]), 2, 0)
    assert found.known.tolist() == [True, True]
    assert found.error[1] == pytest.approx(20, abs=2)


def test_several_islands_are_compared_two_and_two() -> None:
    """Ranks 0 and 3 are island 2, which is the first; islands 0 and 1 are ahead by 300 and 500."""
    ahead = {0: 0, 1: 300, 2: 500, 3: 0}
    pairs = []
    for one, other in ((0, 1), (3, 2)):
        for t in range(0, 10_000, 1_000):
            pairs.append((one, other, t + ahead[one], t + ahead[other] + 50))
            pairs.append((other, one, t + ahead[other], t + ahead[one] + 50))
    found = join(made(pairs), np.array([2, 0, 1, 2]), 3, 2)
    assert found.known.tolist() == [True, True, True]
    assert found.offset.tolist() == pytest.approx([300, 500, 0], abs=2)


def test_where_no_message_has_a_root_there_are_no_bounds() -> None:
    assert bounds("all_reduce", TIMES, 1) == []
    assert bounds("broadcast", TIMES, 7) == []
    assert bounds("send", [(0, 9), (5, 8)], 0) == []
