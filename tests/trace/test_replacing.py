"""A directory in the place of another, and what killed writers left beside it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from lanescope.errors import OutputError
from lanescope.trace import replacing
from lanescope.trace.replacing import (
    draft_path,
    make_parents,
    new_directory,
    remove_directory,
    replace_directory,
    sweep,
)


def write(folder: Path) -> None:
    (folder / "new").write_text("new")


def names(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir())


@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o755), (0o027, 0o750), (0, 0o777)])
def test_a_directory_has_the_permissions_that_others_get(
    mask: int, mode: int, tmp_path: Path
) -> None:
    before = os.umask(mask)
    try:
        made = replace_directory(tmp_path / "a", write)
        assert os.umask(mask) == mask
    finally:
        os.umask(before)
    assert made == tmp_path / "a"
    assert stat.S_IMODE(made.stat().st_mode) == mode


def test_what_killed_writers_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "a"
    for folder in (target, draft_path(target), tmp_path / ".b.draft-x", tmp_path / "a.draft-x"):
        folder.mkdir()
        write(folder)
    draft_path(target).write_text("")
    (tmp_path / ".a.draft-x.old").mkdir()
    (tmp_path / ".a.draft-x.old" / "old").write_text("")
    sweep(target)
    assert names(tmp_path) == [".b.draft-x", "a", "a.draft-x"]
    assert names(target) == ["new"]


def test_the_old_directory_gets_its_name_back_where_the_new_one_has_it_not(tmp_path: Path) -> None:
    target = tmp_path / "a"
    (tmp_path / ".a.draft-x.old").mkdir()
    write(tmp_path / ".a.draft-x.old")
    (tmp_path / ".a.draft-y").mkdir()
    sweep(target)
    assert names(tmp_path) == ["a"]
    assert names(target) == ["new"]


def test_a_draft_without_a_name_is_no_directory(tmp_path: Path) -> None:
    """It was not whole: only an old one is put back."""
    (tmp_path / ".a.draft-x").mkdir()
    sweep(tmp_path / "a")
    assert names(tmp_path) == []


def test_a_directory_is_removed_with_all_that_is_in_it(tmp_path: Path) -> None:
    replace_directory(tmp_path / "a", write)
    remove_directory(tmp_path / "a")
    assert names(tmp_path) == []


def test_a_new_directory_never_takes_the_place_of_another(tmp_path: Path) -> None:
    new_directory(tmp_path / "a", write)
    with pytest.raises(OutputError, match="could not be written"):
        new_directory(tmp_path / "a", write)
    assert names(tmp_path) == ["a"]


def test_folders_above_are_made_from_the_outermost_on(tmp_path: Path) -> None:
    make_parents(tmp_path / "a" / "b" / "c")
    assert names(tmp_path / "a") == ["b"]
    assert names(tmp_path / "a" / "b") == []


@pytest.mark.parametrize("swaps", [True, False])
def test_where_the_disk_does_not_keep_the_new_name_the_old_directory_has_it(
    swaps: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = replace_directory(tmp_path / "a", lambda folder: (folder / "old").touch())
    if not swaps:
        monkeypatch.setattr(replacing, "_exchange", lambda *_: False)
    real = replacing.sync

    def failing(path: Path) -> None:
        if path == tmp_path:
            raise OSError(28, "No space left")
        real(path)

    monkeypatch.setattr(replacing, "sync", failing)
    with pytest.raises(OutputError, match="No space left"):
        replace_directory(target, write)
    assert names(tmp_path) == ["a"]
    assert names(target) == ["old"]
    with pytest.raises(OutputError, match="No space left"):
        replace_directory(tmp_path / "b", write)
    assert names(tmp_path) == ["a"]
