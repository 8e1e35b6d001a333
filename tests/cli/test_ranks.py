"""`lanescope ranks` and `lanescope report` on the traces of a job, as a user calls them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from lanescope.cli import main

Output = pytest.CaptureFixture[str]


@pytest.fixture
def job(ground: Path, tmp_path: Path) -> Path:
    """A copy that a test may damage."""
    return Path(shutil.copytree(ground / "slow.job", tmp_path / "slow.job"))


def calls(job: Path) -> list[list[str]]:
    return [["ranks", str(job), "--workers", "0"], ["report", str(job)]]


def test_a_job_of_which_a_rank_cannot_be_read_is_told_by_the_exit_code(
    job: Path, capsys: Output
) -> None:
    assert [main(call) for call in calls(job)] == [0, 0]
    whole = capsys.readouterr().out
    damaged = sorted(job.glob("*.lanes"))[1]
    (damaged / "tasks.parquet").write_bytes(b"PAR1")
    assert [main(call) for call in calls(job)] == [1, 1]
    assert capsys.readouterr().out.count("  ranks     3 of 4 ranks\n  missing   1\n") == 2
    assert "missing" not in whole


@pytest.mark.parametrize(
    ("options", "first"),
    [
        (["--core", "1", "--since", "2us", "--full"], "since"),
        (["--full", "--graph"], "graph"),
        (["--section", "verdict", "--rank", "1"], "rank"),
    ],
)
def test_what_is_about_one_trace_is_refused_by_its_first_name(
    options: list[str], first: str, job: Path, capsys: Output
) -> None:
    assert main(["report", str(job), *options]) == 2
    assert capsys.readouterr().err == (
        f"lanescope: {job} holds the traces of a job; --{first} asks about one trace: name one of "
        "them\n"
    )
