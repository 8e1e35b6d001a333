"""`lanescope view`: a page in a file, or a server that ends with Ctrl-C."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from tests.formats.simpler.runs import read, today
from tests.jobs.slow_job import slow_job
from tests.viewer.traces import small

import lanescope
from lanescope.cli import main
from lanescope.trace.run_parts import run_name


@pytest.fixture
def stored(tmp_path: Path) -> str:
    lanescope.save(small(), tmp_path / "a.lanes")
    return str(tmp_path / "a.lanes")


def test_a_page_is_written_whole(
    stored: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "a.html"
    assert main(["view", stored, "--html", str(file)]) == 0
    said = capsys.readouterr().out
    assert said.startswith(f"{file}: 116 slices on 9 lanes, 24 edges, ")
    assert file.read_text().rstrip().endswith("</html>")
    assert list(tmp_path.glob(".a.html*")) == []


def test_json_tells_what_is_in_it(
    stored: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "a.html"
    assert main(["view", stored, stored, "--html", str(file), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said == {
        "schema": "urn:lanescope:view-page:1",
        "output": str(file),
        "traces": 2,
        "slices": 232,
        "lanes": 18,
        "edges": 48,
        "bytes": file.stat().st_size,
    }


def test_runs_are_shown_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace = read(tmp_path / "two", records=today())
    lanescope.save(trace, tmp_path / "two.lanes")
    named = ["view", str(tmp_path / "two.lanes"), "--by-run", "--html", str(tmp_path / "p.html")]
    assert main([*named, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["traces"] == 2
    page = (tmp_path / "p.html").read_text()
    names = [f"{trace.meta.name} {run_name(trace, row)}" for row in range(2)]
    assert f"<title>{names[0]} and {names[1]} · lanescope</title>" in page
    assert lanescope.view(trace, by_run=True).summary.traces == 2


def test_one_run_is_not_shown_apart(stored: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["view", stored, "--by-run", "--html", "x.html"]) == 2
    assert capsys.readouterr().err.endswith("has one run; leave out --by-run\n")


def test_only_a_part_is_shown_when_asked(
    stored: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--core", "0,1", "--function", "softmax", "--html", str(tmp_path / "b.html")]
    assert main(["view", stored, *options, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["edges"] == 2


def test_a_missing_trace_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["view", str(tmp_path / "no.lanes"), "--html", str(tmp_path / "a.html")]) == 1
    assert "no such trace" in capsys.readouterr().err
    assert not (tmp_path / "a.html").exists()


def test_the_server_says_where_it_is_and_stops(stored: str) -> None:
    command = [sys.executable, "-m", "lanescope", "view", stored, "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        try:
            url = json.loads(running.stdout.readline())["url"]
            assert url.startswith("http://127.0.0.1:")
            browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
            with browser.open(url, timeout=10) as answer:
                assert b"<title>small" in answer.read()
            running.send_signal(signal.SIGINT)
            assert running.wait(timeout=10) == 0
            assert running.stderr.read() == b""
        finally:
            running.kill()


def test_a_wrong_port_is_one_sentence(stored: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["view", stored, "--port", "99999"]) == 2
    assert "port 99999 cannot be used" in capsys.readouterr().err


def test_a_job_is_shown_on_a_page_of_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    job, file = slow_job(tmp_path), tmp_path / "job.html"
    assert main(["view", str(job), "--rank", "1-2", "--html", str(file), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["traces"], said["slices"], said["lanes"]) == (2, 24, 4)
    assert b"<title>slow \xc2\xb7 lanescope" in file.read_bytes()


def test_a_job_is_cut_by_its_own_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    job, file = slow_job(tmp_path), tmp_path / "job.html"
    options = ["--since", "20ms", "--until", "29.9ms", "--json", "--html", str(file)]
    assert main(["view", str(job), *options]) == 0
    assert json.loads(capsys.readouterr().out)["slices"] == 8


def test_a_damaged_rank_is_left_out_and_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    job, file = slow_job(tmp_path), tmp_path / "job.html"
    (job / "rank3.lanes" / "tasks.parquet").write_bytes(b"PAR1 no more")
    assert main(["view", str(job), "--html", str(file)]) == 1
    said = capsys.readouterr().out
    assert said.endswith("1 trace could not be read; the page's notes say why\n")
    assert main(["view", str(job), "--html", str(file), "--json", "--force"]) == 1
    figures = json.loads(capsys.readouterr().out)
    assert (figures["traces"], figures["unread"]) == (3, 1)


def test_a_job_and_a_trace_are_not_shown_together(
    stored: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    job = slow_job(tmp_path)
    assert main(["view", stored, str(job), "--html", str(tmp_path / "a.html")]) == 2
    said = capsys.readouterr().err
    assert f"{job} is a job of many ranks, which has a page of its own: name it alone" in said
    assert not (tmp_path / "a.html").exists()


def test_a_rank_that_a_job_does_not_have_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    job = slow_job(tmp_path)
    assert main(["view", str(job), "--rank", "7", "--html", str(tmp_path / "a.html")]) == 2
    said = capsys.readouterr().err
    assert said == "lanescope: job slow has no rank 7; it has 4 of 4 ranks, from 0 to 3\n"
