"""Suggestions are worked out once for a trace and a program, and again where either changed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import lanescope
from lanescope.analyze.next_step import NextStep, NextSteps
from lanescope.cli import main
from lanescope.replay import kept_steps as keeping
from lanescope.replay import next_steps as of_cores
from lanescope.replay.kept_steps import kept_steps

STEP = NextStep("A 10 % faster", -0.1, -0.11, -0.09, True, ("what-if", "TRACE", "--scale", "A=0.9"))
FOUND = NextSteps((STEP,))


class Work:
    """Gives the same suggestions each time, and counts how often it was asked."""

    times = 0

    def __call__(self) -> NextSteps:
        self.times += 1
        return FOUND


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of kept suggestions, of this test alone."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "lanescope" / "suggestions"


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    """A stored trace, as far as keeping looks at it."""
    folder = tmp_path / "run.lanes"
    folder.mkdir()
    for name in ("checksums.json", "meta.json"):
        (folder / name).write_text(name)
    return folder


def test_what_was_worked_out_is_kept(cache: Path, stored: Path) -> None:
    work = Work()
    assert kept_steps(stored, work) == kept_steps(stored, work) == FOUND
    assert work.times == len(list(cache.iterdir())) == 1


@pytest.mark.parametrize("name", ["checksums.json", "meta.json"])
def test_another_trace_is_worked_out(cache: Path, stored: Path, name: str) -> None:
    work = Work()
    kept_steps(stored, work)
    (stored / name).write_text("another")
    kept_steps(stored, work)
    assert work.times == len(list(cache.iterdir())) == 2


def test_another_program_works_it_out_again(
    cache: Path, stored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = Work()
    kept_steps(stored, work)
    stamps = list(keeping._stamps())
    assert any("refine.py" in one for one in stamps) and any(
        "liblanescope" in one for one in stamps
    )
    monkeypatch.setattr(keeping, "_stamps", lambda: [*stamps[1:], "changed"])
    kept_steps(stored, work)
    monkeypatch.setattr(keeping, "__version__", "0.0")
    kept_steps(stored, work)
    assert work.times == 3


@pytest.mark.parametrize("content", [b"", b"{}", b'{"steps": [{"what": 1}]}', b"\xff"])
def test_a_damaged_file_is_worked_out_again(cache: Path, stored: Path, content: bytes) -> None:
    work = Work()
    kept_steps(stored, work)
    (file,) = cache.iterdir()
    file.write_bytes(content)
    assert kept_steps(stored, work) == kept_steps(stored, work) == FOUND
    assert work.times == 2


def test_the_oldest_are_forgotten(
    cache: Path, stored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "_MOST", 2)
    for age in range(4):
        (stored / "meta.json").write_text(str(age))
        before = set(cache.glob("*"))
        kept_steps(stored, Work())
        for new in set(cache.glob("*")) - before:
            os.utime(new, ns=(age, age))
    assert sorted(one.stat().st_mtime_ns for one in cache.iterdir()) == [2, 3]


def test_without_a_place_to_keep_it_is_worked_out(
    tmp_path: Path, stored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lanescope").write_text("in the way")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    work = Work()
    assert kept_steps(stored, work) == kept_steps(stored, work) == FOUND
    (stored / "checksums.json").unlink()
    assert kept_steps(stored, work) == FOUND
    assert work.times == 3


def test_the_second_page_is_the_first_without_a_replay(
    cache: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trace = str(
        lanescope.save(lanescope.run("chain", settings={"tasks": 60}), tmp_path / "a.lanes")
    )
    assert main(["report", trace]) == 0
    first = capsys.readouterr().out
    monkeypatch.delattr(of_cores, "nearest_replica")
    assert main(["report", trace]) == 0
    assert capsys.readouterr().out == first
    assert "Next: what would pay" in first


def test_run_keeps_what_its_page_says_for_the_report(
    cache: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert main(["run", "chain", "--set", "tasks=62", "-o", str(tmp_path)]) == 0
    page = capsys.readouterr().out
    monkeypatch.delattr(of_cores, "nearest_replica")
    assert main(["report", str(tmp_path / "chain.lanes")]) == 0
    again = capsys.readouterr().out
    assert again.partition("Next: what would pay")[2] == page.partition("Next: what would pay")[2]
    assert "lanescope what-if" in again
