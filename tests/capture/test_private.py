"""A capture belongs to its user alone, and reading one waits for nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.capture.runs import graph, recorded

from lanescope.capture import SessionNote, recover
from lanescope.capture.directory import write_note


def test_only_its_user_may_read_a_capture(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        recorded(tmp_path / "run.capture", graph(tasks=3), protocol="staging")
    finally:
        os.umask(before)
    capture = tmp_path / "run.capture"
    assert capture.stat().st_mode & 0o777 == 0o700
    modes = {path.name: path.stat().st_mode & 0o777 for path in capture.iterdir()}
    del modes["plan.lanes"]
    assert modes == {"region": 0o600, "spool": 0o600, "session.json": 0o600}


def test_a_note_is_not_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "session.json").symlink_to(tmp_path / "other")
    with pytest.raises(FileExistsError):
        write_note(tmp_path, SessionNote("run"))
    assert not (tmp_path / "other").exists()


def test_pipes_in_the_place_of_files_are_not_waited_for(tmp_path: Path) -> None:
    capture = tmp_path / "run.capture"
    recorded(capture, graph(tasks=3))
    for name in ("session.json", "region"):
        (capture / name).unlink()
        os.mkfifo(capture / name)
    assert len(recover(capture).trace.tasks) == 3
