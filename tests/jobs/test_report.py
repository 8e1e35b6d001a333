"""Jobs made by a seed whose truth is known: who is slow or late, why, and the report itself."""

from __future__ import annotations

import itertools
import json
import shutil
from pathlib import Path

import msgspec
import pytest
from benchmarks.made_job.plan import JobPlan
from benchmarks.make_job import make_job

from lanescope.cli import main
from lanescope.errors import InputError
from lanescope.jobs.job import open_job
from lanescope.jobs.recognising import is_job
from lanescope.jobs.report import JobReport, job_report


def made(folder: Path, **plan: object) -> JobReport:
    known = {"ranks": 16, "tasks": 600, "steps": 8, "seed": 3, "groups": "world"} | plan
    make_job(JobPlan(**known), folder)  # type: ignore[arg-type]
    return job_report(open_job(folder, workers=0))


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, JobReport]:
    folder = tmp_path_factory.mktemp("slow") / "slow.job"
    return folder, made(folder, straggler=5, factor=1.3)


def test_a_slow_rank_is_named_with_what_takes_longer(slow: tuple[Path, JobReport]) -> None:
    _, report = slow
    assert (report.stragglers.verdict, report.stragglers.straggler) == ("slow", 5)
    first = report.stragglers.ranks[0]
    assert first.ratio == pytest.approx(1.3, abs=0.05)
    assert first.slow_steps == 8
    cause = next(one for one in report.blame if one.rank == 5)
    assert cause.main == "ran longer"
    assert cause.functions[0].mean_ns / cause.functions[0].peers_ns == pytest.approx(1.3, abs=0.1)


def test_the_path_lies_most_on_the_slow_rank(slow: tuple[Path, JobReport]) -> None:
    path = slow[1].path
    assert path is not None
    assert path.ranks[0].rank == 5
    assert path.own_ns + path.transfer_ns == path.length_ns
    ends = [(one.start_ns, one.end_ns) for one in path.parts]
    assert all(before[1] == after[0] for before, after in itertools.pairwise(ends))


def test_a_job_without_trouble_has_no_single_rank(tmp_path: Path) -> None:
    report = made(tmp_path / "a.job")
    assert report.stragglers.verdict == "none"
    assert report.stragglers.straggler is None
    assert report.stragglers.sentence == "No single rank holds up the job."


def test_a_slow_stage_is_a_role_and_no_rank(tmp_path: Path) -> None:
    report = made(tmp_path / "a.job", slow_stage=2)
    assert (report.stragglers.verdict, report.stragglers.straggler) == ("role", None)
    role = report.stragglers.roles[report.stragglers.role or 0]
    assert role.ranks == (8, 9, 10, 11)


def test_several_ranks_with_more_work_are_told_together(tmp_path: Path) -> None:
    report = made(tmp_path / "a.job", ranks=32, imbalance=0.1)
    assert (report.stragglers.verdict, report.stragglers.straggler) == ("several", None)
    assert report.balance[0].imbalance > 0.05


def test_a_machine_that_launches_late_is_named(tmp_path: Path) -> None:
    report = made(tmp_path / "a.job", ranks=32, steps=12, late_host=1)
    assert report.stragglers.verdict == "host"
    assert report.stragglers.hosts[0].ranks == tuple(range(8, 16))
    assert report.blame[0].rank in range(8, 16)
    assert report.blame[0].main == "idle"
    assert report.blame[0].idle[0].what == "host_busy"


def test_steps_that_change_are_told(tmp_path: Path) -> None:
    report = made(tmp_path / "a.job", steps=20, straggler=5, factor=1.5, straggler_from=10)
    [change] = report.steps.changes
    assert change.index == 10
    assert change.after > 1.2 * change.before


def test_waits_and_last_ranks_are_the_true_ones(tmp_path: Path) -> None:
    report = made(tmp_path / "a.job")
    truth = json.loads((tmp_path / "a.job" / "truth.json").read_text())
    last = {
        (one["group"].partition(" [")[0], one["sequence"]): one["last"]
        for one in truth["collectives"]
    }
    detail = report.waits.detail
    arrivals, checked = detail.arrivals, 0
    for k in detail.decided.nonzero()[0].tolist():
        group = arrivals.groups[arrivals.group[k]].partition(" [")[0]
        found = report.job.ranks[int(detail.last[k])].number
        assert last[group, int(arrivals.sequence[k])] == found
        checked += 1
    assert checked > 50


def test_the_page_and_its_json_say_the_same(slow: tuple[Path, JobReport]) -> None:
    _, report = slow
    figures = json.loads(msgspec.json.encode(report.to_dict()))
    assert figures["stragglers"]["straggler"] == 5
    assert figures["world"] == 16 and figures["ranks"] == 16
    assert set(figures) >= {"clock", "waits", "blame", "steps", "path", "balance", "notes"}
    assert len(figures["clock"]["ranks"]) == 16
    assert report.stragglers.sentence in " ".join(report.text().split())


def test_the_command_prints_draws_and_counts_what_it_cannot_read(
    slow: tuple[Path, JobReport], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "part.job"
    for number in (4, 5, 6, 7):
        shutil.copytree(slow[0] / f"rank{number:04}.lanes", folder / f"rank{number:04}.lanes")
    broken = folder / "rank0006.lanes" / "tasks.parquet"
    broken.write_bytes(broken.read_bytes()[:-30])
    assert main(["ranks", str(folder), "--plots", str(tmp_path / "pictures")]) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert "3 of 16 ranks" in out
    assert "Left out: " in out and "is damaged" in out
    for name in ("ranks-steps.svg", "ranks-waits.svg"):
        assert (tmp_path / "pictures" / name).read_text().startswith("<svg")


def test_report_of_a_job_is_that_of_its_ranks(
    slow: tuple[Path, JobReport], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", str(slow[0])]) == 0
    assert capsys.readouterr().out == slow[1].text()


def test_a_folder_without_traces_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no stored trace; 'lanescope import FILES -o"):
        open_job(tmp_path)
    with pytest.raises(InputError, match="is no folder; a job is a folder with a stored trace"):
        open_job(tmp_path / "nothing.job")


def test_two_traces_of_one_rank_are_told(slow: tuple[Path, JobReport], tmp_path: Path) -> None:
    shutil.copytree(slow[0] / "rank0003.lanes", tmp_path / "a.lanes")
    shutil.copytree(slow[0] / "rank0003.lanes", tmp_path / "b.lanes")
    job = open_job(tmp_path)
    assert [rank.number for rank in job.ranks] == [3]
    assert "is of rank 3 as" in job.unread[0].why


def test_a_run_beside_its_own_trace_is_no_job(slow: tuple[Path, JobReport], tmp_path: Path) -> None:
    shutil.copytree(slow[0] / "rank0003.lanes", tmp_path / "a.lanes")
    assert not is_job(tmp_path)
    shutil.copytree(slow[0] / "rank0004.lanes", tmp_path / "b.lanes")
    assert is_job(tmp_path)
    assert is_job(slow[0])
    assert not is_job(tmp_path / "a.lanes")
