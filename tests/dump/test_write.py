"""Writing a dump: limits, a full disk, and a dump that is there already."""

from __future__ import annotations

import errno
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lanescope.dump.manifest import STORED
from lanescope.dump.read import read_dump, read_tensors, read_totals
from lanescope.dump.write import Array, DumpFile, DumpRequest
from lanescope.errors import InputError, OutputError


def add(file: DumpFile, values: Array, **changes: Any) -> None:
    fields = {
        "task": 0,
        "functions": ("f",),
        "tensor": "x",
        "arg_index": 0,
        "role": "input",
        "stage": "before_dispatch",
        "strides": tuple(step // values.itemsize for step in values.strides),
        "start_offset": 0,
        "is_contiguous": values.flags.c_contiguous,
    }
    file.add(values, **fields | changes)


def write(folder: Path, *arrays: Array, **limits: int) -> DumpFile:
    with DumpFile(DumpRequest(folder=folder, **limits), "run") as file:  # type: ignore[arg-type]
        for values in arrays:
            add(file, values)
    return file


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i4", "u8", "f2", "f4", "f8"])
def test_every_dtype_comes_back(dtype: str, tmp_path: Path) -> None:
    values = np.arange(-3, 9).astype(dtype).reshape(3, 4)
    write(tmp_path, values)
    [found] = read_tensors(tmp_path)
    assert found.array().dtype == values.dtype
    assert np.array_equal(found.array(), values)


def test_the_manifest_says_what_is_there(tmp_path: Path) -> None:
    with DumpFile(DumpRequest(folder=tmp_path, select="f"), "run") as file:
        add(file, np.zeros((2, 3), np.float32)[:, ::2])
        add(file, np.zeros(5, np.int8), role="output", stage="after_completion", arg_index=1)
    manifest = json.loads((tmp_path / "tensors.json").read_text())
    first, second = manifest.pop("tensors")
    assert manifest == {
        "format": "lanescope tensors",
        "version": 1,
        "run": "run",
        "select": "f",
        "bin_format": {"type": "logical_contiguous", "byte_order": "little_endian"},
        "bin_file": "tensors.bin",
        "bin_bytes": 21,
        "count": 2,
        "before": 1,
        "after": 1,
        "inputs": 1,
        "outputs": 1,
        "inouts": 0,
        "truncated": 0,
        "dropped": 0,
        "tensor_limit_bytes": 1 << 20,
        "total_limit_bytes": 1 << 30,
        "problem": "",
    }
    assert first == {
        "task": 0,
        "functions": ["f"],
        "tensor": "x",
        "arg_index": 0,
        "role": "input",
        "stage": "before_dispatch",
        "kind": "tensor",
        "dtype": "float32",
        "shape": [2, 2],
        "strides": [3, 2],
        "start_offset": 0,
        "numel": 4,
        "is_contiguous": False,
        "bin_offset": 0,
        "bin_size": 16,
        "truncated": False,
    }
    assert (second["bin_offset"], second["bin_size"], second["stage"]) == (
        16,
        5,
        "after_completion",
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["tensors.bin", "tensors.json"]


@pytest.mark.parametrize(("limit", "kept"), [(0, 0), (3, 0), (4, 1), (11, 2), (23, 5)])
def test_a_long_tensor_is_cut_after_a_whole_element(limit: int, kept: int, tmp_path: Path) -> None:
    values = np.arange(12, dtype=np.float32).reshape(3, 4)[:, ::2]
    file = write(tmp_path, values, tensor_limit_bytes=limit)
    [found] = read_tensors(tmp_path)
    assert (found.truncated, found.numel, found.shape) == (True, 6, (3, 2))
    assert found.bin_size == 4 * kept == (tmp_path / "tensors.bin").stat().st_size
    assert found.elements().tolist() == [0, 2, 4, 6, 8, 10][:kept]
    assert file.totals.truncated == 1
    sentence = f"is truncated to its first {kept} of 6 elements; .elements\\(\\) has those$"
    with pytest.raises(InputError, match=sentence):
        found.array()


def test_a_tensor_of_just_the_limit_is_whole(tmp_path: Path) -> None:
    write(tmp_path, np.arange(6, dtype=np.float32), tensor_limit_bytes=24)
    [found] = read_tensors(tmp_path)
    assert not found.truncated
    assert found.array().tolist() == [0, 1, 2, 3, 4, 5]


def test_from_the_first_that_does_not_fit_all_are_dropped_and_counted(tmp_path: Path) -> None:
    small, large = np.zeros(4, np.int8), np.zeros(7, np.int8)
    file = write(tmp_path, small, large, small, total_limit_bytes=10)
    assert (file.totals.count, file.totals.dropped, file.totals.bin_bytes) == (1, 2, 4)
    assert read_dump(tmp_path).dropped == 2
    exact = write(tmp_path, small, large, total_limit_bytes=11)
    assert (exact.totals.count, exact.totals.dropped) == (2, 0)


class FullDisk:
    """Takes some bytes, then none."""

    def __init__(self, file: Any, room: int) -> None:
        self._file, self._room = file, room

    def write(self, data: memoryview) -> int:
        if not self._room:
            raise OSError(errno.ENOSPC, "No space left on device")
        taken: int = self._file.write(data[: self._room])
        self._room -= taken
        return taken

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


def test_a_full_disk_keeps_what_is_whole_and_says_so(tmp_path: Path) -> None:
    with DumpFile(DumpRequest(folder=tmp_path), "run") as file:
        file._values = FullDisk(file._values, 30)  # type: ignore[assignment]
        for number in range(4):
            add(file, np.full(3, number, np.int32))
    assert file.totals.problem == (
        f"the tensors in {tmp_path} could not all be written (No space left on device); free some "
        "space, select fewer or lower --dump-total"
    )
    found = read_dump(tmp_path)
    assert [one.array().tolist() for one in found.tensors] == [[0] * 3, [1] * 3]
    assert found.dropped == 2
    assert (tmp_path / "tensors.bin").stat().st_size == 24


def test_a_manifest_that_cannot_be_written_is_said_and_raises_nothing(tmp_path: Path) -> None:
    write(tmp_path, np.zeros(3))
    with DumpFile(DumpRequest(folder=tmp_path), "run") as file:
        add(file, np.zeros(3))
        (tmp_path / "tensors.json").unlink()
        (tmp_path / "tensors.json").mkdir()
    assert "Is a directory" in file.totals.problem


def test_a_failed_run_leaves_the_dump_before_it(tmp_path: Path) -> None:
    write(tmp_path, np.arange(3))
    with pytest.raises(KeyboardInterrupt), DumpFile(DumpRequest(folder=tmp_path), "run") as file:
        add(file, np.zeros(99))
        raise KeyboardInterrupt
    [found] = read_tensors(tmp_path)
    assert found.array().tolist() == [0, 1, 2]
    assert not list(tmp_path.glob("*.part"))


def test_a_failed_run_leaves_no_folder(tmp_path: Path) -> None:
    with (
        pytest.raises(KeyboardInterrupt),
        DumpFile(DumpRequest(folder=tmp_path / "d"), "run") as file,
    ):
        add(file, np.zeros(99))
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_is_refused_before_the_run(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(OutputError, match=r"could not be written \(.*\); choose another place with"),
        DumpFile(DumpRequest(folder=tmp_path / "file"), "run"),
    ):
        pass


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (OSError(5, "Input/output error"), "Input/output error"),
        (OSError("it is gone"), "it is gone"),
    ],
)
def test_a_place_that_fails_is_named_with_the_reason(
    error: OSError, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*given: object, **more: object) -> None:
        raise error

    monkeypatch.setattr(Path, "open", fails)
    with pytest.raises(OutputError) as found, DumpFile(DumpRequest(folder=tmp_path / "d"), "run"):
        pass
    assert str(found.value) == (
        f"{tmp_path / 'd' / 'tensors.bin.part'} could not be written ({reason}); "
        "choose another place with -o"
    )


