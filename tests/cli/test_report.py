"""`lanescope report`: which page is printed, which traces are streamed, and what is refused."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.analyze.hand import make_trace, task

from lanescope.analyze.next_step import NextSteps
from lanescope.cli import main, parser_of, report
from lanescope.errors import InputError, UsageError
from lanescope.render.page import Section
from lanescope.trace import save

Output = pytest.CaptureFixture[str]
TRACE = make_trace(
    {"name": "mine"},
    cores=[{"core": 0, "name": "aic 0", "kind": "aic"}],
    functions=[{"func": 0, "name": "A"}],
    tasks=[task(0, 0, None, 10, 40, 50, task=1, func=0)],
)


@pytest.fixture
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    save(TRACE, tmp_path / "a.lanes")
    monkeypatch.chdir(tmp_path)
    return "a.lanes"


def asked(*words: str) -> argparse.Namespace:
    return parser_of("report").parse_args(["a.lanes", *words])


def test_sections_are_printed_alone_and_in_json(stored: str, capsys: Output) -> None:
    assert main(["report", stored, "--section", "functions"]) == 0
    only = capsys.readouterr().out
    assert only.startswith("Functions: ")
    assert "Verdict" not in only
    assert main(["report", stored, "--section", "functions", "--section", "losses", "--json"]) == 0
    assert json.loads(capsys.readouterr().out).keys() == {"schema", "functions", "losses"}


def test_a_section_that_is_not_there_names_those_that_are() -> None:
    answers: Any = SimpleNamespace(
        to_dict=lambda: dict.fromkeys(("report_version", "losses", "verdict"))
    )
    assert report._known(answers, ["verdict", "losses"]) == ["verdict", "losses"]
    for name, near in (("report_version", ""), ("loses", "; did you mean losses?")):
        with pytest.raises(UsageError) as found:
            report._known(answers, ["losses", name])
        assert str(found.value) == f"no section {name!r} here; there are losses, verdict{near}"


@pytest.mark.parametrize("option", ["", "--full", "--graph", "--section=verdict"])
def test_quiet_prints_no_page_of_any_kind(option: str, stored: str, capsys: Output) -> None:
    words = [option] if option else []
    assert main(["report", stored, *words, "--quiet"]) == 0
    assert capsys.readouterr().out == ""
    assert main(["report", stored, *words]) == 0
    assert capsys.readouterr().out != ""


def test_pictures_and_what_is_damaged_stand_below(stored: str, capsys: Output) -> None:
    assert main(["report", stored, "--quiet", "--plots", "out"]) == 0
    written = sorted(str(path) for path in Path("out").iterdir())
    (line,) = capsys.readouterr().out.strip().splitlines()
    assert sorted(line.removeprefix("Pictures: ").split(", ")) == written
    Path(stored, "phases.parquet").write_bytes(b"PAR1")
    assert main(["report", stored, "--quiet"]) == 1
    (note,) = capsys.readouterr().out.strip().splitlines()
    assert note.startswith("phases.parquet ")
    assert main(["report", stored, "--json", "--plots", "out", "--force"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert (sorted(told["plots"]), told["set_aside"]) == (written, [note])
    assert main(["report", stored, "--json", "--section", "losses"]) == 1
    assert json.loads(capsys.readouterr().out).keys() == {"schema", "losses", "set_aside"}


def test_whole_traces_have_nothing_else_in_json(stored: str, capsys: Output) -> None:
    assert main(["report", stored, "--json"]) == 0
    assert not {"plots", "set_aside", "graph"} & json.loads(capsys.readouterr().out).keys()


def test_advice_is_for_the_whole_trace(
    stored: str, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    asked_for: list[Any] = []

    def steps(answers: Any, trace: Any) -> NextSteps:
        asked_for.append(len(trace.tasks))
        return NextSteps((), "It is short.")

    monkeypatch.setattr("lanescope.facade.advice.steps_of", steps)
    more = "  More: lanescope report a.lanes --full, lanescope view a.lanes"
    assert main(["report", stored]) == 0
    assert capsys.readouterr().out.splitlines()[-4:] == ["", "Next", "  It is short.", more]
    assert main(["report", stored, "--core", "0"]) == 0
    assert capsys.readouterr().out.splitlines()[-3:] == ["", "Next", more]
    report.show(TRACE, "a.lanes")
    assert asked_for == [1, 1]


class Streamed:
    """A report of a trace that is too large: two sections, and one that is left out."""

    left_out = SimpleNamespace(names=("graph", "critical"))

    def to_dict(self) -> dict[str, Any]:
        return {"verdict": 1, "losses": 2}

    def sections(self, only: list[str] | None = None) -> list[Section]:
        return [Section(title=f"only {only}" if only else "all")]

    def short_sections(self) -> list[Section]:
        return [Section(title="short")]


@pytest.fixture
def streams(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What a streamed report was asked for."""
    asked_for: list[Any] = []

    def streamed(trace: str, memory: int, part: Any) -> Streamed | None:
        asked_for.append((trace, memory, part))
        if memory == 2:
            raise InputError(trace, "is torn")
        return None if memory == 1 else Streamed()

    monkeypatch.setattr("lanescope.reports.streamed.streamed_report", streamed)
    monkeypatch.setattr("lanescope.reports.memory.free_bytes", lambda: 77)
    return asked_for


