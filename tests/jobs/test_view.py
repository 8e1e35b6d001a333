"""What a page shows of a job: which ranks, and what its panel says."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from tests.analyze.hand import make_trace
from tests.jobs.hand_made import Made, Row, job_of
from tests.jobs.slow_job import STEP, STEPS, slow_job, slow_made

import lanescope
from lanescope.errors import UsageError
from lanescope.jobs.blame import blame
from lanescope.jobs.heat import hundredths
from lanescope.jobs.job import Unread
from lanescope.jobs.report import JobReport, job_report
from lanescope.jobs.roles import roles
from lanescope.jobs.view import (
    _about,
    _clock_line,
    _errors,
    _meetings,
    _suspects,
    _told,
    _waiting,
    _Waits,
    _windows,
    job_view,
    shown_places,
)
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


def part(**given: Any) -> Any:
    return cast(Any, SimpleNamespace(**given))


def waiting(wait: list[int], total: list[int], blamed: list[tuple[int, int | None]]) -> Any:
    """A job of twelve ranks 0, 10, …; of two collectives of all, only the first is decided.

    Ranks wait so long at the first, and 10 µs in front of the others at the second.
    """
    count = len(wait)
    detail = part(
        decided=np.array([True, False]),
        arrivals=part(collective=np.repeat([0, 1], count), rank=np.tile(np.arange(count), 2)),
        wait=np.array([*wait, *(10_000 * (count - k) for k in range(count))]),
    )
    numbers = tuple(10 * k for k in range(count))
    return part(
        job=part(ranks=numbers, numbers=numbers, name="made"),
        waits=part(detail=detail, ranks=[part(wait_ns=one) for one in total]),
        stragglers=part(straggler=None),
        blame=[part(rank=rank, held_up_by=by) for rank, by in blamed],
    )


def test_ranks_that_wait_most_for_a_rank_that_is_known_come_first() -> None:
    """Where two wait as long, the one that waits more at all."""
    report = waiting([5, 9, 9, 0], [50, 10, 20, 90], [])
    assert _waiting(report) == [20, 10, 0, 30]


def test_eight_ranks_are_shown_who_is_late_then_who_holds_them_up_then_who_waits() -> None:
    report = waiting([*range(12)], [0] * 12, [(0, None), (10, 30), (0, 20)])
    assert list(_suspects(report))[:5] == [0, 10, 0, 30, 20]
    assert shown_places(report) == [0, 1, 2, 3, 8, 9, 10, 11]
    report.stragglers.straggler = 40
    assert shown_places(report) == [0, 1, 2, 3, 4, 9, 10, 11]


def test_a_rank_is_told_by_its_machine_its_waiting_and_how_often_it_was_last() -> None:
    report = part(
        job=part(ranks=[part(facts=part(host="node7")), part(facts=part(host=""))]),
        waits=part(ranks=[part(wait_ns=1_500, times_last=1), part(wait_ns=0, times_last=2)]),
    )
    assert _told(report, 0) == "node7  ·  waits 1.50 µs, last 1 time"
    assert _told(report, 1) == "waits 0 ns, last 2 times"


def test_errors_between_ranks_that_are_shown_are_a_table_with_none_for_two_axes() -> None:
    def error(one: np.ndarray, other: np.ndarray) -> np.ndarray:
        return np.where(one + other > 5, np.inf, 10.0 * one + other)

    report = part(clock=part(error=error))
    assert _errors(report, [1, 3]) == [[11.0, 13.0], [31.0, None]]


def test_the_clock_line_says_the_largest_error_that_is_known() -> None:
    def line(*errors: float | None) -> str:
        return _clock_line(part(clock=part(ranks=[part(error_ns=one) for one in errors])))

    assert line(None, None) == "The clocks of the ranks could not be compared."
    assert line(2_000.0, None, 3_000.0) == (
        "Times of a rank may be wrong by 3.00 µs beside those of others."
    )


def test_windows_of_steps_are_those_of_the_ranks_of_one_axis() -> None:
    """Ranks 1 and 2 are on the axis, which begins at 100; rank 2 has no second step."""
    nan = np.nan
    start = np.array([[0.0, 1.0, 2.0], [100.0, 300.0, nan], [90.0, nan, nan]])
    report = part(matrix=part(start=start, end=start + 50))
    axis = part(zero=np.array([7, 100, 100]))
    on_axis = np.array([False, True, True])
    assert _windows(report, axis, on_axis) == [[-10, 50], [200, 250], None]


def test_the_tasks_of_a_rank_are_arrivals_at_the_collectives_of_its_rows() -> None:
    """Rank 1 has arrivals in rows 1 and 0 at collectives 4 and 5, and one whose task is unknown."""
    arrivals = part(
        rank=np.array([0, 1, 1, 1]), row=np.array([0, 1, 0, 2]), collective=np.array([4, 4, 5, 6])
    )
    own = part(facts=part(arrivals=part(task=np.array([30, 20, MISSING]))))
    report = part(waits=part(detail=part(arrivals=arrivals)), job=part(ranks=[None, own]))
    trace = make_trace(tasks=[{"task": one} for one in (10, 20, 30)])
    assert _meetings(report, 1, trace).tolist() == [MISSING, 4, 5]


def test_the_panel_is_told_all_of_a_wait(report: JobReport) -> None:
    """Rank 2 works 6 ms; the others 4.00, 4.02 and 4.06 ms, and their median is 4.02."""
    second = {
        "name": "all_reduce 1 of world",
        "last": 2,
        "decided": True,
        "ranks": 4,
        "margin_ns": 1_940_000,
        "waited_ns": 5_920_000,
        "start_ns": 14_001_000,
        "end_ns": 16_100_000,
        "window_ns": [6_100_000, 16_001_000],
        "since": "since the last common collective",
        "late_ns": 1_980_000.0,
        "causes": [["ran longer", 1_980_000.0]],
        "arrival": {"core": 1, "start_ns": 16_001_000},
    }
    assert job_view(report).about["longest"][1] == second
    others = job_view(report, rank=[0, 1]).about["longest"]
    assert others[1] == {**second, "arrival": None}
    early = job_view(report, until=5_000_000).about["longest"]
    assert (early[0]["arrival"], early[1]["arrival"]) == (None, None)


def test_the_panel_is_told_all_about_the_job(report: JobReport) -> None:
    about = job_view(report, rank=[1, 2]).about
    assert about["shown"] == [1, 2]
    assert about["told"] == [
        "host0  ·  waits 11.880 ms, last 0 times",
        "host1  ·  waits 0 ns, last 6 times",
    ]
    assert about["errors"] == [[1_000.0, 1_000.0], [1_000.0, 1_000.0]]
    assert (about["axes"], about["world"], about["notes"]) == ([0, 0, 0, 0], 4, [])
    assert about["limits"] == [80, 90, 95, 98, 102, 105, 110, 130]
    assert about["windows"] == [[[STEP * k, STEP * (k + 1)] for k in range(STEPS)]]
    assert [one["waited_ns"] for one in about["blame"]] == [6 * 5_920_000]


def test_of_many_waits_the_eight_longest_are_listed() -> None:
    rows = [
        Row(k, 10_000_000 * k + (1_000 + k) * rank + 1, 10_000_000 * k + 50_001)
        for rank in range(2)
        for k in range(9)
    ]
    report = job_report(job_of(Made(rows[:9]), Made(rows[9:])))
    axis = part(zero=np.zeros(2, np.int64), moments=lambda place, times: times)
    about = _about(report, axis, [], _Waits(report, axis, [], [], []))
    assert [one["name"] for one in about["longest"]] == [
        f"all_reduce {k} of world" for k in range(8, 0, -1)
    ]


@pytest.mark.parametrize(("given", "shown"), [(300, 300), (301, 300)])
def test_why_a_trace_was_left_out_has_at_most_300_characters(
    report: JobReport, given: int, shown: int
) -> None:
    job = replace(report.job, unread=(Unread("r9.lanes", "x" * given),))
    (note,) = job_view(replace(report, job=job), rank=[0]).about["notes"]
    assert (note[:11], len(note)) == ("Left out: x", len("Left out: .") + shown)
