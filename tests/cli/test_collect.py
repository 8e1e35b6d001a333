"""`lanescope collect` on programs made by hand: what is asked, stored, removed, refused."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.analyze.hand import entry, make_trace
from tests.cli.made_process import MadeProcess

from lanescope.capture.collect import CollectedRun
from lanescope.capture.rotation import Rotation
from lanescope.cli import collect, main
from lanescope.errors import LanescopeError, OutputError
from lanescope.trace import load, save

Output = pytest.CaptureFixture[str]


class Program:
    """Stands in for `lanescope.capture.collect.collect`: how it ends, and what it recorded."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.processes: tuple[MadeProcess, ...] = ()
        self.refused: tuple[str, ...] = ()
        self.exit_code, self.timed_out = 0, False

    def collect(self, command: list[str], **asked: Any) -> CollectedRun:
        self.asked.append({"command": command, **asked})
        for process in self.processes:
            process.begin(asked["directory"])
        processes: Any = self.processes
        return CollectedRun(self.exit_code, processes, self.refused, self.timed_out)


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    made = Program()
    made.processes = (MadeProcess("", "7-a"),)
    monkeypatch.setattr("lanescope.capture.collect.collect", made.collect)
    monkeypatch.chdir(tmp_path)
    return made


def left() -> list[str]:
    return sorted(path.name for path in Path().iterdir())


def test_a_program_is_run_and_its_trace_has_its_name(program: Program, capsys: Output) -> None:
    assert main(["collect", "--", "bin/mine.sh", "--its", "options"]) == 0
    (asked,) = program.asked
    assert asked["command"] == ["bin/mine.sh", "--its", "options"]
    assert (asked["directory"], asked["note"].name) == (Path("mine.capture"), "mine")
    assert (asked["call"].chip_swimlane, asked["call"].on_full) == (4, "block")
    assert (asked["rotation"], asked["plan"], asked["time_limit_s"]) == (None, None, None)
    assert left() == ["mine.lanes"]
    assert capsys.readouterr() == ("mine.lanes  level 0: 1 task, 1 core\n", "")


def test_options_of_the_recording_arrive(program: Program, capsys: Output) -> None:
    words = ["--chip-swimlane=2", "--on-full", "drop", "--name", "a/b", "--time-limit", "2min"]
    assert main(["collect", *words, "--json", "mine"]) == 0
    (asked,) = program.asked
    assert (asked["note"].name, asked["time_limit_s"]) == ("a/b", 120.0)
    assert (asked["call"].chip_swimlane, asked["call"].on_full) == (2, "drop")
    told = json.loads(capsys.readouterr().out)
    assert (told["trace"], told["exit_code"], told["timed_out"]) == ("a_b.lanes", 0, False)
    assert left() == ["a_b.lanes"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], f"expected a program to run after --, as in: {collect.EXAMPLE}"),
        (["--"], f"expected a program to run after --, as in: {collect.EXAMPLE}"),
        (["--chip-swimlane=0", "--", "x"], "level 0 records nothing; start the program by itself "),
        (
            ["--quota", "1GB", "--", "x"],
            "--quota deletes parts of a recording; cut it into parts with --rotate\n",
        ),
        (
            ["--one-trace", "--rotate", "1min", "--", "x"],
            "--one-trace takes no --rotate and no --dump-tensors\n",
        ),
        (
            ["--one-trace", "--dump-tensors=all", "--", "x"],
            "--one-trace takes no --rotate and no --dump-tensors\n",
        ),
        (
            ["--token-file", "f", "--", "x"],
            "--token-file is for --connect, which collects from an agent\n",
        ),
    ],
)
def test_what_does_not_go_together_is_refused_before_a_program_runs(
    words: list[str], sentence: str, program: Program, capsys: Output
) -> None:
    assert main(["collect", *words]) == 2
    assert capsys.readouterr().err.startswith(f"lanescope: {sentence}")
    assert (program.asked, left()) == ([], [])