def test_a_disk_that_fails_without_a_name_for_it_is_told_in_its_own_words(tmp_path: Path) -> None:
    with DumpFile(DumpRequest(folder=tmp_path), "run") as file:
        assert file._values is not None
        file._values.close()
        file._values = Failing()  # type: ignore[assignment]
        add(file, np.zeros(3))
    assert file.totals.problem == (
        f"the tensors in {tmp_path} could not all be written (it is gone); free some space, "
        "select fewer or lower --dump-total"
    )


class Failing:
    """A file that takes nothing."""

    def write(self, data: memoryview) -> int:
        raise OSError("it is gone")

    def truncate(self, size: int) -> None:
        raise OSError("it is gone")

    def close(self) -> None:
        pass


FACTS: dict[str, Any] = {
    "task": 7,
    "functions": ("f",),
    "arg_index": 2,
    "role": "inout",
    "stage": "after_completion",
    "dtype": "int16",
    "strides": (1,),
    "start_offset": 0,
    "is_contiguous": True,
}


def piece(*values: int) -> Array:
    return np.array(values, "<i2").view(np.uint8)


def test_tensors_may_come_in_pieces(tmp_path: Path) -> None:
    with DumpFile(DumpRequest(folder=tmp_path / "a" / "b"), "run") as file:
        for pieces in ([piece(1, 2), piece(3)], [piece(4, 5)]):
            file.begin()
            for one in pieces:
                file.append(one)
            count = sum(len(one) // 2 for one in pieces)
            file.end(shape=(count,), numel=count, **FACTS)
        file.drop(3)
        file.drop(2)
    found = read_dump(tmp_path / "a" / "b")
    assert [one.array().tolist() for one in found.tensors] == [[1, 2, 3], [4, 5]]
    assert [(one.bin_offset, one.bin_size) for one in found.tensors] == [(0, 6), (6, 4)]
    assert [(one.task, one.role, one.stage) for one in found.tensors] == [
        (7, "inout", "after_completion")
    ] * 2
    assert (found.dropped, file.totals.bin_bytes) == (5, 10)
    assert read_totals(tmp_path / "a" / "b") == file.totals


def test_a_disk_that_is_full_inside_a_tensor_leaves_out_that_tensor_and_what_follows(
    tmp_path: Path,
) -> None:
    with DumpFile(DumpRequest(folder=tmp_path), "run") as file:
        file._values = FullDisk(file._values, 6)  # type: ignore[assignment]
        for first in (1, 3, 5):
            file.begin()
            file.append(piece(first))
            file.append(piece(first + 1))
            file.end(shape=(2,), numel=2, **FACTS)
    found = read_dump(tmp_path)
    assert [one.array().tolist() for one in found.tensors] == [[1, 2]]
    assert (found.dropped, file.totals.count, file.totals.bin_bytes) == (2, 1, 4)
    assert (tmp_path / "tensors.bin").stat().st_size == 4


def test_values_are_on_the_disk_as_soon_as_they_are_added(tmp_path: Path) -> None:
    with DumpFile(DumpRequest(folder=tmp_path), "run") as file:
        add(file, np.zeros(3, np.int32))
        assert (tmp_path / "tensors.bin.part").stat().st_size == 12


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (OSError(28, "No space left on device"), "could not all be written (No space left on "),
        (OutputError("the manifest is no file"), "the manifest is no file"),
    ],
)
def test_while_the_values_are_new_there_is_no_old_manifest(
    error: Exception, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(own: DumpFile, path: Path) -> None:
        raise error

    write(tmp_path, np.zeros(3))
    monkeypatch.setattr(DumpFile, "_write_manifest", fails)
    file = write(tmp_path, np.zeros(5))
    assert sentence in file.totals.problem
    assert [path.name for path in tmp_path.iterdir()] == ["tensors.bin"]


def test_the_manifest_has_a_line_for_each_tensor(tmp_path: Path) -> None:
    write(tmp_path, np.zeros(3), np.zeros(2))
    head, first, second, end = (tmp_path / "tensors.json").read_text().splitlines()
    assert (head[-12:], end) == (',"tensors":[', "]}")
    assert (first[-2:], second[-1:]) == ("},", "}")
    write(tmp_path)
    assert (tmp_path / "tensors.json").read_text().endswith('"problem":"","tensors":[\n]}\n')


def test_every_dtype_is_stored_as_wide_as_its_name_says() -> None:
    assert STORED == {
        "bool": "u1",
        "int8": "<i1",
        "int16": "<i2",
        "int32": "<i4",
        "int64": "<i8",
        "uint8": "<u1",
        "uint16": "<u2",
        "uint32": "<u4",
        "uint64": "<u8",
        "float16": "<f2",
        "float32": "<f4",
        "float64": "<f8",
        "bfloat16": "<u2",
    }
