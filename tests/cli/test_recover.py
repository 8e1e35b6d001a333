"""`lanescope recover` as a user calls it: the trace, what was found, and tensors beside it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from lanescope.cli import main
from lanescope.cli import recover as command

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
