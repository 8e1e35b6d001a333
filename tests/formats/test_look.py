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


@pytest.mark.parametrize(("first", "found"), [(0, True), (1 << 20, True), ((1 << 20) - 1, True)])
def test_a_text_is_found_at_the_borders_of_the_blocks(
    tmp_path: Path, first: int, found: bool
) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x" * first + b"n")
    assert FileLook(path).holds(b"n") is found
    assert FileLook(path).size == first + 1


def test_a_head_is_4096_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b" " * 4095 + b"ab")
    assert (FileLook(path).head, FileLook(path).start) == (b" " * 4095 + b"a", b"a")


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ('{"a": 1} \r\n{"b": 2}', "lines"),
        ('{"a": 1}\n[2]', "object"),
        ('{"a":\n{"b": 2}}', "object"),
        ('{"a": 1}\n', "object"),
        ("  x", "other"),
        ('"text"', "other"),
    ],
)
def test_lines_are_objects_that_end_where_their_line_ends(
    tmp_path: Path, text: str, shape: str
) -> None:
    path = tmp_path / "a"
    path.write_bytes(text.encode())
    assert FileLook(path).shape == shape


def test_why_a_file_that_claims_to_be_an_object_is_none_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"a": ')
    found = FileLook(path)
    assert found.problem is None
    assert (found.json, found.json) == (None, None)
    assert str(found.problem) == (
        f"{path}: is not valid JSON: it ends too early, cut off while it was written or copied "
        "(line 1, byte 6)"
    )


def test_a_file_that_claims_no_object_is_not_opened(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("[1")
    found = FileLook(path)
    assert (found.json, found.problem) == (None, None)
