"""The panel of a job made by hand, figure by figure; its clocks do not begin at 0."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.jobs.hand_made import Made, Row, job_of, trace_of

import lanescope
from lanescope.jobs.heat import COLOURS, LIMITS
from lanescope.jobs.job import open_job
from lanescope.jobs.report import job_report
from lanescope.jobs.view import job_view

BEGIN = 40_000_000
STEP = 10_000_000
LATE = (0, 100_000, 900_000, 300_000)
"""How much later than rank 0 each rank comes to the first collective; rank 2 is the last."""


def made(rank: int) -> Made:
    """Six steps: 1 ms of work and what it is late, a collective that ends after 2 ms, on a clock
    that is ahead by 3 ms on odd ranks. Rank 1 waits twice as long in the second half."""
    rows, work, steps = [], [], []
    for k in range(6):
        at = BEGIN + STEP * k + 3_000_000 * (rank % 2)
        busy = 1_000_000 + LATE[rank]
        work.append((at, at + busy))
        rows.append(Row(k, at + busy, at + 2_000_000 + 1_000 * k))
        steps.append((k, at, at + 2_500_000))
    return Made(rows, work, steps, {"world": 4, "host": "a" if rank < 2 else "b"})


@pytest.fixture(scope="module")
def about(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder: Path = tmp_path_factory.mktemp("panel") / "train.job"
    for rank in range(4):
        lanescope.save(trace_of(rank, made(rank)), folder / f"rank{rank}.lanes")
    return job_view(job_report(open_job(folder, workers=0)), rank=[0, 2]).about


def test_ranks_and_what_stands_beside_their_names(about: dict[str, Any]) -> None:
    assert (about["name"], about["world"], about["ranks"]) == ("train", 4, [0, 1, 2, 3])
    assert about["shown"] == [0, 2]
    assert about["told"] == ["a  ·  waits 5.400 ms, last 0 times", "b  ·  waits 0 ns, last 6 times"]
    assert about["axes"] == [0, 0, 0, 0]
    assert about["notes"] == []


def test_steps_begin_at_0_on_the_common_axis(about: dict[str, Any]) -> None:
    (windows,) = about["windows"]
    for k, (start, end) in enumerate(windows):
        assert abs(start - STEP * k) <= 2
        assert abs(end - (STEP * k + 2_500_000)) <= 2


def test_a_wait_is_told_whole(about: dict[str, Any]) -> None:
    """The first collective has none before it, so time counts from the step."""
    found = {one["name"]: one for one in about["longest"]}
    first, third = found["all_reduce 0 of world"], found["all_reduce 2 of world"]
    assert (first["last"], first["decided"], first["ranks"]) == (2, True, 4)
    assert first["margin_ns"] == pytest.approx(600_000, abs=2)
    assert first["waited_ns"] == pytest.approx(900_000 + 800_000 + 600_000, abs=4)
    assert first["start_ns"] == pytest.approx(1_000_000, abs=2)
    assert first["end_ns"] == pytest.approx(2_000_000, abs=2)
    assert third["start_ns"] == pytest.approx(2 * STEP + 1_000_000, abs=2)
    assert third["end_ns"] == pytest.approx(2 * STEP + 2_002_000, abs=2)
    assert third["window_ns"] == pytest.approx([STEP + 2_001_000, 2 * STEP + 1_900_000], abs=2)
    assert (first["since"], third["since"]) == (
        "since its step began",
        "since the last common collective",
    )
    assert dict(third["causes"])["ran longer"] == pytest.approx(800_000, abs=4)
    assert third["arrival"] == {"core": 1, "start_ns": pytest.approx(2 * STEP + 1_900_000, abs=2)}


def test_the_last_rank_of_a_wait_has_no_place_without_lanes(tmp_path: Path) -> None:
    folder = tmp_path / "train.job"
    for rank in range(4):
        lanescope.save(trace_of(rank, made(rank)), folder / f"rank{rank}.lanes")
    report = job_report(open_job(folder, workers=0))
    assert {one["arrival"] is None for one in job_view(report, rank=[0]).about["longest"]} == {True}


def test_errors_are_between_two_ranks_and_the_clock_line_names_the_largest(
    about: dict[str, Any],
) -> None:
    assert [len(row) for row in about["errors"]] == [2, 2]
    assert about["errors"][0][1] == about["errors"][1][0] > 0
    assert about["clock"].startswith("Times of a rank may be wrong by ")


def test_every_stretch_between_limits_has_a_colour(about: dict[str, Any]) -> None:
    assert about["limits"] == [80, 90, 95, 98, 102, 105, 110, 130]
    assert list(LIMITS) == sorted(LIMITS)
    assert {len(colours) for colours in COLOURS.values()} == {len(LIMITS) + 1}
    assert about["colours"] == {theme: list(colours) for theme, colours in COLOURS.items()}


def test_clocks_that_could_not_be_compared_are_told_so() -> None:
    report = job_report(job_of(*(Made(work=[(0, 1_000)]) for _ in range(3))))
    about = job_view(report, rank=[]).about
    assert about["clock"] == "The clocks of the ranks could not be compared."
    assert about["notes"][-1] == (
        "Each group of ranks that is on a clock of its own begins at 0 here."
    )
