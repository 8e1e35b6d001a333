"""`lanescope fleet` as a user calls it: ledger, answers, exit codes, an interrupt."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from tests.fleet.made import fleet_of

from lanescope.cli import main

Output = pytest.CaptureFixture[str]


def run(*words: object) -> int:
    return main([str(word) for word in words])


@pytest.fixture
def fleet(tmp_path: Path, capsys: Output) -> Path:
    """Two commits, the second a fifth slower."""
    for commit, ns in (("abc", 10_000), ("def", 12_000)):
        fleet_of(tmp_path / commit, [ns, ns + 30, ns - 20, ns + 10])
        labels = ("--label", f"commit={commit}", "--workers", 0)
        assert run("fleet", "index", tmp_path / commit, "-o", tmp_path / "fleet", *labels) == 0
    capsys.readouterr()
    return tmp_path / "fleet"


def test_an_index_with_failures_prints_the_ledger_and_ends_in_1(
    tmp_path: Path, capsys: Output
) -> None:
    runs = fleet_of(tmp_path / "runs", [1000, 2000])
    (runs / "t01.lanes" / "tasks.parquet").unlink()
    assert run("fleet", "index", runs, "-o", tmp_path / "fleet") == 1
    first, second = capsys.readouterr().out.splitlines()
    assert first == f"1 of 2 traces in {tmp_path / 'fleet'} (1 read, 0 unchanged), 1 failed:"
    assert second.startswith(f"  {runs}/t01.lanes/tasks.parquet: is missing from the trace")
    assert run("fleet", "index", runs, "-o", tmp_path / "fleet", "--json") == 1
    answer = json.loads(capsys.readouterr().out)
    assert (answer["good"], answer["unchanged"], len(answer["failures"])) == (1, 1, 1)


def test_every_answer_is_text_and_json(fleet: Path, capsys: Output) -> None:
    for action, *words in (
        ("report",),
        ("outliers",),
        ("trend", "makespan"),
        ("diff", "commit=abc", "commit=def"),
        ("query", "select count(*) as n from traces"),
    ):
        assert run("fleet", action, fleet, *words) == 0
        assert capsys.readouterr().out.endswith("\n")
        assert run("fleet", action, fleet, *words, "--json") == 0
        assert json.loads(capsys.readouterr().out)


def test_a_query_prints_its_rows(fleet: Path, capsys: Output) -> None:
    sql = 'select "commit", count(*) as n from traces group by 1 order by 1'
    assert run("fleet", "query", fleet, sql) == 0
    assert capsys.readouterr().out.splitlines() == [
        "2 rows",
        "  commit  n",
        "  ------  -",
        "  abc     4",
        "  def     4",
    ]


def test_a_limit_that_is_broken_ends_in_1_with_the_sentence(fleet: Path, capsys: Output) -> None:
    sides = ("fleet", "diff", fleet, "commit=abc", "commit=def")
    assert run(*sides, "--fail-if", "makespan > +5%") == 1
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("FAILED: chain a2a3: makespan changed by +19.99 % (from ")
    assert last.endswith("), more than +5 %")
    assert run(*sides, "--fail-if", "makespan > +20%") == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("UNDECIDED: ")
    assert run(*sides, "--fail-if", "makespan > +50%", "--json") == 0
    assert [one["verdict"] for one in json.loads(capsys.readouterr().out)["limits"]] == ["kept"]


def test_a_picture_of_a_trend_is_written(fleet: Path, tmp_path: Path) -> None:
    assert run("fleet", "trend", fleet, "makespan", "--plot", tmp_path / "trend.svg") == 0
    assert (tmp_path / "trend.svg").read_text().startswith("<svg ")


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["report", "nowhere"], 1, "lanescope: nowhere: is no index of a fleet; "),
        (["index", "nowhere", "-o", "f"], 1, "is no folder; name the folder that stored traces"),
        (["index", ".", "-o", "f", "--label", "abc"], 2, "expected KEY=VALUE, such as commit=abc"),
        (["index", ".", "-o", "f", "--workers", "-1"], 2, "expected --workers of 0 or more"),
        (["index", ".", "-o", "f", "--cluster", "moon"], 2, "expected a cluster (one of local, "),
        (["index", ".", "-o", "ftp://host/f"], 2, "expected a path, or a URL that begins with"),
    ],
)
def test_what_cannot_be_is_one_sentence(
    words: list[str],
    code: int,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Output,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("fleet", *words) == code
    told = capsys.readouterr().err
    assert message in told
    assert told.count("\n") == 1
    assert not (tmp_path / "f").exists()


def test_no_action_is_usage(capsys: Output) -> None:
    with pytest.raises(SystemExit) as stop:
        run("fleet")
    assert stop.value.code == 2


def test_ctrl_c_keeps_what_is_done_and_says_how_much(tmp_path: Path) -> None:
    runs, fleet = fleet_of(tmp_path / "runs", [1000 + n for n in range(30)]), tmp_path / "fleet"
    program = f"""
        import sys, time
        from lanescope.cli import main
        from lanescope.fleet import indexing
        real = indexing.FleetFolder.add
        def slow(self, *tables):
            real(self, *tables)
            time.sleep(0.3)
        indexing.FleetFolder.add = slow
        indexing._PART_TRACES = 3
        if __name__ == "__main__":
            words = ["fleet", "index", {str(runs)!r}, "-o", {str(fleet)!r}]
            sys.exit(main([*words, "--workers", "1"]))
    """
    script = tmp_path / "index.py"
    script.write_text(textwrap.dedent(program))
    driver = subprocess.Popen(
        [sys.executable, script], stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    while not (fleet / "parts" / "000002").exists():
        assert driver.poll() is None
        time.sleep(0.02)
    os.killpg(driver.pid, signal.SIGINT)
    _, told = driver.communicate(timeout=60)
    assert driver.returncode == 130
    assert told.startswith("lanescope: interrupted; ")
    assert told.endswith(f" traces are in {fleet}, and the same command goes on from there\n")
    kept = int(told.split()[2])
    assert 6 <= kept < 30
    done = subprocess.run(
        [sys.executable, "-m", "lanescope", "fleet", "index", runs, "-o", fleet, "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    answer = json.loads(done.stdout)
    assert (answer["unchanged"], answer["good"]) == (kept, 30)
