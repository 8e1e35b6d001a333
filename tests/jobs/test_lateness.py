"""What a late rank did since its peers last met it."""

from __future__ import annotations

import numpy as np
from tests.jobs.hand_made import Made, Row, job_of

from lanescope.jobs.lateness import CAUSES, RAN_LONGER, UNSEEN, LateRanks
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
