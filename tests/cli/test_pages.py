"""Pages that commands print: tables on a terminal, plain text elsewhere, nothing with --quiet."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from lanescope.cli import main, report
from lanescope.render.page import Section

Output = pytest.CaptureFixture[str]
PAGE = [Section(title="A", facts=(("one", "1"),))]
PLAIN = "A\n  one  1\n"


class Found:
    """An answer that is printed as it was asked for."""

    def __init__(self, *, good: bool = True) -> None:
        self.good = good
        self.job = SimpleNamespace(unread=() if good else ("rank 1",))

    def sections(self) -> list[Section]:
        return PAGE

    def text(self) -> str:
        return PLAIN

    def to_dict(self) -> dict[str, Any]:
        return {"good": self.good}


class Checked(Found):
    """What a check found."""

    @property
    def nothing_lost(self) -> bool:
        """Whether `lanescope check` has nothing to say."""
        return self.good


class Verified(Found):
    """What a comparison with what was written found."""

    @property
    def whole(self) -> bool:
        """Whether `lanescope verify` has nothing to say."""
        return self.good


@pytest.fixture(params=[False, True], ids=["elsewhere", "on a terminal"])
def drawn(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """What is printed of one page: that of a terminal is told by a word of its own."""
    if not request.param:
        return PLAIN
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr(
        "lanescope.render.terminal.render_terminal", lambda page, console: print("drawn", len(page))
    )
    return "drawn 1\n"


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The labels that were shown while paths were checked; `bad` has lost something."""
    labels: list[str] = []

    class Working:
        def __init__(self, label: str) -> None:
            labels.append(label)

        def __enter__(self) -> None:
            """Begins."""

        def __exit__(self, *_: object) -> None:
            """Ends."""

    monkeypatch.setattr("lanescope.render.progress.working", Working)
    monkeypatch.setattr(
        "lanescope.checks.check.check", lambda path: Checked(good=path.name != "bad")
    )
    return labels


def test_checks_are_printed_with_a_line_between_them(
    drawn: str, checks: list[str], capsys: Output
) -> None:
    assert main(["check", "a", "b"]) == 0
    assert capsys.readouterr().out == f"{drawn}\n{drawn}"
    assert checks == ["checking 1 of 2", "checking 2 of 2"]


@pytest.mark.parametrize("command", ["check", "verify"])
def test_one_that_is_not_whole_is_told_by_the_exit_code(
    command: str, checks: list[str], monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    monkeypatch.setattr("lanescope.checks.verify.verify", lambda path: Verified(good=path != "bad"))
    assert main([command, "a", "bad"]) == 1
    assert main([command, "bad", "a"]) == 1
    capsys.readouterr()
    assert main([command, "a", "b", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == [{"good": True}, {"good": True}]
    assert main([command, "a", "bad", "--json"]) == 1
    assert json.loads(capsys.readouterr().out) == [{"good": True}, {"good": False}]
    assert main([command, "a", "b"]) == 0
    assert capsys.readouterr().out == PLAIN + "\n" * (command == "check") + PLAIN


def test_a_quiet_check_is_only_an_exit_code(checks: list[str], capsys: Output) -> None:
    assert [main(["check", "a", "--quiet"]), main(["check", "bad", "--quiet"])] == [0, 1]
    assert capsys.readouterr().out == ""


def test_a_report_is_drawn_on_a_terminal(drawn: str, capsys: Output) -> None:
    report._print(PAGE)
    assert capsys.readouterr().out == drawn


def jobs(monkeypatch: pytest.MonkeyPatch, *, good: bool = True) -> list[Any]:
    asked: list[Any] = []

    def of_job(job: str, **more: Any) -> Found:
        asked.append((job, more))
        return Found(good=good)

    monkeypatch.setattr("lanescope.facade.jobs.ranks", of_job)
    monkeypatch.setattr("lanescope.jobs.plots.job_plots", lambda found: {"a.svg": "<a>"})
    return asked


def test_a_job_is_printed_and_its_pictures_are_named(
    drawn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    monkeypatch.chdir(tmp_path)
    asked = jobs(monkeypatch)
    assert main(["ranks", "a.job"]) == 0
    assert capsys.readouterr().out == drawn
    more = ["--replay", "--cluster", "local", "--workers", "3"]
    assert main(["ranks", "a.job", "--plots", "out", *more]) == 0
    assert capsys.readouterr().out == f"{drawn}\nPictures: out/a.svg\n"
    assert Path("out/a.svg").read_text() == "<a>"
    assert main(["ranks", "a.job", "--plots", "out", "--force", "--quiet"]) == 0
    assert capsys.readouterr().out == "\nPictures: out/a.svg\n"
    assert main(["ranks", "a.job", "--quiet", "--replay", "job"]) == 0
    assert capsys.readouterr().out == ""
    usual = {"replay": None, "cluster": None, "workers": None}
    assert asked == [
        ("a.job", usual),
        ("a.job", {"replay": "peers", "cluster": "local", "workers": 3}),
        ("a.job", usual),
        ("a.job", {**usual, "replay": "job"}),
    ]


def test_a_job_as_json_names_its_pictures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    monkeypatch.chdir(tmp_path)
    jobs(monkeypatch, good=False)
    told = {"schema": "urn:lanescope:ranks:1", "good": False}
    assert main(["ranks", "a.job", "--json"]) == 1
    assert json.loads(capsys.readouterr().out) == told
    assert main(["ranks", "a.job", "--json", "--plots", "out"]) == 1
    assert json.loads(capsys.readouterr().out) == {**told, "plots": ["out/a.svg"]}


def test_pictures_are_not_replaced_unasked_and_force_needs_some(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    monkeypatch.chdir(tmp_path)
    asked = jobs(monkeypatch)
    for command in ("ranks", "report"):
        assert main([command, "a.job", "--force"]) == 2
        assert capsys.readouterr().err == (
            "lanescope: --force replaces what --plots DIR names; add that, or leave it out\n"
        )
        assert main([command, "a.job", "--plots", "none/deep"]) == 2
        assert "expected a folder none to write into" in capsys.readouterr().err
    assert asked == []
    Path("out").mkdir()
    Path("out/a.svg").touch()
    assert main(["ranks", "a.job", "--plots", "out"]) == 2
    assert "out/a.svg is there already and was left alone" in capsys.readouterr().err
    assert Path("out/a.svg").read_text() == ""
