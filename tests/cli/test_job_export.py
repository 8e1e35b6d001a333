"""`lanescope export JOB`: all ranks of a job in one archive."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest
from benchmarks.made_job.plan import JobPlan
from benchmarks.make_job import make_job

from lanescope.cli import main


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made") / "train.job"
    make_job(JobPlan(ranks=4, stages=1, tasks=60, steps=2), folder)
    return folder


def test_the_archive_is_named_after_the_job(
    made: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["export", str(made), "--to", "perfetto", "--rank", "0,2-3"]) == 0
    with tarfile.open("train.perfetto.tar") as archive:
        assert archive.getnames()[1:] == [f"rank{rank:04}.perfetto-trace" for rank in (0, 2, 3)]
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("train.perfetto.tar: 3 ranks, ")
    assert second == "Open it at https://ui.perfetto.dev"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            ["--since", "1ms"],
            "--since chooses a part of one trace, and {job} is a job of many ranks; "
            "choose ranks with --rank, or export one of its traces",
        ),
        (
            ["--rank", "7"],
            "{job} has none of the ranks that were asked for; it has 0, 1, 2, 3",
        ),
    ],
)
def test_what_cannot_be_chosen_is_refused_and_nothing_is_written(
    made: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    options: list[str],
    said: str,
) -> None:
    target = tmp_path / "a.tar"
    assert main(["export", str(made), "--to", "perfetto", "-o", str(target), *options]) == 2
    assert capsys.readouterr().err.strip().endswith(said.format(job=made))
    assert [*tmp_path.iterdir()] == []
