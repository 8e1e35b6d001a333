"""What a page shows of a job: which ranks, and what its panel says."""

from __future__ import annotations

import base64
import json
from dataclasses import replace

import numpy as np
import pytest
from tests.jobs.hand_made import Made, job_of
from tests.jobs.slow_job import STEP, STEPS, slow_job, slow_made

import lanescope
from lanescope.errors import UsageError
from lanescope.jobs.blame import blame
from lanescope.jobs.heat import hundredths
from lanescope.jobs.report import JobReport, job_report
from lanescope.jobs.roles import roles
from lanescope.jobs.view import job_view, shown_places
from lanescope.trace.schema import MISSING


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> JobReport:
    return lanescope.ranks(slow_job(tmp_path_factory.mktemp("view")), workers=0)


def many(ranks: int, slow: int) -> JobReport:
    return job_report(job_of(*(slow_made(rank, ranks, slow) for rank in range(ranks))))


def test_the_slow_rank_comes_first_then_those_that_wait_most() -> None:
    assert shown_places(many(20, slow=17)) == [0, 1, 2, 3, 4, 5, 6, 17]


def test_ranks_are_chosen_by_number() -> None:
    assert shown_places(many(20, slow=17), [19, 3]) == [3, 19]


def test_a_rank_that_is_not_there_is_named(report: JobReport) -> None:
    with pytest.raises(
        UsageError, match="job slow has no rank 9; it has 4 of 4 ranks, from 0 to 3"
    ):
        shown_places(report, [1, 9])


def test_ranks_that_share_nothing_are_shown_from_the_first_on() -> None:
    report = job_report(job_of(*(Made(work=[(0, 1_000)]) for _ in range(12))))
    assert shown_places(report) == list(range(8))


def test_the_heat_map_holds_hundredths_of_the_peers_median(report: JobReport) -> None:
    about = job_view(report).about
    heat = np.frombuffer(base64.b64decode(about["heat"]), np.uint8).reshape(4, STEPS)
    assert (heat[2] == 149).all()
    assert (np.abs(heat[[0, 1, 3]].astype(int) - 100) <= 1).all()
    assert (about["ranks"], about["steps"]) == ([0, 1, 2, 3], list(range(STEPS)))


def test_a_straggler_that_was_last_nowhere_has_no_collective_to_jump_to(
    report: JobReport,
) -> None:
    """Only messages may join it to others: then nobody saw it late."""
    both = blame(report.job, report.waits, roles(report.job), straggler=1)
    assert [(one.rank, one.collectives > 0) for one in both] == [(2, True), (1, False)]
    (shown,) = job_view(replace(report, blame=both)).about["blame"]
    assert shown["wait"]["last"] == 2


def test_hundredths_keep_what_is_not_known_and_end_at_255() -> None:
    ratio = np.array([np.nan, 0.0, 0.004, 1.304, 2.55, 40.0])
    assert hundredths(ratio).tolist() == [0, 1, 1, 130, 255, 255]


def test_steps_lie_on_the_common_axis(report: JobReport) -> None:
    windows = job_view(report).about["windows"]
    assert len(windows) == 1
    starts = np.array([window[0] for window in windows[0]])
    assert np.abs(starts - STEP * np.arange(STEPS)).max() < 10_000


def test_a_wait_leads_to_the_last_arrival_and_what_came_before(report: JobReport) -> None:
    view = job_view(report)
    wait = view.about["blame"][0]["wait"]
    assert (wait["last"], wait["decided"], wait["ranks"]) == (2, True, 4)
    trace = view.traces[2]
    row = int(np.flatnonzero(trace.tasks["start_ns"] == wait["arrival"]["start_ns"])[0])
    assert trace.tasks["core"][row] == wait["arrival"]["core"] == 1
    assert wait["window_ns"] == [0, wait["arrival"]["start_ns"]]
    causes = dict(wait["causes"])
    assert causes["ran longer"] == pytest.approx(2_000_000, rel=0.05)
    later = next(one for one in view.about["longest"] if one["start_ns"] > STEP)
    assert (wait["since"], later["since"]) == (
        "since its step began",
        "since the last common collective",
    )
    begin, end = later["window_ns"]
    assert end - begin == pytest.approx(STEP - 99_000, abs=1_000)


def test_arrivals_at_one_collective_have_one_number(report: JobReport) -> None:
    view = job_view(report)
    for trace, meets in zip(view.traces, view.meets, strict=True):
        of_group = meets[trace.tasks["func"] == 1]
        assert of_group.tolist() == list(range(STEPS))
        assert (meets[trace.tasks["func"] == 0] == MISSING).all()


def test_only_a_part_is_shown_when_asked(report: JobReport) -> None:
    view = job_view(report, rank=[2], since=2 * STEP, until=3 * STEP - 1)
    assert len(view.traces) == 1
    assert view.traces[0].steps["step"].tolist() == [1, 2]
    assert sorted(set(view.meets[0].tolist()) - {MISSING}) == [2]


def test_ranks_on_other_axes_have_no_steps_to_zoom_to() -> None:
    report = job_report(job_of(*(Made(work=[(0, 1_000)], steps=[(0, 0, 9)]) for _ in range(3))))
    about = job_view(report, rank=[]).about
    assert (about["axes"], about["windows"]) == ([0, 1, 2], [None, None, None])


def test_the_panel_of_a_thousand_ranks_is_small() -> None:
    """A byte per cell: 1,024 ranks × 6 steps, and a few numbers per rank."""
    about = job_view(many(1024, slow=700), rank=[]).about
    assert len(json.dumps(about)) < 4 * 1024 * STEPS // 3 + 20_000


def test_names_of_groups_are_cut(report: JobReport) -> None:
    assert all(len(wait["name"]) <= 41 for wait in job_view(report).about["longest"])
