"""GGUF headers by hand: bytes of every type, every kind of value, and what no file has."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from tests.model.manifest import files

from lanescope.errors import InputError
from lanescope.model.manifest.gguf import read_gguf

# Bytes of a block as the sum of its parts, in the order of ggml's structs: scales of 2 or 4 bytes,
# then what the elements have each.
BLOCKS_OF_32 = {
    2: 2 + 16,
    3: 2 + 2 + 16,
    6: 2 + 4 + 16,
    7: 2 + 2 + 4 + 16,
    8: 2 + 32,
    9: 4 + 4 + 32,
    20: 2 + 16,
    39: 1 + 16,
}
BLOCKS_OF_256 = {
    10: 16 + 64 + 2 + 2,
    11: 32 + 64 + 12 + 2,
    12: 2 + 2 + 12 + 128,
    13: 2 + 2 + 12 + 32 + 128,
    14: 128 + 64 + 16 + 2,
    15: 4 + 256 + 32,
    16: 2 + 64,
    17: 2 + 64 + 8,
    18: 2 + 64 + 32,
    19: 2 + 32 + 16,
    21: 2 + 64 + 32 + 8 + 4,
    22: 2 + 64 + 16,
    23: 2 + 2 + 4 + 128,
    29: 32 + 16 + 8,
    34: 2 + 4 + 48,
    35: 2 + 64,
}
PLAIN = {0: 4, 1: 2, 24: 1, 25: 2, 26: 4, 27: 8, 28: 8, 30: 2}


def size_of(folder: Path, kind: int, elements: int) -> int:
    file = files.gguf(folder / "m.gguf", {}, [("a", [elements], kind, 0)])
    (tensor,) = read_gguf(file).contents.tensors
    assert tensor.size_source == f"m.gguf: dims × type {kind}"
    return tensor.size_bytes


@pytest.mark.parametrize(
    ("per_block", "kinds"), [(1, PLAIN), (32, BLOCKS_OF_32), (256, BLOCKS_OF_256)]
)
def test_every_type_has_the_bytes_of_its_blocks(
    tmp_path: Path, per_block: int, kinds: dict[int, int]
) -> None:
    for kind, size in kinds.items():
        assert size_of(tmp_path, kind, 3 * per_block) == 3 * size, kind
        assert size_of(tmp_path, kind, 3 * per_block + 1) == 4 * size, kind


def header(*, version: int = 3, tensors: int = 1, keys: bytes = b"", count: int = 0) -> bytes:
    """A header with so many keys, and a tensor of one float."""
    name = struct.pack("<Q", 1) + b"a"
    tensor = name + struct.pack("<IQIQ", 1, 1, 0, 0)
    return b"GGUF" + struct.pack("<IQQ", version, tensors, count) + keys + tensor


def key(name: bytes, kind: int, value: bytes) -> bytes:
    return struct.pack("<Q", len(name)) + name + struct.pack("<I", kind) + value


def test_every_kind_of_value_is_read_to_its_end(tmp_path: Path) -> None:
    forms = {
        0: "B",
        1: "b",
        2: "H",
        3: "h",
        4: "I",
        5: "i",
        6: "f",
        7: "?",
        10: "Q",
        11: "q",
        12: "d",
    }
    keys = b"".join(
        key(b"k%d" % kind, kind, struct.pack("<" + form, 1)) for kind, form in forms.items()
    )
    keys += key(b"text", 8, struct.pack("<Q", 2) + b"hi")
    keys += key(b"texts", 9, struct.pack("<IQ", 8, 1) + struct.pack("<Q", 3) + b"abc")
    keys += key(b"numbers", 9, struct.pack("<IQ", 3, 2) + struct.pack("<2h", 5, 6))
    file = tmp_path / "m.gguf"
    file.write_bytes(header(keys=keys, count=len(forms) + 3))
    found = read_gguf(file).keys
    assert {name: found[name] for name in ("text", "texts", "numbers")} == {
        "text": "hi",
        "texts": range(1),
        "numbers": range(2),
    }
    assert [found[f"k{kind}"] for kind in forms] == [1] * len(forms)


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (header(version=1), "version 1 (2 and 3 are read) near byte 8"),
        (header(version=4), "version 4 (2 and 3 are read) near byte 8"),
        (header(tensors=1_000_001), "1,000,001 tensors and 0 keys near byte 24"),
        (header(count=100_001), "1 tensors and 100,001 keys near byte 24"),
        (header(keys=key(b"a", 13, b""), count=1), "a value of unknown type 13 near byte 37"),
        (
            header(keys=key(b"a", 9, struct.pack("<IQ", 9, 1)), count=1),
            "an array of type 9 near byte 49",
        ),
        (
            header(keys=key(b"a", 9, struct.pack("<IQ", 0, 10_000_001)), count=1),
            "an array of 10,000,001 values near byte 49",
        ),
        (header(keys=struct.pack("<Q", 999), count=1), "a text of 999 bytes near byte 32"),
        (header()[:-1], "a header that is cut short near byte"),
        (
            header()[:-24] + struct.pack("<I", 9),
            "a tensor of 9 dimensions near byte",
        ),
        (
            header()[:-24] + struct.pack("<IQQIQ", 2, 1 << 28, 1 << 28, 0, 0),
            "a tensor of impossible shape near byte",
        ),
    ],
)
def test_a_header_that_no_file_has_is_one_sentence(
    tmp_path: Path, content: bytes, found: str
) -> None:
    file = tmp_path / "m.gguf"
    file.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_gguf(file)
    assert f"expected a GGUF header, found {found}" in str(caught.value)


def test_the_largest_header_that_is_read(tmp_path: Path) -> None:
    file = tmp_path / "m.gguf"
    file.write_bytes(header()[:-24] + struct.pack("<I8QIQ", 8, *[1] * 7, (1 << 56) - 1, 24, 0))
    (tensor,) = read_gguf(file).contents.tensors
    assert tensor.size_bytes == (1 << 56) - 1


@pytest.mark.parametrize(
    ("alignment", "taken"), [(32, 32), (64, 64), (1, 1), (0, 32), (1 << 20, 1 << 20), (1 << 21, 32)]
)
def test_data_begins_at_a_multiple_of_the_alignment(
    tmp_path: Path, alignment: int, taken: int
) -> None:
    """An alignment that cannot be is taken as 32."""
    file = files.gguf(tmp_path / "m.gguf", {"general.alignment": alignment}, [("a", [8], 99, 0)])
    whole = file.read_bytes()
    file.write_bytes(whole.ljust(-(-len(whole) // taken) * taken + 10, b"\0"))
    assert read_gguf(file).contents.tensors[0].size_bytes == 10


def test_an_unknown_type_behind_which_nothing_is_has_no_size(tmp_path: Path) -> None:
    file = files.gguf(tmp_path / "m.gguf", {}, [("a", [8], 99, 0), ("b", [8], 99, 0)])
    with pytest.raises(InputError, match="tensor 'a' of type 99, whose size is unknown"):
        read_gguf(file)