def test_a_trace_that_is_too_large_is_streamed(stored: str, streams: list[Any]) -> None:
    assert isinstance(report._streamed(asked()), Streamed)
    assert isinstance(report._streamed(asked("--memory", "5B")), Streamed)
    assert report._streamed(asked("--memory", "1B")) is None
    assert report._streamed(asked("--memory", "2B")) is None
    assert isinstance(report._streamed(asked("--core", "0")), Streamed)
    assert [memory for _, memory, _ in streams] == [77, 5, 1, 2, 77]
    assert [part is None for *_, part in streams] == [True, True, True, True, False]
    assert {trace for trace, *_ in streams} == {"a.lanes"}


@pytest.mark.parametrize("words", [["--run", "0"], ["--rank", "0"], ["--rank", "0", "--core", "0"]])
def test_runs_ranks_and_other_tools_files_are_not_streamed(
    words: list[str], stored: str, streams: list[Any]
) -> None:
    assert report._streamed(asked(*words)) is None
    args = asked()
    Path("run.json").touch()
    args.trace = "run.json"
    assert report._streamed(args) is None
    assert streams == []


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (["--graph"], "--graph"),
        (["--plots", "out"], "--plots"),
        (["--plots", "out", "--graph"], "--graph"),
    ],
)
def test_what_cannot_be_streamed_is_refused(
    words: list[str], option: str, stored: str, streams: list[Any]
) -> None:
    with pytest.raises(UsageError) as found:
        report._streamed(asked(*words))
    assert str(found.value) == (
        f"a.lanes is too large for {option}; choose a part with --since, --until or --core, or "
        "allow more memory with --memory"
    )
    assert report._streamed(asked(*words, "--memory", "1B")) is None


