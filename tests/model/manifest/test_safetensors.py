"""Headers of safetensors: the order of their data, and what is refused."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import pytest
from tests.model.manifest import files

from lanescope.errors import InputError
from lanescope.model.manifest.safetensors import is_safetensors, read_index, read_safetensors
from lanescope.model.manifest.tensors import FileTensor


def written(folder: Path, header: dict[str, Any], data: int) -> Path:
    text = json.dumps(header).encode()
    (folder / "m.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + bytes(data))
    return folder / "m.safetensors"


def entry(begin: int, end: int, *shape: int, dtype: str = "F16") -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "data_offsets": (begin, end)}


def test_tensors_come_in_the_order_of_their_data(tmp_path: Path) -> None:
    file = written(tmp_path, {"a": entry(4, 8, 2), "b": entry(0, 4, 2)}, 8)
    found = read_safetensors(file)
    source = "m.safetensors: data_offsets"
    assert found.tensors == (FileTensor("b", 4, source), FileTensor("a", 4, source))
    assert found.notes == ()


def test_a_file_that_is_cut_short_says_by_how_much(tmp_path: Path) -> None:
    header = {"a": entry(4, 2004, 1000), "b": entry(0, 4, 2)}
    assert read_safetensors(written(tmp_path, header, 2003)).notes == (
        "m.safetensors is cut short by 1 bytes",
    )
    assert read_safetensors(written(tmp_path, header, 2005)).notes == ()
    assert read_safetensors(written(tmp_path, {}, 0)).tensors == ()


@pytest.mark.parametrize(
    ("tensor", "problem"),
    [
        (entry(8, 4, 2), "tensor 'a': expected data_offsets in order and a shape"),
        (entry(-4, 0, 2), "tensor 'a': expected data_offsets in order and a shape"),
        (entry(0, 4, -2), "tensor 'a': expected data_offsets in order and a shape"),
        (entry(0, 2, *[1] * 17), "tensor 'a': expected data_offsets in order and a shape"),
        (entry(0, 5, 2), "tensor 'a': expected 4 bytes for F16 [2], found data of 5"),
    ],
)
def test_a_tensor_that_cannot_be_is_refused(
    tensor: dict[str, Any], problem: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as caught:
        read_safetensors(written(tmp_path, {"a": tensor}, 8))
    assert caught.value.problem == problem


def test_a_tensor_may_be_empty_have_sixteen_axes_or_a_dtype_that_is_not_known(
    tmp_path: Path,
) -> None:
    some = {"a": entry(0, 0, 0), "b": entry(0, 2, *[1] * 16), "c": entry(2, 5, 7, dtype="X")}
    assert [one.size_bytes for one in read_safetensors(written(tmp_path, some, 5)).tensors] == [
        *(0, 2, 3),
    ]


@pytest.mark.parametrize(
    ("head", "is_one"),
    [
        (struct.pack("<Q", (1 << 27) - 1) + b"{", True),
        (struct.pack("<Q", 1 << 27) + b"{", False),
        (struct.pack("<Q", 2) + b"[", False),
        (struct.pack("<Q", 2), False),
    ],
)
def test_a_length_and_a_brace_begin_a_file(head: bytes, is_one: bool) -> None:
    assert is_safetensors(head) == is_one


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (struct.pack("<Q", 1) + b"{}", "expected a header of 2 to 100,000,000 bytes, found 1"),
        (
            struct.pack("<Q", 100_000_001) + b"{}",
            "expected a header of 2 to 100,000,000 bytes, found 100,000,001",
        ),
        (struct.pack("<Q", 3) + b"{}", "expected a header of 3 bytes, found 2"),
    ],
)
def test_a_header_of_another_length_is_refused(
    content: bytes, problem: str, tmp_path: Path
) -> None:
    (tmp_path / "m.safetensors").write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_safetensors(tmp_path / "m.safetensors")
    assert caught.value.problem == problem


def test_files_of_an_index_are_read_once_and_by_name(tmp_path: Path) -> None:
    files.safetensors(tmp_path / "a.safetensors", {"w": ("F16", [2], 4), "x": ("F16", [1], 2)})
    files.safetensors(tmp_path / "b.safetensors", {"v": ("F16", [3], 6)})
    index = tmp_path / "model.safetensors.index.json"
    shards = {"v": "b.safetensors", "w": "a.safetensors", "x": "a.safetensors"}
    index.write_text(json.dumps({"weight_map": shards}))
    assert [one.name for one in read_index(index).tensors] == ["w", "x", "v"]


@pytest.mark.parametrize(
    ("shards", "problem"),
    [
        ({"w": "../a"}, "expected shards beside the index, found '../a'"),
        ({"w": "a"}, "expected the shard 'a' beside it, found none"),
        (
            {str(n): str(n) for n in range(4097)},
            "expected at most 4,096 shards, found 4,097",
        ),
        ({str(n): str(n) for n in range(4096)}, "expected the shard '0' beside it, found none"),
    ],
)
def test_an_index_names_files_beside_it(
    shards: dict[str, str], problem: str, tmp_path: Path
) -> None:
    index = tmp_path / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": shards}))
    with pytest.raises(InputError) as caught:
        read_index(index)
    assert caught.value.problem == problem
