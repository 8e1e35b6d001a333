"""The chain of ranks that decided how long a job took, stretch by stretch."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
from tests.jobs.hand_made import Made, Row, job_of

from lanescope.jobs.path import PathRank, RankPath, Walker, rank_path
from lanescope.jobs.waits import waits


def path_of(*made: Made) -> tuple[RankPath, list[tuple[int, str, int, int, str]]]:
    """The path, and its parts from 0 ns on."""
    job = job_of(*made)
    found = rank_path(job, waits(job))
    assert found is not None
    zero = found.parts[0].start_ns
    parts = [
        (one.rank, one.what, one.start_ns - zero, one.end_ns - zero, one.collective)
        for one in found.parts
    ]
    return found, parts


def meetings(*starts_us: int) -> list[Row]:
    """Collectives that end after 1 ms, 2 ms, …"""
    return [Row(k, 1_000 * start, 1_000_000 * (k + 1)) for k, start in enumerate(starts_us)]


def test_the_path_goes_to_the_rank_that_came_last() -> None:
    """Rank 1 is last at the first collective, rank 0 at the second; rank 1 ends the job."""
    work = [(0, 700_000), (1_000_000, 1_200_000), (2_000_000, 2_400_000)]
    found, parts = path_of(
        Made(meetings(300, 1_800), [(0, 300_000), (1_000_000, 1_800_000)]),
        Made(meetings(700, 1_200), work),
    )
    assert parts == [
        (1, "own", 0, 700_000, "all_reduce 0 of world"),
        (0, "transfer", 700_000, 1_000_000, "all_reduce 0 of world"),
        (0, "own", 1_000_000, 1_800_000, "all_reduce 1 of world"),
        (1, "transfer", 1_800_000, 2_000_000, "all_reduce 1 of world"),
        (1, "own", 2_000_000, 2_400_000, ""),
    ]
    assert (found.length_ns, found.own_ns, found.transfer_ns) == (2_400_000, 1_900_000, 500_000)
    assert found.hops == 2
    assert found.ranks == (PathRank(1, 1_300_000, 13 / 24, 2), PathRank(0, 1_100_000, 11 / 24, 1))


def test_a_meeting_that_takes_no_time_ends_the_walk() -> None:
    """It begins and ends at the moment that the walk is at, on the rank that was last there."""
    detail = SimpleNamespace(
        start=np.array([500, 500]),
        end=np.array([500, 500]),
        last=np.array([1]),
        last_row=np.array([1]),
        arrivals=SimpleNamespace(collective=np.array([0, 0]), title=lambda number: "barrier"),
    )
    walker = Walker.__new__(Walker)
    walker._detail, walker._by_rank = cast(Any, detail), [np.array([0]), np.array([1])]
    assert walker.back(1, 500) == [
        (1, "own", 500, 500, ""),
        (1, "transfer", 500, 500, "barrier"),
        (1, "own", 500, 500, ""),
    ]
    assert walker.back(0, 900) == [
        (0, "own", 500, 900, ""),
        (0, "transfer", 500, 500, "barrier"),
        (1, "own", 500, 500, "barrier"),
        (1, "transfer", 500, 500, "barrier"),
        (1, "own", 500, 500, "barrier"),
    ]
    assert walker.back(0, 900, until=600) == [
        (0, "own", 500, 900, ""),
        (0, "transfer", 500, 500, "barrier"),
        (1, "own", 500, 500, "barrier"),
    ]


def test_a_collective_that_work_hides_is_passed_over() -> None:
    """Both ranks compute all the time of the first one."""
    found, parts = path_of(
        Made(meetings(100, 1_500), [(0, 1_500_000)]), Made(meetings(50, 1_600), [(0, 1_600_000)])
    )
    assert parts == [
        (1, "own", 0, 1_600_000, "all_reduce 1 of world"),
        (0, "transfer", 1_600_000, 2_000_000, "all_reduce 1 of world"),
    ]
    assert found.hops == 1


def test_nine_tenths_of_work_hide_a_collective_and_less_does_not() -> None:
    def transfer(worked: int) -> int:
        made = Made([Row(0, 0, 1_000_000)], [(0, worked), (1_000_000, 1_100_000)])
        return path_of(made, made)[0].transfer_ns

    assert (transfer(900_000), transfer(899_000)) == (0, 1_000_000)


def test_a_rank_without_collectives_has_the_path_alone() -> None:
    found, parts = path_of(Made([], [(0, 500)]))
    assert parts == [(0, "own", 0, 500, "")]
    assert (found.ranks, found.hops) == ((PathRank(0, 500, 1.0, 1),), 0)


def test_a_job_without_ranks_has_no_path() -> None:
    job = job_of(Made([], [(0, 500)]))
    assert rank_path(replace(job, ranks=()), waits(job)) is None