def test_a_streamed_report_has_the_same_pages(
    stored: str, streams: list[Any], capsys: Output
) -> None:
    for words, page in (
        ([], "short\n"),
        (["--full"], "all\n"),
        (["--section", "losses"], "only ['losses']\n"),
        (["--section", "losses", "--quiet"], ""),
        (["--quiet"], ""),
    ):
        assert main(["report", stored, *words]) == 0
        assert capsys.readouterr().out == page
    schema = {"schema": "urn:lanescope:report:1"}
    assert main(["report", stored, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {**schema, "verdict": 1, "losses": 2}
    assert main(["report", stored, "--json", "--section", "losses"]) == 0
    assert json.loads(capsys.readouterr().out) == {**schema, "losses": 2}
    assert main(["report", stored, "--section", "losses", "--section", "critical"]) == 2
    assert capsys.readouterr().err == (
        "lanescope: a.lanes is too large for --section critical; choose a part with --since, "
        "--until or --core, or allow more memory with --memory\n"
    )


LEAVE = "--corrected replays the whole run; leave out --since, --until, --core and --function"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--full"], "--corrected prints its own page; leave out --full and --section"),
        (["--section", "x"], "--corrected prints its own page; leave out --full and --section"),
        (["--since", "0"], LEAVE),
        (["--until", "0"], LEAVE),
        (["--core", "0"], LEAVE),
        (["--function", "A"], LEAVE),
        (["--plots", "out"], "--corrected draws no pictures; leave out --plots"),
        (["--graph"], "--corrected lists no graph; leave out --graph"),
    ],
)
def test_a_corrected_page_is_of_the_whole_run(
    words: list[str], sentence: str, stored: str, capsys: Output
) -> None:
    assert main(["report", stored, *words, "--corrected"]) == 2
    assert capsys.readouterr().err == f"lanescope: {sentence}\n"


def test_costs_come_from_a_file_or_the_run(
    stored: str, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    costs: list[Any] = []

    def corrected(trace: Any, file: str | None) -> Any:
        costs.append((trace.meta.name, file))
        return SimpleNamespace(to_dict=lambda: {"a": 1})

    monkeypatch.setattr("lanescope.facade.replays.corrected", corrected)
    page = "lanescope.replay.correction.corrected_text.corrected_text"
    monkeypatch.setattr(page, lambda name, answer: f"page of {name}\n")
    assert main(["report", stored, "--corrected"]) == 0
    assert capsys.readouterr().out == "page of mine\n"
    assert main(["report", stored, "--corrected", "costs.json", "--quiet"]) == 0
    assert capsys.readouterr().out == ""
    assert main(["report", stored, "--corrected", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "schema": "urn:lanescope:report-corrected:1",
        "name": "mine",
        "corrected": {"a": 1},
    }
    assert costs == [("mine", None), ("mine", "costs.json"), ("mine", None)]


def test_memory_is_reused_and_threads_do_not_wait_for_nothing(
    stored: str, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    done: list[str] = []
    monkeypatch.setattr(report, "reuse_memory", lambda: done.append("reuse"))
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "2")  # so that its absence is undone in the end
    monkeypatch.delenv("OPENBLAS_NUM_THREADS")
    assert main(["report", stored, "--quiet"]) == 0
    assert (done, os.environ.get("OPENBLAS_NUM_THREADS")) == (["reuse"], "1")
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "3")
    assert main(["report", stored, "--quiet"]) == 0
    assert os.environ["OPENBLAS_NUM_THREADS"] == "3"


@pytest.mark.parametrize("unread", [(), ("rank 1",)])
def test_a_job_has_the_page_of_its_ranks(
    unread: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    found = SimpleNamespace(job=SimpleNamespace(unread=unread), text=lambda: "ranks\n")
    monkeypatch.setattr("lanescope.jobs.recognising.is_job", lambda path: path == "a.job")
    monkeypatch.setattr("lanescope.facade.jobs.ranks", lambda path: found)
    assert main(["report", "a.job"]) == bool(unread)
    assert capsys.readouterr().out == "ranks\n"


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (["--since", "0"], "since"),
        (["--until", "0"], "until"),
        (["--core", "0"], "core"),
        (["--function", "A"], "function"),
        (["--run", "0"], "run"),
        (["--rank", "0"], "rank"),
        (["--corrected"], "corrected"),
        (["--graph"], "graph"),
        (["--full"], "full"),
        (["--section", "x"], "section"),
    ],
)
def test_a_job_is_not_asked_about_one_trace(
    words: list[str], name: str, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    monkeypatch.setattr("lanescope.jobs.recognising.is_job", lambda path: True)
    assert main(["report", "a.job", *words]) == 2
    assert capsys.readouterr().err == (
        f"lanescope: a.job holds the traces of a job; --{name} asks about one trace: name one of "
        "them\n"
    )