@pytest.mark.parametrize(
    "words",
    [
        ["--", "x"],
        ["--rotate", "1min"],
        ["--quota", "1GB"],
        ["--time-limit", "1s"],
        ["--one-trace"],
        ["--view"],
    ],
)
def test_an_agents_program_is_not_ours_to_run_or_cut(words: list[str], capsys: Output) -> None:
    assert main(["collect", "--connect", "127.0.0.1:1", *words]) == 2
    assert capsys.readouterr().err == (
        "lanescope: --connect takes no program, no --rotate, no --quota, no --time-limit, no "
        "--one-trace and no --view\n"
    )


def test_what_an_agent_gave_is_stored_and_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    process = MadeProcess("", "")
    asked: list[Any] = []

    def collected(args: Any, directory: Path, name: str) -> MadeProcess:
        asked.append((args.connect, directory, name))
        process.directory = directory
        directory.mkdir()
        return process

    monkeypatch.setattr("lanescope.cli.connected.collected", collected)
    monkeypatch.chdir(tmp_path)
    assert main(["collect", "--connect", "far:1"]) == 0
    assert capsys.readouterr().out == "agent.lanes  level 0: 1 task, 1 core\n"
    process.session.error = LanescopeError("the bus is gone")
    assert main(["collect", "--connect", "far:1", "--name", "mine", "--json"]) == 1
    said = capsys.readouterr()
    assert said.err == "lanescope: capturing stopped early: the bus is gone\n"
    assert not {"exit_code", "timed_out"} & json.loads(said.out).keys()
    assert asked == [
        ("far:1", Path("agent.capture"), "agent"),
        ("far:1", Path("mine.capture"), "mine"),
    ]
    assert main(["collect", "--connect", "far:1"]) == 1
    assert capsys.readouterr().out.endswith(
        "\nagent.lanes is there already, so this is agent-2.lanes; --force replaces\n"
    )
    process.session.error, process.unfinished = None, "It was interrupted."
    assert main(["collect", "--connect", "far:1", "-o", "b.lanes"]) == 130
    assert capsys.readouterr().out == "b.lanes  level 0: 1 task, 1 core\nIt was interrupted.\n"


@pytest.mark.parametrize(
    ("exit_code", "timed_out", "sentence"),
    [
        (3, False, "x ended with exit code 3"),
        (1, False, "x ended with exit code 1"),
        (-9, False, "x ended with signal 9"),
        (0, True, "x was asked to end after its time limit of 1.5 s"),
        (-15, True, "x was asked to end after its time limit of 1.5 s"),
    ],
)
def test_a_program_that_ends_badly_is_told_and_its_trace_is_stored(
    exit_code: int, timed_out: bool, sentence: str, program: Program, capsys: Output
) -> None:
    program.exit_code, program.timed_out = exit_code, timed_out
    limit = ["--time-limit", "1.5s", "--json"]
    assert main(["collect", *limit, "-o", "a.lanes", "--", "x"]) == 1
    said = capsys.readouterr()
    told = json.loads(said.out)
    assert (told["exit_code"], told["timed_out"]) == (exit_code, timed_out)
    assert said.err == f"lanescope: {sentence}; what it recorded is in a.lanes\n"
    assert left() == ["a.lanes"]


def test_of_several_processes_each_has_a_trace_or_all_have_one(
    program: Program, capsys: Output
) -> None:
    program.exit_code = 3
    program.processes = (MadeProcess("-7", "7-a"), MadeProcess("-8", "8-a"))
    assert main(["collect", "-o", "a.lanes", "--", "x"]) == 1
    assert left() == ["a-7.lanes", "a-8.lanes"]
    assert capsys.readouterr().err == (
        f"lanescope: x ended with exit code 3; what it recorded is in {Path.cwd()}\n"
    )
    assert main(["collect", "--one-trace", "-o", "a.lanes", "--", "x"]) == 1
    assert capsys.readouterr().err == (
        "lanescope: x ended with exit code 3; what it recorded is in a.lanes\n"
    )
    assert left() == ["a-7.lanes", "a-8.lanes", "a.lanes"]
    assert load("a.lanes").cores["process"].tolist() == [7, 8]
    program.exit_code = 0
    assert main(["collect", "-o", "a.lanes", "--force", "--", "x"]) == 0
    assert left() == ["a-7.lanes", "a-8.lanes", "a.lanes"]


