"""docs/commands.md: its exit codes are what commands return, and its files are what they take."""

from __future__ import annotations

import re
import shutil
from importlib import import_module
from pathlib import Path

import pytest
from tests.cli.ground import SMALL, TINY, make_ground
from tests.pages import page, require_links_lead_somewhere

from lanescope.cli import COMMANDS, main

Output = pytest.CaptureFixture[str]
PAGE = page("commands.md")


def rows(title: str) -> dict[str, str]:
    """The table below a line that ends in a title: first cell to second."""
    table = PAGE.partition(f"| {title} |")[2].partition("\n\n")[0]
    return dict(re.findall(r"^\| (\S+) \| (.+) \|$", table, re.MULTILINE))


ENDS_WITH_1 = {
    "collect": ["collect", "--", "false"],
    "import": ["import", "broken", "-o", "out.job"],
    "check": ["check", "broken"],
    "verify": ["verify", "broken.lanes"],
    "report": ["report", "broken.job"],
    "ranks": ["ranks", "broken.job", "--workers", "0"],
    "view": ["view", "broken.job", "--html", "a.html"],
    "export": ["export", "part.lanes", "--to", "csv", "-o", "part"],
    "diff": ["diff", "run.lanes", "other.lanes", "--fail-if", "makespan>+1%"],
    "fleet": ["fleet", "index", "broken.job", "-o", "new", "--workers", "0"],
    "probe": ["probe", "--no-wrap", "--set", "kind=aiv"],
    "boards": ["boards", "check", "nexys_a7"],
}
"""A call per command that ends with 1 for the reason that the page names."""
SHOWN_ELSEWHERE = {
    "run": "tests/capture/test_join.py::test_a_ledger_that_does_not_close_is_seen",
    "what-if": "tests/cli/test_what_if.py::test_a_replay_that_is_far_off_predicts_only_if_asked",
    "recover": "tests/capture/test_wrecked.py::"
    "test_a_head_that_is_gone_at_the_end_is_not_nothing_lost",
    "completion": "tests/cli/test_completion.py::test_without_its_package_it_says_what_to_install",
}
"""Commands whose 1 another test shows."""


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = make_ground(tmp_path_factory.mktemp("ground"))
    shutil.copytree(folder / "slow.job", folder / "broken.job")
    (folder / "broken.job" / "rank3.lanes" / "tasks.parquet").write_bytes(b"PAR1 no more")
    shutil.copytree(folder / "broken.job" / "rank3.lanes", folder / "broken.lanes")
    shutil.copytree(folder / "other.lanes", folder / "part.lanes")
    (folder / "part.lanes" / "marks.parquet").unlink()
    for name in ("whole", "cut"):
        shutil.copytree(SMALL, folder / "broken" / name)
    (folder / "broken" / "cut" / "chip_swimlane_records.json").write_text("{")
    return folder


def test_every_command_has_a_row() -> None:
    assert list(rows("command | 1 where")) == list(COMMANDS)
    with_reason = {name for name, why in rows("command | 1 where").items() if why != "–"}
    assert with_reason == ENDS_WITH_1.keys() | SHOWN_ELSEWHERE.keys()
    assert list(rows("code | when")) == ["0", "1", "2", "130"]


def test_tests_that_show_a_1_exist() -> None:
    for name in SHOWN_ELSEWHERE.values():
        file, _, test = name.partition("::")
        assert f"def {test}(" in (Path(__file__).parents[1] / file).read_text(), name


@pytest.mark.parametrize("command", ENDS_WITH_1)
def test_a_problem_ends_with_1(
    command: str, ground: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    monkeypatch.chdir(ground)
    assert main(ENDS_WITH_1[command]) == 1
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("command", COMMANDS)
def test_a_wrong_call_ends_with_2_and_an_interrupt_with_130(
    command: str, ground: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    words = [command, "report", "x"] if command == "fleet" else [command]
    with pytest.raises(SystemExit) as stop:
        main([*words, "--no-such-option"])
    assert stop.value.code == 2

    def interrupted(_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(import_module(f"lanescope.cli.{COMMANDS[command]}"), "run", interrupted)
    needed = {
        "run": ["chain"],
        "agent": ["--region", "x"],
        "export": ["x", "--to", "csv"],
        "fleet": ["report", "x"],
        "predict": ["x"],
        "fit": ["x", "--board", "v80"],
        "completion": ["bash"],
    }
    takes_none = ("bench", "workloads", "platforms", "boards", "probe", "config")
    more = needed.get(command, [] if command in takes_none else ["x"])
    capsys.readouterr()
    assert main([command, *more]) == 130
    assert capsys.readouterr().err == "lanescope: interrupted; nothing was left half-written\n"


def test_its_file_of_defaults_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    monkeypatch.chdir(tmp_path)
    (block,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    Path("lanescope.toml").write_text(block)
    assert main(["config"]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == [
        "  report --since '1ms'",
        "  report --function ['QK', 'PV']",
        "  bench --platform 'threads'",
        "  fleet trend --order 'commit'",
    ]


def test_the_commands_that_take_a_part_are_named() -> None:
    from tests.cli.test_options import parsers

    takes = [name for name, parser in parsers() if "--since" in parser._option_string_actions]
    sentence = PAGE.partition("## A part of a trace\n\n")[2].partition(" take ")[0]
    assert sorted(re.findall(r"`([\w-]+)`", sentence)) == sorted(takes)


def test_the_readmes_first_command_can_be_called_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        assert main(["run", "matmul_add", *TINY, "--quiet"]) == 0


def test_its_links_lead_somewhere() -> None:
    require_links_lead_somewhere(PAGE)
