"""What a person types wrongly is refused in one sentence that says what there is."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest
from tests.analyze.hand import make_trace
from tests.cli.ground import SMALL
from tests.jobs.slow_job import slow_job

from lanescope.cli import main
from lanescope.platforms.execute import execute
from lanescope.platforms.recording import Recording
from lanescope.platforms.request import MachineRequest
from lanescope.trace import load, save, select
from lanescope.workloads import build_workload

Output = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("traces")
    assert main(["import", str(SMALL), "-o", f"{folder}/run.lanes"]) == 0
    (folder / "inner").mkdir()
    save(load(folder / "run.lanes"), folder / "inner" / "deep.lanes")
    return folder


def refused(words: list[str], capsys: Output) -> str:
    """The sentence; a parser ends the program itself."""
    try:
        code: object = main(words)
    except SystemExit as stop:
        code = stop.code
    said = capsys.readouterr()
    assert (code, said.out, said.err.count("\n")) == (2, "", 1)
    assert said.err.startswith("lanescope: ")
    return said.err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["view"], "expected TRACE, found nothing; see 'lanescope view --help'"),
        (["export", "a"], "expected --to, found nothing; see 'lanescope export --help'"),
        (["reprot"], "there is no command 'reprot' in 'lanescope'; did you mean report?"),
        (["fleet", "trnd"], "there is no action 'trnd' in 'lanescope fleet'; did you mean trend?"),
        (
            ["report", "a", "--sinse", "1ms"],
            "there is no option --sinse in 'lanescope report'; did you mean --since?",
        ),
        (
            ["report", "a", "--sinc=1ms"],
            "there is no option --sinc in 'lanescope report'; did you mean --since?",
        ),
        (
            ["fleet", "trend", "f", "m", "--plt"],
            "there is no option --plt in 'lanescope fleet trend'; did you mean --plot?",
        ),
        (["report", "a", "b"], "found 'b' after everything that 'lanescope report' expects; see "),
        (
            ["export", "a", "--to", "perfeto"],
            "argument --to: expected one of perfetto, chrome, simpler, csv, kanata, found "
            "'perfeto'; did you mean perfetto?",
        ),
        (["bench", "chain", "--rounds", "x"], "--rounds: expected a whole number, found 'x'; see "),
        (
            ["run", "paged-attention"],
            "or a file of your own, NAME.py; did you mean paged_attention?",
        ),
        (["run", "chain", "--set", "task=3"], "it has: tasks, spin_ns, kind; did you mean tasks?"),
        (["run", "chain", "--platform", "A5"], "or a chip's file), found 'A5'; did you mean a5?"),
        (["platforms", "a2a"], "TOML file that describes one, found 'a2a'; did you mean a2a3?"),
        (["boards", "show", "v8"], "or name a board's YAML file; did you mean v80?"),
        (["report", str(SMALL), "--function", "SOFTMX"], "; did you mean SOFTMAX?"),
        (["run", "chain", "--host-lost", "1s"], "the host of a2a3 is simulated and is never lost"),
        (["bench", "chain", "--host-lost", "1s"], "the host of a2a3 is simulated and is never"),
        (["bench", "--fit", "--levels", "0"], "on a machine of its own; leave out --levels"),
        (["export", str(SMALL), "--to", "perfetto", "--table", "x"], "--table is for csv only; "),
        (["view", str(SMALL), "--html", "x.html", "--port", "1"], "--port is for a page that is "),
        (["view", str(SMALL), "--html", "x.html", "--open"], "--open is for a page that is served"),
    ],
)
def test_a_wrong_word_is_one_sentence(words: list[str], sentence: str, capsys: Output) -> None:
    assert sentence in refused(words, capsys)


NOWHERE = [
    (["--core", "999"], "no core 999 in NAME; it has cores 0 to 11"),
    (["--since", "3ms", "--until", "1ms"], "expected --since before --until, found 3ms and 1ms"),
    (
        ["--since", "3ms"],
        "NAME has nothing in this part (time 3000000 ns to …); it has cores 0 to 11 and functions "
        "QK, SOFTMAX, PV, UPDATE, MERGE_CUBE, MERGE_VECTOR, and runs from 0ms to 0.11472ms",
    ),
    (["--core", "0", "--function", "SOFTMAX"], "NAME has nothing in this part (cores 0; functions"),
]


@pytest.mark.parametrize("command", ["report", "view", "export", "diff"])
@pytest.mark.parametrize(("limits", "sentence"), NOWHERE)
def test_a_part_with_nothing_in_it_is_refused(
    command: str,
    limits: list[str],
    sentence: str,
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Output,
) -> None:
    monkeypatch.chdir(tmp_path)
    trace = str(folder / "run.lanes")
    more = {"view": ["--html", "a.html"], "export": ["--to", "csv"], "diff": [trace]}
    said = refused([command, trace, *more.get(command, []), *limits], capsys)
    name = "run.lanes" if command == "diff" else "small_run"
    assert sentence.replace("NAME", name) in said
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("limits", "sentence"), NOWHERE)
def test_so_it_is_where_a_trace_is_too_large_for_memory(
    limits: list[str], sentence: str, folder: Path, capsys: Output
) -> None:
    trace = str(folder / "run.lanes")
    said = refused(["report", trace, "--memory", "1MB", *limits], capsys)
    assert sentence.replace("NAME", "small_run") in said


def test_a_capture_is_not_recovered_to_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    monkeypatch.chdir(tmp_path)
    graph = build_workload("chain", {"tasks": "4"})
    execute(graph, MachineRequest(), Recording(), directory=tmp_path / "run.capture")
    gc.collect()
    said = refused(["recover", "run.capture", "--core", "999"], capsys)
    assert "no core 999 in chain; it has cores 0 to 71" in said
    assert "--since before --until" in refused(
        ["recover", "run.capture", "--since", "3ms", "--until", "1ms"], capsys
    )
    said = refused(["recover", "run.capture", "--since", "9s"], capsys)
    assert "chain has nothing in this part (time 9000000000 ns" in said
    assert not list(tmp_path.glob("*.lanes"))


def test_a_job_without_anything_in_the_part_is_refused(tmp_path: Path, capsys: Output) -> None:
    job = str(slow_job(tmp_path))
    said = refused(["view", job, "--html", str(tmp_path / "a.html"), "--since", "9s"], capsys)
    assert "no rank on this page has anything in the part that is asked for (time" in said


def test_a_part_of_a_program_may_be_empty(folder: Path) -> None:
    """Who walks over a trace in windows meets empty ones."""
    assert len(select(load(folder / "run.lanes"), since="3ms").tasks) == 0


@pytest.mark.parametrize("command", ["report", "view", "export"])
def test_a_folder_of_several_traces_names_them(
    command: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    monkeypatch.chdir(folder)
    more = {"view": ["--html", "a.html"], "export": ["--to", "csv"]}.get(command, [])
    said = refused([command, ".", *more], capsys)
    assert ". holds 2 stored traces (inner/deep.lanes, run.lanes); name one" in said


def test_traces_beside_each_other_are_no_job_unless_one_says_its_rank(
    tmp_path: Path, capsys: Output
) -> None:
    for name in ("a", "b"):
        save(make_trace(), tmp_path / f"{name}.lanes")
    assert f"{tmp_path} holds 2 stored traces" in refused(["report", str(tmp_path)], capsys)
    save(make_trace({"rank": 1}), tmp_path / "b.lanes")
    assert main(["report", str(tmp_path)]) in (0, 1)
    assert capsys.readouterr().out.startswith("Job\n")


def test_a_part_of_both_sides_is_compared(folder: Path, capsys: Output) -> None:
    trace = str(folder / "run.lanes")
    assert main(["diff", trace, trace, "--json"]) == 0
    whole = capsys.readouterr().out
    assert main(["diff", trace, trace, "--json", "--function", "QK"]) == 0
    assert capsys.readouterr().out != whole