def test_one_process_is_its_own_trace_also_where_all_should_be_one(
    program: Program, capsys: Output
) -> None:
    assert main(["collect", "--one-trace", "-o", "a.lanes", "--", "x"]) == 0
    assert (left(), load("a.lanes").cores["process"].tolist()) == (["a.lanes"], [7])


def test_regions_that_could_not_be_drained_are_told_and_the_capture_stays(
    program: Program, capsys: Output
) -> None:
    program.refused = ("region b is old",)
    assert main(["collect", "-o", "a.lanes", "--", "x"]) == 1
    assert capsys.readouterr().err == "lanescope: region b is old\n"
    assert left() == ["a.capture", "a.lanes"]


def test_a_capture_whose_ledger_does_not_close_is_kept(program: Program, capsys: Output) -> None:
    program.processes[0].trace = make_trace({"ledger": (entry("core 0", 3, 1),)})
    assert main(["collect", "-o", "a.lanes", "--", "x"]) == 1
    assert left() == ["a.capture", "a.lanes"]
    assert capsys.readouterr().err == (
        "lanescope: the ledger does not close: core 0: 3 core_task records were made, but 1 "
        "delivered, 0 dropped and 0 unmatched do not add up to that; what was recorded is in "
        "a.capture/7-a, 'lanescope recover' makes a trace of it\n"
    )


def test_edges_that_cannot_be_joined_are_told_and_the_trace_is_stored(
    program: Program, capsys: Output
) -> None:
    assert main(["collect", "--deps", "deps.json", "-o", "a.lanes", "--", "x"]) == 1
    assert capsys.readouterr().err == (
        "lanescope: the program did not write deps.json, so there are no edges from it\n"
    )
    assert left() == ["a.lanes"]
    assert program.asked[0]["call"].deps == str(Path("deps.json").absolute())


