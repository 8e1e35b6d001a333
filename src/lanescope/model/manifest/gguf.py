"""Tensor names, sizes and the model's shape from a GGUF file's header; the data is not read.

Header: magic, version, counts; then keys with typed values; then name, dims, type and offset of
every tensor. Little-endian throughout.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Sequence
from contextlib import closing
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

from lanescope.errors import InputError
from lanescope.model.manifest.tensors import FileTensor, FileTensors

MAGIC = b"GGUF"
_MOST_TENSORS = 1_000_000
_MOST_KEYS = 100_000
_MOST_ARRAY = 10_000_000
_ALIGNMENT, _MOST_ALIGNMENT = 32, 1 << 20
"""Where the data begins: at a multiple of this, unless general.alignment says so."""
_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q"}
_SCALARS[12] = "d"
_STRING, _ARRAY = 8, 9
# ggml type: elements per block, bytes per block (gguf-py constants.py, GGML_QUANT_SIZES).
_BLOCKS = {
    0: (1, 4),
    1: (1, 2),
    2: (32, 18),
    3: (32, 20),
    6: (32, 22),
    7: (32, 24),
    8: (32, 34),
    9: (32, 40),
    10: (256, 84),
    11: (256, 110),
    12: (256, 144),
    13: (256, 176),
    14: (256, 210),
    15: (256, 292),
    16: (256, 66),
    17: (256, 74),
    18: (256, 98),
    19: (256, 50),
    20: (32, 18),
    21: (256, 110),
    22: (256, 82),
    23: (256, 136),
    24: (1, 1),
    25: (1, 2),
    26: (1, 4),
    27: (1, 8),
    28: (1, 8),
    29: (256, 56),
    30: (1, 2),
    34: (256, 54),
    35: (256, 66),
    39: (32, 17),
}


class _BadHeader(Exception):
    """A header that no GGUF file has; the text says what is wrong."""


class _Cursor:
    """Reads values one after the other, and never past the end of the file."""

    def __init__(self, data: mmap.mmap) -> None:
        self._data = data
        self.place = 0

    def take(self, form: str) -> Any:
        """The next value, in a format of the `struct` module."""
        size = struct.calcsize("<" + form)
        if self.place + size > len(self._data):
            raise _BadHeader("a header that is cut short")
        (value,) = struct.unpack_from("<" + form, self._data, self.place)
        self.place += size
        return value

    def text(self) -> str:
        """The next text: its length, then its bytes."""
        length = self.take("Q")
        if length > 1 << 24 or self.place + length > len(self._data):
            raise _BadHeader(f"a text of {length:,} bytes")
        self.place += length
        return self._data[self.place - length : self.place].decode(errors="replace")

    def skip(self, size: int) -> None:
        """Go on by so many bytes."""
        if self.place + size > len(self._data):
            raise _BadHeader("a header that is cut short")
        self.place += size

    def value(self, kind: int) -> Any:
        """The next value of this type. Of an array only the length is kept."""
        if kind in _SCALARS:
            return self.take(_SCALARS[kind])
        if kind == _STRING:
            return self.text()
        if kind == _ARRAY:
            return self._array()
        raise _BadHeader(f"a value of unknown type {kind}")

    def _array(self) -> Sequence[int]:
        """A range as long as the array: its values are not kept."""
        kind, count = self.take("I"), self.take("Q")
        if count > _MOST_ARRAY:
            raise _BadHeader(f"an array of {count:,} values")
        if kind in _SCALARS:
            self.skip(count * struct.calcsize("<" + _SCALARS[kind]))
        elif kind == _STRING:
            for _ in range(count):
                self.skip(self.take("Q"))
        else:
            raise _BadHeader(f"an array of type {kind}")
        return range(count)


class GgufHeader(NamedTuple):
    """What the header of a GGUF file says."""

    keys: dict[str, Any]
    """Metadata keys with their values."""
    contents: FileTensors


def read_gguf(path: Path) -> GgufHeader:
    """Read the whole header.

    The size of a tensor follows from shape and type; for an unknown type from the next offset.
    """
    with path.open("rb") as file, closing(_mapped(path, file.fileno())) as data:
        cursor = _Cursor(data)
        try:
            return _header(cursor, path.name, len(data))
        except _BadHeader as error:
            raise InputError(
                path, f"expected a GGUF header, found {error} near byte {cursor.place:,}"
            ) from error


def _mapped(path: Path, descriptor: int) -> mmap.mmap:
    if path.stat().st_size == 0:
        raise InputError(path, "expected a GGUF file, found an empty one")
    return mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)


def _header(cursor: _Cursor, file_name: str, file_bytes: int) -> GgufHeader:
    cursor.skip(len(MAGIC))
    version = cursor.take("I")
    if version not in (2, 3):
        raise _BadHeader(f"version {version} (2 and 3 are read)")
    tensor_count, key_count = cursor.take("Q"), cursor.take("Q")
    if tensor_count == 0:
        raise _BadHeader("no tensors")
    if tensor_count > _MOST_TENSORS or key_count > _MOST_KEYS:
        raise _BadHeader(f"{tensor_count:,} tensors and {key_count:,} keys")
    keys = {}
    for _ in range(key_count):
        name = cursor.text()
        keys[name] = cursor.value(cursor.take("I"))
    infos = [_info(cursor) for _ in range(tensor_count)]
    alignment = keys.get("general.alignment", _ALIGNMENT)
    aligned = isinstance(alignment, int) and 0 < alignment <= _MOST_ALIGNMENT
    start = cursor.place + -cursor.place % (alignment if aligned else _ALIGNMENT)
    data_bytes = max(0, file_bytes - start)
    return GgufHeader(keys, _sizes(infos, file_name, data_bytes))


class _Info(NamedTuple):
    name: str
    elements: int
    kind: int
    offset: int


def _info(cursor: _Cursor) -> _Info:
    name = cursor.text()
    count = cursor.take("I")
    if count > 8:
        raise _BadHeader(f"a tensor of {count} dimensions")
    elements = prod(cursor.take("Q") for _ in range(count))
    if elements >= 1 << 56:
        raise _BadHeader("a tensor of impossible shape")
    return _Info(name, elements, cursor.take("I"), cursor.take("Q"))


def _sizes(infos: list[_Info], file_name: str, data_bytes: int) -> FileTensors:
    ordered = sorted(infos, key=lambda info: info.offset)
    ends = [info.offset for info in ordered[1:]] + [data_bytes]
    tensors = []
    for info, end in zip(ordered, ends, strict=True):
        if info.kind in _BLOCKS:
            per_block, block_bytes = _BLOCKS[info.kind]
            size = -(-info.elements // per_block) * block_bytes
            tensors.append(FileTensor(info.name, size, f"{file_name}: dims × type {info.kind}"))
        elif end > info.offset:
            tensors.append(
                FileTensor(info.name, end - info.offset, f"{file_name}: the next tensor's offset")
            )
        else:
            raise _BadHeader(
                f"tensor {info.name[:80]!r} of type {info.kind}, whose size is unknown"
            )
    ends = [one.offset + tensor.size_bytes for one, tensor in zip(ordered, tensors, strict=True)]
    missing = max(ends, default=0) - data_bytes
    notes = (f"{file_name} is cut short by {missing:,} bytes",) if missing > 0 else ()
    return FileTensors(tuple(tensors), notes)
