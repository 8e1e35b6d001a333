"""lanescope.toml: where it is found, what it may say, and what goes before it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.ground import SMALL

from lanescope.cli import main

Output = pytest.CaptureFixture[str]
EVERY = {"QK", "SOFTMAX", "PV", "UPDATE", "MERGE_CUBE", "MERGE_VECTOR"}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in a repository."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "work" / "deep").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "work" / "deep")
    return tmp_path


def functions(words: list[str], capsys: Output) -> set[str]:
    assert main(["report", str(SMALL), "--json", *words]) == 0
    return {row["name"] for row in json.loads(capsys.readouterr().out)["functions"]["rows"]}


@pytest.mark.parametrize(
    ("name", "table"),
    [("lanescope.toml", "[report]"), ("pyproject.toml", "[tool.lanescope.report]")],
)
def test_a_default_of_a_folder_above_is_taken(
    name: str, table: str, here: Path, capsys: Output
) -> None:
    assert functions([], capsys) == EVERY
    (here / name).write_text(f'{table}\nfunction = ["QK", "PV"]\n')
    assert functions([], capsys) == {"QK", "PV"}


def test_an_option_that_is_written_goes_before_it(here: Path, capsys: Output) -> None:
    (here / "lanescope.toml").write_text('[report]\nfunction = ["QK", "PV"]\nquiet = true\n')
    assert functions(["--function", "SOFTMAX"], capsys) == {"SOFTMAX"}


def test_an_option_that_a_command_needs_may_come_from_it(here: Path, capsys: Output) -> None:
    (here / "lanescope.toml").write_text('[export]\nto = "csv"\n[fleet.trend]\norder = "commit"\n')
    assert main(["export", str(SMALL)]) == 0
    assert Path("small_run-csv").is_dir()


def test_the_nearest_file_counts_and_a_repository_ends_the_search(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    (here / "lanescope.toml").write_text('[report]\nfunction = "QK"\n')
    (here / "work" / "lanescope.toml").write_text('[report]\nfunction = "PV"\n')
    (here / "work" / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert functions([], capsys) == {"PV"}
    (here / "work" / "deep" / ".git").mkdir()
    assert functions([], capsys) == EVERY
    monkeypatch.setenv("HOME", str(here / "work"))
    (here / "work" / "deep" / ".git").rmdir()
    (here / "work" / "lanescope.toml").unlink()
    assert functions([], capsys) == EVERY


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[report\n", "expected TOML with a table per command, found: "),
        ("[reprot]\n", "[reprot] is no command of lanescope; did you mean report?"),
        ("report = 3\n", "expected a table [report], found 3; write the option below it"),
        (
            '[report]\nsinse = "1ms"\n',
            "report.sinse is no option that a file may set; did you mean",
        ),
        ("[report]\nsince = true\n", "report.since: expected text or a number, found true"),
        ('[report]\nsince = "soon"\n', "report.since: expected a time like 1.5ms or 200us, found"),
        ('[report]\ngraph = "yes"\n', "report.graph: expected true or false, found 'yes'"),
        ("[report]\nfunction = [[1]]\n", "report.function: expected text or a number, found [1]"),
        ('[report]\nrun = ["1", "2"]\n', "report.run: expected text or a number, found ['1', '2']"),
        ("[report]\nforce = true\n", "report.force is no option that a file may set"),
    ],
)
def test_a_wrong_file_is_a_sentence_with_its_name(
    text: str, sentence: str, here: Path, capsys: Output
) -> None:
    (here / "lanescope.toml").write_text(text)
    for words in (["report", str(SMALL)], ["config"]):
        assert main(words) == 2
        said = capsys.readouterr()
        assert (said.out, said.err.count("\n")) == ("", 1)
        assert said.err.startswith(f"lanescope: {here}/lanescope.toml: {sentence}")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('[export]\nto = "perfeto"\n', "export.to: expected one of perfetto, chrome, simpler, csv"),
        ("[bench]\nrounds = 1.5\n", "bench.rounds: expected a whole number, found 1.5"),
        ('[probe]\ndevice = "x.py"\n', "probe.device is no option that a file may set"),
        ('[fleet.index]\ncluster = "x"\n', "fleet.index.cluster is no option that a file may set"),
        ('[agent]\nlisten = "0.0.0.0:1"\n', "agent.listen is no option that a file may set"),
        ('[collect]\nconnect = "a:1"\n', "collect.connect is no option that a file may set"),
        ('[agent]\ntoken-file = "x"\n', "agent.token-file is no option that a file may set"),
        ('[run]\nworkload = "chain"\n', "run.workload is no option that a file may set"),
    ],
)
def test_config_checks_every_command(text: str, sentence: str, here: Path, capsys: Output) -> None:
    (here / "lanescope.toml").write_text(text)
    assert main(["config"]) == 2
    assert sentence in capsys.readouterr().err
    assert main(["report", str(SMALL), "--quiet"]) == 0


def test_config_shows_what_is_in_force_and_where_it_is(here: Path, capsys: Output) -> None:
    assert main(["config"]) == 0
    assert (
        "no lanescope.toml and no [tool.lanescope] in a pyproject.toml" in capsys.readouterr().out
    )
    (here / "lanescope.toml").write_text('[report]\nsince = "1us"\n[fleet.trend]\nby = ["host"]\n')
    assert main(["config"]) == 0
    assert capsys.readouterr().out == (
        f"{here}/lanescope.toml\n  report --since '1us'\n  fleet trend --by ['host']\n"
    )
    assert main(["config", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["defaults"][0] == {"command": "report", "option": "since", "value": "1us"}


def test_help_answers_also_where_the_file_is_wrong(here: Path, capsys: Output) -> None:
    (here / "lanescope.toml").write_text("[report]\nsince = true\n")
    with pytest.raises(SystemExit) as stop:
        main(["report", "--help"])
    assert stop.value.code == 0


def test_a_folder_that_is_gone_has_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert main(["workloads"]) == 0
