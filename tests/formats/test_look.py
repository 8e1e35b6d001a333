"""A look into a file: texts are found wherever they stand."""

from __future__ import annotations

import gzip
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from lanescope.formats import look
from lanescope.formats.look import FileLook


def test_a_text_is_found_also_across_the_blocks_that_are_searched(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x" * ((1 << 20) - 3) + b"needle" + b"x" * 100)
    assert FileLook(path).holds(b"needle")
    assert not FileLook(path).holds(b"needles")


def test_a_packed_file_is_searched_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"in the hay: needle"))
    assert FileLook(path).holds(b"needle")


def test_two_files_are_opened_at_the_same_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    both, opened = Barrier(2, timeout=5), look.as_object

    def meet(*words: object) -> object:
        both.wait()
        return opened(*words)  # type: ignore[arg-type]

    monkeypatch.setattr(look, "as_object", meet)
    looks = []
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_text('{"key": 1}')
        looks.append(FileLook(tmp_path / name))
    with ThreadPoolExecutor(2) as pool:
        files = list(pool.map(lambda one: one.json, looks))
    assert [list(file.values) for file in files if file is not None] == [["key"], ["key"]]
