"""What lanescope says of made jobs, against their truth: clocks, waits, stragglers, causes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.made_job.plan import JobPlan
from benchmarks.made_job.scores import alignment, trouble, waiting
from benchmarks.make_job import make_job

from lanescope.jobs.blame import RankBlame, blame
from lanescope.jobs.job import Job, open_job
from lanescope.jobs.roles import roles
from lanescope.jobs.waits import JobWaits, waits

USUAL = {"ranks": 16, "stages": 2, "tasks": 300, "steps": 6, "kernel_us": 2000.0}
CLOCKS: dict[str, dict[str, Any]] = {
    "one group": {"stages": 1},
    "short": {"stages": 1, "kernel_us": 100.0},
    "clocks of 1 µs": {"stages": 1, "resolution_ns": 1000},
    "no UTC": {"stages": 1, "epoch": "none"},
    "all ranks now and then": {"groups": "world"},
    "groups in and across hosts": {"groups": "sharded", "stages": 1},
    "joined by messages": {"epoch": "none"},
    "joined by eager messages": {"p2p": "eager"},
    "a stage without a group": {"groups": "frozen", "epoch": "none"},
    "messages only": {"ranks": 4, "stages": 4, "ranks_per_host": 1},
    "missing ranks": {"missing": 0.25},
    "other windows": {"windows": 3},
    "counted in other windows": {"stages": 1, "windows": 3, "numbering": "group"},
}
TROUBLES: dict[str, dict[str, Any]] = {
    "none": {},
    "straggler": {"straggler": 5},
    "straggler of the second half": {"straggler": 5, "straggler_from": 3},
    "straggler in one group": {"straggler": 5, "stages": 1},
    "straggler in a stage without a group": {"straggler": 9, "groups": "frozen"},
    "straggler beside missing ranks": {"straggler": 5, "missing": 0.125, "seed": 3},
    "late rank": {"late_rank": 5},
    "late host": {"late_host": 1, "stages": 1},
    "slow stage of four": {"slow_stage": 1, "stages": 4},
    "imbalance": {"imbalance": 0.1},
}


@dataclass(frozen=True)
class Made:
    """A made job, as lanescope opens it, and its truth."""

    job: Job
    found: JobWaits
    told: dict[str, Any]

    def blamed(self) -> dict[int, RankBlame]:
        return {one.rank: one for one in blame(self.job, self.found, roles(self.job))}


def made(folder: Path, **changes: Any) -> Made:
    told = make_job(JobPlan(**(USUAL | changes)), folder / "made.job")
    job = open_job(folder / "made.job", workers=0)
    return Made(job, waits(job), told)


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("case", CLOCKS)
def test_the_true_clocks_lie_within_the_stated_error(tmp_path: Path, case: str, seed: int) -> None:
    one = made(tmp_path, **CLOCKS[case], seed=seed)
    score = alignment(one.job, one.told)
    assert score.outside == ()
    assert (score.placed, score.inside_island) == (score.ranks, score.ranks)
    offsets = np.array(one.told["clock"]["offset_ns"])
    assert np.ptp(offsets) > 1_000 * score.median_ns, "the clocks were further apart than that"


@pytest.mark.xfail(strict=True, reason="swings of a clock are larger than the error that is stated")
def test_the_stated_error_holds_where_clocks_wander(tmp_path: Path) -> None:
    one = made(tmp_path, stages=1, wander_us=20.0)
    assert alignment(one.job, one.told).outside == ()


def test_the_error_inside_islands_holds_where_clocks_are_seconds_apart(tmp_path: Path) -> None:
    one = made(tmp_path, ranks_per_host=4, offset_ms=5000.0, seed=4)
    score = alignment(one.job, one.told)
    assert score.inside_island == score.ranks


def test_clocks_that_nothing_joins_are_on_two_axes(tmp_path: Path) -> None:
    one = made(tmp_path, groups="islands", epoch="none")
    axes = one.job.clock.axes
    halves = np.arange(16) % 8 // 4
    assert [len(np.unique(axes[halves == half])) for half in (0, 1)] == [1, 1]
    assert axes[0] != axes[4]
    assert alignment(one.job, one.told).outside == ()


@pytest.mark.parametrize("case", TROUBLES)
def test_who_holds_up_the_job_is_named(tmp_path: Path, case: str) -> None:
    one = made(tmp_path, **TROUBLES[case])
    score = trouble(one.job, one.found, one.told)
    assert score.said == score.expected


def test_the_slow_one_of_two_stages_is_named(tmp_path: Path) -> None:
    one = made(tmp_path, slow_stage=1)
    score = trouble(one.job, one.found, one.told)
    assert score.said == score.expected


@pytest.mark.parametrize("case", ["none", "straggler", "late rank", "slow stage of four"])
def test_waits_and_last_arrivals_are_the_true_ones(tmp_path: Path, case: str) -> None:
    one = made(tmp_path, **TROUBLES[case])
    score = waiting(one.job, one.found, one.told)
    assert score.compared == score.collectives > 50
    assert score.wrong == 0
    assert score.decided > score.compared / 2
    assert score.wait_error < 0.01


def test_with_the_hosts_own_clocks_others_would_be_accused(tmp_path: Path) -> None:
    one = made(tmp_path, straggler=12, stages=1)
    arrivals = one.found.detail.arrivals
    utc = np.array([rank.facts.epoch_ns or 0 for rank in one.job.ranks])
    start = arrivals.start + utc[arrivals.rank]
    rows = np.split(np.arange(len(start)), arrivals.first[1:-1])
    raw = [int(arrivals.rank[mine[np.argmax(start[mine])]]) for mine in rows]
    assert np.bincount(raw).argmax() != 12
    assert np.bincount(one.found.detail.last[one.found.detail.decided]).argmax() == 12


def test_a_straggler_ran_longer(tmp_path: Path) -> None:
    one = made(tmp_path, straggler=5, stages=1).blamed()[5]
    assert one.main == "ran longer"
    assert one.functions[0].mean_ns == pytest.approx(1.3 * one.functions[0].peers_ns, rel=0.05)


def test_a_late_rank_was_idle_because_its_host_was_busy(tmp_path: Path) -> None:
    one = made(tmp_path, late_rank=5, stages=1).blamed()[5]
    assert one.main == "idle"
    assert one.idle[0].what == "host_busy"


def test_a_rank_that_waits_for_the_straggler_points_to_it(tmp_path: Path) -> None:
    blamed = made(tmp_path, straggler=9, groups="frozen").blamed()
    assert blamed[1].main == "waited elsewhere"
    assert blamed[1].held_up_by == 9


def test_missing_ranks_are_counted(tmp_path: Path) -> None:
    one = made(tmp_path, missing=0.25)
    assert list(one.job.missing) == one.told["missing"]
    assert one.job.present == "12 of 16 ranks"
    assert one.found.incomplete > 0