@pytest.mark.parametrize(
    ("words", "rotation"),
    [
        (["--rotate", "10min"], (600.0, None, None)),
        (["--rotate", "2kB", "--quota", "1MB"], (None, 2000, 1_000_000)),
    ],
)
def test_a_recording_is_cut_by_time_or_size(
    words: list[str], rotation: tuple[Any, Any, Any], program: Program, tmp_path: Path
) -> None:
    assert main(["collect", *words, "-o", "a.lanes", "--", "x"]) == 0
    assert program.asked[0]["rotation"] == Rotation(tmp_path / "a.lanes", *rotation)


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ([], (["a.lanes"], "a.lanes")),
        (["--rotate", "1min"], ([], "the folder")),
    ],
)
def test_the_page_shows_what_was_stored_in_the_end(
    words: list[str],
    shown: tuple[list[str], str],
    program: Program,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[Any] = []

    class View:
        def __init__(self, *_: Any) -> None:
            """Begins."""

        def __enter__(self) -> View:
            return self

        def __exit__(self, *_: object) -> None:
            told.append("close")

        def stored(self, traces: list[Path], where: Path) -> None:
            place = "the folder" if where == Path.cwd() else str(where)
            told.append(([str(path) for path in traces], place))

        def stay(self) -> None:
            told.append("stay")

    asked: list[Any] = []
    monkeypatch.setattr(collect.live, "viewing", lambda args, *words: asked.append(words) or View())
    assert main(["collect", *words, "-o", "a.lanes", "--", "x"]) == 0
    assert (asked, told) == ([(Path("a.capture"), "x")], [shown, "stay", "close"])
    program.exit_code = 1
    assert main(["collect", *words, "-o", "a.lanes", "--force", "--", "x"]) == 1
    assert told[3:] == [shown, "close"]


@pytest.mark.parametrize(
    ("there", "taken"),
    [
        ([], False),
        (["a.0001.lanes"], True),
        (["a.0017.lanes"], True),
        (["a.x001.lanes", "a..lanes", "ab.0001.lanes", "a.0001"], False),
    ],
)
@pytest.mark.parametrize("output", [".", "a.lanes"])
def test_parts_of_an_earlier_recording_are_not_mixed_with_new_ones(
    output: str, there: list[str], taken: bool, program: Program, capsys: Output
) -> None:
    for name in there:
        Path(name).touch()
    words = ["collect", "--rotate", "1min", "--name", "a", "-o", output, "--", "x"]
    if output == "a.lanes":
        assert main(words) == (2 if taken else 0)
        assert ("is there already and was left alone" in capsys.readouterr().err) == taken
    else:
        assert main(words) == 0
        note = (
            f"{there[0]} is there already, so this is a-2.lanes; --force replaces" if taken else ""
        )
        assert capsys.readouterr().out.splitlines()[1:] == [note] * taken


def test_parts_are_looked_for_under_the_name_itself_and_only_in_a_folder(tmp_path: Path) -> None:
    for name in ("[a].0002.lanes", "a.0003.lanes"):
        (tmp_path / name).touch()
    assert collect._part_endings("[a]", tmp_path) == (".0001.lanes", ".0002.lanes")
    assert collect._part_endings("x", tmp_path / "a.lanes") == (".0001.lanes", ".0003.lanes")
    assert collect._part_endings("a", tmp_path / "a.0003.lanes") == (".0001.lanes",)
    assert collect._part_endings("a", tmp_path / "none") == (".0001.lanes",)


def test_tensors_of_an_earlier_recording_are_not_mixed_with_new_ones(
    program: Program, capsys: Output
) -> None:
    Path("x.tensors").touch()
    assert main(["collect", "--dump-tensors=outputs", "--", "x"]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == [
        "x.tensors is there already, so this is x-2.lanes; --force replaces",
        "--dump-tensors was asked for, but the program recorded nothing of it",
    ]


def test_a_trace_that_cannot_be_stored_does_not_keep_the_others(
    program: Program, capsys: Output
) -> None:
    first, second = MadeProcess("-7", "7-a"), MadeProcess("-8", "8-a")
    first.fails = OutputError("the disk is full")
    program.processes = (first, second)
    assert main(["collect", "-o", "a.lanes", "--", "x"]) == 1
    assert left() == ["a-8.lanes", "a.capture"]
    assert capsys.readouterr().err == (
        "lanescope: the disk is full; what was recorded is in a.capture/7-a, 'lanescope recover' "
        "makes a trace of it\n"
    )


def test_parts_are_told_and_those_that_were_deleted_are_not(
    program: Program, tmp_path: Path, capsys: Output
) -> None:
    process = program.processes[0]
    process.rotator = SimpleNamespace(problems=["a part is lost"])
    process.parts_at = [tmp_path / "a.0001.lanes", tmp_path / "a.0002.lanes"]
    save(process.trace, tmp_path / "a.0002.lanes")
    assert main(["collect", "--rotate", "1min", "--name", "b", "--", "x"]) == 1
    said = capsys.readouterr()
    assert said.out == f"{tmp_path}/a.0002.lanes  level 0: 1 task, 1 core\n"
    assert said.err == (
        "lanescope: a part is lost; what was recorded is in b.capture/7-a, 'lanescope recover' "
        "makes a trace of it\n"
    )


def test_one_trace_of_all_says_what_is_wrong_with_each(program: Program, capsys: Output) -> None:
    first, second = MadeProcess("-7", "7-a"), MadeProcess("-8", "8-a")
    program.processes = (first, second)
    words = ["collect", "--one-trace", "-o", "a.lanes", "--name", "all", "--", "x"]
    second.session.error = LanescopeError("the bus is gone")
    assert main(words) == 1
    assert capsys.readouterr().err == "lanescope: capturing stopped early: the bus is gone\n"
    assert load("a.lanes").meta.name == "all"
    assert left() == ["a.lanes"]
    second.session.error = None
    first.trace = first.trace.with_meta(ledger=(entry("core 0", 3, 1),))
    assert main([*words[:1], "--force", *words[1:]]) == 1
    assert capsys.readouterr().err.endswith(
        "do not add up to that; what was recorded is in a.capture, 'lanescope recover' makes a "
        "trace of it\n"
    )
    assert sorted(path.name for path in Path("a.capture").iterdir()) == ["7-a", "8-a"]
