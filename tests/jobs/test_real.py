"""Real jobs beside answers that are not ours: DLRM on 8 GPUs, FSDP in 4 processes."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.formats.streams.measures import DATA, expected

from lanescope.formats import import_paths
from lanescope.jobs.job import Job, open_job
from lanescope.jobs.report import JobReport, job_report
from lanescope.jobs.waits import waits
from lanescope.trace import save

pytestmark = pytest.mark.skipif(not DATA.exists(), reason="../shared/data is not there")


def stored(source: Path, folder: Path) -> Path:
    for trace in import_paths([source]):
        save(trace, folder / f"{trace.meta.name}.lanes")
    return folder


@pytest.fixture(scope="module")
def dlrm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dlrm")
    return stored(DATA / "kineto-dlrm-8rank" / "dlrm_kineto.tar.gz", folder)


@pytest.fixture(scope="module")
def jax(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return stored(DATA / "nsys-jax-4proc", tmp_path_factory.mktemp("jax"))


def answers(name: str) -> dict[str, Any]:
    whole = expected(name)
    plain: dict[str, Any] = whole.get("collectives_plain") or whole["plain"]["collectives"]
    return plain


def require_waits(job: Job, plain: dict[str, Any], within_ns: float) -> None:
    """Waits and transfers of every rank; the two alignments may differ by so much each time."""
    found = waits(job)
    assert found.collectives == plain["collectives"]
    count = found.collectives
    for one in found.ranks:
        name = str(one.rank)
        assert one.wait_ns == pytest.approx(plain["wait_ns_per_rank"][name], abs=within_ns * count)
        # A clock that drifts has other lengths; rounding adds a nanosecond here and there.
        whole = plain["duration_ns_per_rank"][name]
        assert one.wait_ns + one.transfer_ns == pytest.approx(whole, abs=count)
    assert found.wait_ns == pytest.approx(plain["wait_ns_total"], rel=1e-3)


def test_dlrm_waits_and_the_rank_that_is_last(dlrm: Path) -> None:
    job, plain = open_job(dlrm), answers("kineto-dlrm-8rank")
    require_waits(job, plain, within_ns=1500)
    last = {str(one.rank): one.times_last for one in waits(job).ranks}
    assert last == plain["times_last_to_arrive"]
    assert job.world == 8 and job.missing == ()


def test_dlrm_offsets_differ_from_the_other_answer_by_less_than_the_stated_error(
    dlrm: Path,
) -> None:
    told = answers("kineto-dlrm-8rank")["offset_ns_per_rank_mean_zero"]
    for one in open_job(dlrm).clock.ranks:
        assert one.error_ns is not None and one.error_ns < 6_000
        assert abs(one.offset_ns - told[str(one.rank)]) < one.error_ns


def test_dlrm_names_the_rank_and_why(dlrm: Path) -> None:
    report = job_report(open_job(dlrm))
    assert report.stragglers.verdict == "late"
    assert report.stragglers.straggler == 7
    assert report.blame[0].rank == 7
    assert report.blame[0].main == "began late"
    assert report.blame[1].main == "idle"
    assert report.blame[1].idle[0].what == "host_busy"


def test_dlrm_with_a_rank_missing_says_so_and_keeps_the_rest(dlrm: Path, tmp_path: Path) -> None:
    for trace in dlrm.iterdir():
        if "worker7" not in trace.name:
            shutil.copytree(trace, tmp_path / trace.name)
    report = job_report(open_job(tmp_path))
    assert report.job.missing == (7,)
    assert report.job.present == "7 of 8 ranks"
    assert report.stragglers.straggler != 7
    assert "missing  7" in report.text()


def test_jax_clocks_480_ms_apart_end_within_5_us(jax: Path) -> None:
    job, plain = open_job(jax), answers("nsys-jax-4proc")
    clock = job.clock
    assert clock.raw_spread_p50_ns is not None and clock.raw_spread_p50_ns > 100e6
    assert clock.end_spread_p50_ns is not None and clock.end_spread_p50_ns < 5_000
    require_waits(job, plain, within_ns=1500)


def test_jax_is_not_held_up_by_the_rank_that_raw_clocks_accuse(jax: Path) -> None:
    report = job_report(open_job(jax))
    last = {one.rank: one.times_last for one in report.waits.ranks}
    assert max(last, key=lambda rank: last[rank]) == 0
    assert report.stragglers.straggler == 0
    plain = answers("nsys-jax-4proc")
    assert plain["times_last_to_arrive_on_raw_clocks"]["3"] == 118
    sure = {int(k): v for k, v in plain["times_last_to_arrive"].items()}
    undecided = {one.rank: one.times_last_undecided for one in report.waits.ranks}
    for rank, times in sure.items():
        assert last[rank] <= times + 4
        assert last[rank] + undecided[rank] >= times - 4


def test_jax_three_of_four_processes_give_the_same_offsets(jax: Path, tmp_path: Path) -> None:
    whole = open_job(jax).clock
    for name in ("proc0", "proc1", "proc3"):
        shutil.copytree(jax / f"{name}.lanes", tmp_path / f"{name}.lanes")
    part = open_job(tmp_path).clock

    def apart(found: Any, first: int, second: int) -> float:
        offsets = {one.rank: one.offset_ns for one in found.ranks}
        return float(offsets[second] - offsets[first])

    assert apart(part, 0, 3) == pytest.approx(apart(whole, 0, 3), abs=3_000)


def test_the_ranks_of_one_trace_are_on_its_axis(tmp_path: Path) -> None:
    [trace] = import_paths([DATA.parent / "simpler-today" / "two_ranks"])
    save(trace, tmp_path / "two.lanes")
    report: JobReport = job_report(open_job(tmp_path / "two.lanes"))
    assert [one.basis for one in report.clock.ranks] == ["one trace", "one trace"]
    assert [one.error_ns for one in report.clock.ranks] == [90_000.0, 90_000.0]


def test_traces_of_ranks_are_placed_by_the_clock_of_their_host(tmp_path: Path) -> None:
    source = DATA.parent / "simpler-today" / "two_ranks"
    for trace in import_paths([source], per_rank=True):
        save(trace, tmp_path / f"{trace.meta.name}.lanes")
    job = open_job(tmp_path)
    assert job.numbers == (0, 1)
    assert "does not say its rank" in job.unread[0].why
    clock = job.clock
    assert [one.basis for one in clock.ranks] == ["clock of the host"] * 2
    assert "ranks share no collective" in job_report(job).text()
