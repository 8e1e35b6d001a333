"""Files that are written whole or not at all, and what killed writers leave."""

from __future__ import annotations

import gzip
import os
import signal
from pathlib import Path
from threading import Event
from typing import BinaryIO, cast

import pyarrow as pa
import pytest

from lanescope.errors import OutputError
from lanescope.formats.output import WriteBehind, atomic_output


def test_what_a_killed_writer_left_is_swept_and_a_living_ones_is_not(tmp_path: Path) -> None:
    target = tmp_path / "out.json"
    child = os.fork()
    if not child:
        with atomic_output(target) as stream:
            stream.write(b"half")
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    [left] = tmp_path.iterdir()
    with atomic_output(target) as mine:
        assert not left.exists()
        mine.write(b"mine")
        with atomic_output(target) as other:
            other.write(b"other")
        assert target.read_bytes() == b"other"
    assert target.read_bytes() == b"mine"
    assert list(tmp_path.iterdir()) == [target]


def put(path: Path, data: bytes) -> None:
    with atomic_output(path) as stream:
        stream.write(data)


def refused(path: Path) -> str:
    with pytest.raises(OutputError) as caught:
        put(path, b"x")
    return str(caught.value)


def test_folders_above_a_file_are_made(tmp_path: Path) -> None:
    put(tmp_path / "a" / "b" / "c.txt", b"x")
    assert (tmp_path / "a" / "b" / "c.txt").read_bytes() == b"x"


def test_a_name_says_how_a_file_is_packed_and_the_bytes_are_always_the_same(tmp_path: Path) -> None:
    for name in ("a.gz", "b.gz", "a.zst", "a.txt"):
        put(tmp_path / name, b"content" * 99)
    packed = (tmp_path / "a.gz").read_bytes()
    assert packed == (tmp_path / "b.gz").read_bytes()
    assert packed[3:8] == b"\0\0\0\0\0"  # neither a name nor a time
    assert gzip.decompress(packed) == b"content" * 99
    with pa.CompressedInputStream(str(tmp_path / "a.zst"), "zstd") as stream:
        assert stream.read() == b"content" * 99
    assert (tmp_path / "a.txt").read_bytes() == b"content" * 99


def test_what_fails_while_it_is_written_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(ValueError, match="mine"), atomic_output(path) as stream:
        stream.write(b"new")
        raise ValueError("mine")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_place_that_is_no_file_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("x")
    os.mkfifo(tmp_path / "pipe")
    assert refused(tmp_path / "folder") == (
        f"{tmp_path / 'folder'} is a directory, so no file can be written there; choose another "
        "place with -o"
    )
    assert refused(tmp_path / "pipe") == (
        f"{tmp_path / 'pipe'} is no regular file, so it was left alone; choose another place "
        "with -o"
    )
    for below in ("file/a.txt", "file/b/a.txt"):
        assert refused(tmp_path / below) == (
            f"{tmp_path / below} could not be written (Not a directory); free some space or "
            "choose another place with -o"
        )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder", "pipe"]


class Blocks:
    """A stream that keeps what is written; it fails at b"bad"."""

    def __init__(self) -> None:
        self.taken: list[bytes] = []

    def write(self, block: bytes) -> int:
        if block == b"bad":
            raise OSError("full")
        self.taken.append(bytes(block))
        return len(block)


def test_blocks_are_written_in_order_by_the_end_of_the_with_block() -> None:
    stream = Blocks()
    with WriteBehind(cast(BinaryIO, stream)) as behind:
        for number in range(9):
            behind.write(b"%d" % number)
    assert stream.taken == [b"%d" % number for number in range(9)]


def test_an_error_of_a_write_comes_with_the_next_one_or_at_the_end() -> None:
    stream = Blocks()
    with WriteBehind(cast(BinaryIO, stream)) as behind:
        behind.write(b"bad")
        with pytest.raises(OSError, match="full"):
            behind.write(b"next")
    assert stream.taken == []
    with pytest.raises(OSError, match="full"), WriteBehind(cast(BinaryIO, stream)) as behind:
        behind.write(b"bad")


def test_an_error_of_the_caller_is_not_covered_by_one_of_a_write() -> None:
    with pytest.raises(ValueError, match="mine"), WriteBehind(cast(BinaryIO, Blocks())) as behind:
        behind.write(b"bad")
        raise ValueError("mine")


def test_the_caller_goes_on_while_a_block_is_written() -> None:
    went_on = Event()

    class Waits(Blocks):
        def write(self, block: bytes) -> int:
            assert went_on.wait(5)
            return super().write(block)

    stream = Waits()
    with WriteBehind(cast(BinaryIO, stream)) as behind:
        behind.write(b"a")
        went_on.set()
    assert stream.taken == [b"a"]
