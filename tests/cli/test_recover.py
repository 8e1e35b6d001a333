"""`lanescope recover` as a user calls it: the trace, what was found, and tensors beside it."""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import lanescope
from lanescope.cli import main
from lanescope.cli import recover as command
from lanescope.errors import UsageError

Output = pytest.CaptureFixture[str]


@pytest.fixture
def capture(ground: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(ground / "run.capture", tmp_path / "run.capture"))


def test_tensors_beside_a_whole_trace_are_told_and_not_of_a_part(
    capture: Path, tmp_path: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A part has only some of the tasks, whose tensors are not looked for."""
    asked: list[Any] = []

    def beside(stored: Any) -> tuple[str, str]:
        asked.append(stored)
        return "a", "b"

    monkeypatch.setattr(command.dump, "beside", beside)
    monkeypatch.setattr(command.dump, "sentence", lambda *found: f"tensors {found}")
    assert main(["recover", str(capture), "-o", str(tmp_path / "whole.lanes")]) == 0
    assert "\ntensors ('a', 'b')\n" in capsys.readouterr().out
    assert main(["recover", str(capture), "--since", "0", "-o", str(tmp_path / "part.lanes")]) == 0
    assert "('a', 'b')" not in capsys.readouterr().out
    assert len(asked) == 1


def test_without_tensors_nothing_is_said_of_them(
    capture: Path, tmp_path: Path, capsys: Output
) -> None:
    assert main(["recover", str(capture), "-o", str(tmp_path / "whole.lanes")]) == 0
    first, second, *_ = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{tmp_path / 'whole.lanes'}  level 4: 4 tasks, ")
    assert second.endswith(f" of them from the region; {capture} was left as it is")


def asked_for(output: Path | None, directory: Path, *, force: bool = False) -> argparse.Namespace:
    return argparse.Namespace(output=output, directory=directory, force=force)


def test_a_trace_goes_beside_the_capture_or_where_it_was_asked_for(tmp_path: Path) -> None:
    here = tmp_path / "run.capture"
    (tmp_path / "other").mkdir()
    for output, ending, path in (
        (None, "", tmp_path / "run.lanes"),
        (None, ".0003", tmp_path / "run.lanes"),
        (tmp_path / "other", "-7", tmp_path / "other" / "run.lanes"),
        (tmp_path / "mine.lanes", "", tmp_path / "mine.lanes"),
        (tmp_path / "mine.lanes", "-7.0003", tmp_path / "mine-7.0003.lanes"),
    ):
        chosen = command._chosen(asked_for(output, here), "run", ending)
        assert (chosen.path, chosen.taken) == (path, None)


def test_a_name_that_came_meanwhile_is_refused_and_one_with_an_ending_is_numbered(
    tmp_path: Path,
) -> None:
    for name in ("mine", "mine-7"):
        (tmp_path / f"{name}.lanes").touch()
    asked = asked_for(tmp_path / "mine.lanes", tmp_path / "run.capture")
    with pytest.raises(UsageError, match=r"mine\.lanes is there already and was left alone"):
        command._chosen(asked, "run", "")
    chosen = command._chosen(asked, "run", "-7")
    assert chosen == (tmp_path / "mine-7-2.lanes", tmp_path / "mine-7.lanes")
    asked.force = True
    assert command._chosen(asked, "run", "-7") == (tmp_path / "mine-7.lanes", None)


def test_a_name_that_is_taken_is_refused_before_anything_is_read(
    tmp_path: Path, capsys: Output
) -> None:
    (tmp_path / "mine.lanes").mkdir()
    (tmp_path / "mine.lanes" / "meta.json").touch()
    assert main(["recover", "nowhere", "-o", str(tmp_path / "mine.lanes")]) == 2
    assert capsys.readouterr().err == (
        f"lanescope: {tmp_path}/mine.lanes is there already and was left alone; add --force to "
        "replace it, or name another place\n"
    )


def test_every_process_is_recovered_and_what_is_wrong_is_told_in_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    asked: list[tuple[str, str]] = []

    def recovering(_args: Any, directory: Path, suffix: str) -> list[str]:
        asked.append((directory.name, suffix))
        return [f"{directory.name} is torn"] if suffix else []

    monkeypatch.setattr(command, "_recover", recovering)
    assert main(["recover", str(tmp_path)]) == 0
    (tmp_path / "7-a").mkdir()
    (tmp_path / "7-a" / "region").touch()
    assert main(["recover", str(tmp_path)]) == 0
    (tmp_path / "8-a").mkdir()
    (tmp_path / "8-a" / "spool").touch()
    assert main(["recover", str(tmp_path)]) == 1
    assert asked == [(tmp_path.name, ""), ("7-a", ""), ("7-a", "-7"), ("8-a", "-8")]
    assert capsys.readouterr().err == "lanescope: 7-a is torn; 8-a is torn\n"


@pytest.mark.parametrize(("stored", "ending"), [(None, ""), (0, ".0001"), (11, ".0012")])
def test_a_part_has_the_number_after_those_that_were_stored(
    stored: int | None, ending: str
) -> None:
    before = None if stored is None else SimpleNamespace(stored=stored)
    found: Any = SimpleNamespace(before=before)
    assert command._part_ending(found) == ending


def test_what_is_missing_is_listed_and_told_by_the_exit_code(
    capture: Path, tmp_path: Path, capsys: Output
) -> None:
    spool = capture / "spool"
    spool.write_bytes(spool.read_bytes() + b"\x5a" * 64)
    code = main(["recover", str(capture), "-o", str(tmp_path / "a.lanes"), "--json"])
    told = json.loads(capsys.readouterr().out)
    assert (told["trace"], told["name"]) == (str(tmp_path / "a.lanes"), "chain")
    assert code == (1 if told["unknown_lanes"] else 0)
    assert len(told["problems"]) == 1
    assert main(["recover", str(capture), "-o", str(tmp_path / "b.lanes")]) == code
    lines = capsys.readouterr().out.splitlines()
    assert lines[2:] == [f"  {told['problems'][0]}"]
    trace = lanescope.load(tmp_path / "b.lanes")
    assert (trace.meta.name, trace.meta.notes[-1]) == ("chain", told["notes"][-1])
