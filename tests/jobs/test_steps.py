"""Steps of a job: marked, counted by a collective, or one for the whole recording."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
from tests.jobs.hand_made import Made, Row, job_of

from lanescope.jobs.job import Job
from lanescope.jobs.report import job_report
from lanescope.jobs.steps import (
    COUNTED,
    MARKED,
    WHOLE,
    JobSteps,
    _even_group,
    _summed,
    job_steps,
)
from lanescope.jobs.waits import waits


def steps(job: Job) -> JobSteps:
    return job_steps(job, waits(job))


def rounded(matrix: object) -> list[list[int | None]]:
    """A matrix as lists of whole numbers; None is NaN."""
    rows: list[list[float]] = matrix.tolist()  # type: ignore[attr-defined]
    return [[None if one != one else round(one) for one in row] for row in rows]


def test_a_marked_step_has_work_and_waits_that_begin_in_it() -> None:
    early = Made(
        [Row(0, 100, 600), Row(1, 1_300, 1_500), Row(2, 9_000, 9_100)],
        [(0, 100), (1_000, 1_300)],
        [(7, 0, 700), (8, 1_000, 1_600)],
    )
    late = Made(
        [Row(0, 400, 600), Row(1, 1_200, 1_500), Row(2, 9_000, 9_100)], [(0, 400)], [(7, 0, 700)]
    )
    found = steps(job_of(early, late))
    assert (found.basis, found.step.tolist()) == (MARKED, [7, 8])
    assert rounded(found.work) == [[100, 300], [400, None]]
    assert rounded(found.length) == [[700, 600], [700, None]]
    assert rounded(found.wait) == [[300, 0], [0, None]]
    assert found.job_length.round().tolist() == [700, 600]


def test_what_others_waited_belongs_to_the_last_rank() -> None:
    made = [
        Made(
            [Row(k, 100_000 * k + start, 100_000 * k + 40_000) for k in range(6)],
            [],
            [(0, 0, 700_000)],
        )
        for start in (0, 10_000, 30_000)
    ]
    found = steps(job_of(*made))
    assert rounded(found.caused) == [[0], [0], [6 * 50_000]]


def counted(*groups: tuple[str, list[int]]) -> Made:
    """Collectives of some groups that end at moments, each 10 ns long; 50 of 100 ns are work."""
    rows = [Row(k, end - 10, end, group) for group, ends in groups for k, end in enumerate(ends)]
    return Made(rows, [(100 * k, 100 * k + 50) for k in range(12)])


def test_the_group_that_comes_most_evenly_gives_steps_where_none_is_marked() -> None:
    made = counted(("uneven", [100, 150, 900, 1_000]), ("even", [200, 500, 800, 1_100]))
    found = steps(job_of(made, made))
    assert (found.basis, found.step.tolist()) == (COUNTED, [1, 2, 3])
    assert rounded(found.start - found.start[0, 0]) == [[0, 300, 600]] * 2
    assert rounded(found.work) == [[150, 150, 150]] * 2


def test_a_group_of_fewer_ranks_or_three_operations_gives_no_steps() -> None:
    wide = counted(("pair", [200, 400, 600, 800]), ("all", [250, 300, 950]))
    third = counted(("all", [250, 300, 950]))
    found = steps(job_of(wide, wide, third))
    assert (found.basis, found.step.tolist()) == (COUNTED, [1, 2])
    few = counted(("all", [250, 950]))
    assert steps(job_of(few, few)).basis == WHOLE


def test_a_job_without_collectives_is_one_step() -> None:
    found = steps(job_of(Made([], [(10, 40), (50, 60)]), Made([], [(0, 20)])))
    assert (found.basis, found.step.tolist()) == (WHOLE, [0])
    assert rounded(found.length) == [[50], [20]]
    assert rounded(found.work) == [[40], [20]]


def test_a_step_of_ranks_on_two_axes_is_as_long_as_its_longest_rank() -> None:
    one, other = Made([], [(0, 90)], [(0, 0, 100)]), Made([], [(5_000, 5_010)], [(0, 5_000, 5_300)])
    [step] = job_report(job_of(one, other)).steps.steps
    assert (step.step, step.length_ns, step.ranks, step.slowest) == (0, 300.0, 2, 0)


def test_a_step_of_ranks_on_one_axis_is_from_the_first_start_to_the_last_end() -> None:
    rows = [Row(k, 1_000 * k, 1_000 * k + 500) for k in range(8)]
    early, late = Made(rows, [], [(0, 0, 4_000)]), Made(rows, [], [(0, 1_000, 7_500)])
    [step] = job_report(job_of(early, late)).steps.steps
    assert abs(step.length_ns - 7_500) <= 2


def test_what_begins_in_a_step_belongs_to_it() -> None:
    """Rank 0 has steps from 0 to 50 and from 100 to 150, and marks the second one first."""
    nan = np.nan
    edges = np.array([[100.0, 0.0, nan], [nan] * 3]), np.array([[150.0, 50.0, nan], [nan] * 3])
    moments = [-1, 0, 50, 51, 100, 150, 151, 20]
    detail: Any = SimpleNamespace(
        arrivals=SimpleNamespace(rank=np.array([0] * 7 + [1])), start=np.array(moments)
    )
    values = np.array([1, 2, 4, 8, 16, 32, 64, 128])
    every = _summed(detail, np.arange(8), values, edges)
    np.testing.assert_array_equal(every, [[48, 6, nan], [nan] * 3])
    some = _summed(detail, np.array([1, 4, 6, 7]), values[[1, 4, 6, 7]], edges)
    np.testing.assert_array_equal(some, [[16, 2, nan], [nan] * 3])


def even(*groups: list[int]) -> str | None:
    """The group that gives steps; they are called a, b, …"""
    made = counted(*zip("abc", groups, strict=False))
    job = job_of(made, made)
    found = _even_group(job)
    return None if found is None else job.arrivals.groups[found]


def test_of_groups_that_come_as_evenly_the_one_with_the_longest_steps_counts() -> None:
    """100 ns apart or 200 ns; the last is 1 ns late, or 50 ns."""
    assert even([200, 300, 400], [250, 450, 650], [330, 530, 730]) == "b"
    assert even([250, 450, 650], [200, 300, 400]) == "a"
    assert even([250, 450, 651], [200, 300, 400]) == "a"
    assert even([250, 450, 700], [200, 300, 400]) == "b"
    assert even([250, 450, 700, 900, 1_100], [200, 300, 400]) == "a"


def test_three_operations_at_one_moment_are_uneven_and_two_are_no_steps() -> None:
    assert even([500, 500, 500], [200, 300, 700]) == "b"
    assert even([500, 500, 500]) == "a"
    assert even([500, 600]) is None
    assert even() is None


def test_a_broadcast_gives_no_steps() -> None:
    rows = [Row(k, 100 * k, 100 * k + 10, kind="broadcast", source=0) for k in range(5)]
    assert _even_group(job_of(Made(rows), Made(rows))) is None


def test_numbers_of_steps_are_those_of_the_operations_that_end_them() -> None:
    """Rank 1 has no operation 4; both compute 50 of 100 ns."""
    work = [(100 * k, 100 * k + 50) for k in range(12)]
    rows = [Row(k, 100 * k - 10, 100 * k) for k in (4, 5, 6, 8)]
    found = steps(job_of(Made(rows, work), Made(rows[1:], work)))
    assert (found.basis, found.step.tolist()) == (COUNTED, [6, 8])
    assert rounded(found.length) == [[100, 200]] * 2
    assert rounded(found.work) == [[50, 100]] * 2
