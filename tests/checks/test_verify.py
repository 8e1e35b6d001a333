"""Stored traces and spools that are verified, and the lines that are said of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyarrow.fs import LocalFileSystem, SubTreeFileSystem
from tests.analyze.hand import make_trace, task

from lanescope.capture.spool import FrameKind, SpoolWriter
from lanescope.checks.verify import Verified, VerifiedFile, verify
from lanescope.errors import InputError
from lanescope.trace import save


def spool(path: Path, *payloads: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    writer = SpoolWriter(path)
    for payload in payloads:
        writer.append(FrameKind.BUFFERS, payload)
    writer.close()
    return path


def test_a_whole_trace_is_one_line_and_every_damaged_file_is_a_line() -> None:
    files = (VerifiedFile("a", ""), VerifiedFile("b", "is\nbroken"), VerifiedFile("c", "is gone"))
    whole, damaged = Verified("x", files[:1]), Verified("x", files)
    assert (whole.whole, whole.text()) == (True, "x: all 1 files are as they were written\n")
    assert not damaged.whole
    first, second = damaged.text().splitlines()
    assert first.startswith("x: b is") and second == "x: c is gone"
    assert damaged.text().endswith("\n")


def test_every_file_of_a_trace_is_named_and_the_changed_one_told(tmp_path: Path) -> None:
    stored = tmp_path / "a.lanes"
    save(make_trace(tasks=[task(0, 1, 2, 3, 4, 5)]), stored)
    names = sorted(path.name for path in stored.iterdir() if path.name != "checksums.json")
    assert [file.name for file in verify(stored).files] == names
    (stored / "tasks.parquet").write_bytes(b"no table")
    found = verify(stored)
    assert found.path == str(stored)
    assert [file.name for file in found.files if file.problem] == ["tasks.parquet"]


def test_the_spools_of_every_process_are_verified(tmp_path: Path) -> None:
    folder = tmp_path / "a.capture"
    spool(folder / "spool", b"x" * 8)
    spool(folder / "spool-0002", b"y" * 16)
    spool(folder / "7-ab" / "spool", b"y" * 16)
    names = ("spool", "spool-0002", "7-ab/spool")
    assert verify(folder) == Verified(str(folder), tuple(VerifiedFile(name, "") for name in names))


def test_bytes_that_are_no_frame_are_counted_place_by_place(tmp_path: Path) -> None:
    """Three frames of 40 bytes, of which the first and the last are cut in their payloads."""
    path = spool(tmp_path / "a.capture" / "spool", b"x" * 8, b"y" * 8, b"z" * 8)
    data = bytearray(path.read_bytes())
    assert len(data) == 8 + 3 * 40
    for at in (8 + 35, 8 + 80 + 35):
        data[at] ^= 1
    path.write_bytes(data)
    [file] = verify(tmp_path / "a.capture").files
    begin, _, rest = file.problem.partition(" (the first at byte 8: ")
    assert begin == "has 80 bytes that are no frame, in 2 places"
    assert rest.endswith("); 1 frame is whole, 'lanescope recover' reads what is whole")


def test_what_is_neither_trace_nor_capture_is_refused_in_one_sentence(tmp_path: Path) -> None:
    def refusal(path: Path) -> str:
        with pytest.raises(InputError) as caught:
            verify(path)
        return caught.value.problem

    (tmp_path / "file").touch()
    assert refusal(tmp_path / "file") == "is no trace and no capture; both are directories"
    assert refusal(tmp_path / "none") == "is no trace and no capture; both are directories"
    assert refusal(tmp_path) == "is no trace (no meta.json) and no capture (no spool)"


def test_a_trace_in_another_file_system_is_verified_there(tmp_path: Path) -> None:
    system = SubTreeFileSystem(str(tmp_path), LocalFileSystem())
    with pytest.raises(InputError) as caught:
        verify((system, "a.lanes"))
    assert caught.value.problem == "is no trace (no meta.json)"
    save(make_trace(), tmp_path / "a.lanes")
    assert verify((system, "a.lanes")).whole
