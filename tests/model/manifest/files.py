"""Model files of a few bytes, built by hand from their formats' descriptions."""

from __future__ import annotations

import json
import struct
from pathlib import Path


def safetensors(path: Path, tensors: dict[str, tuple[str, list[int], int]]) -> Path:
    """Name to dtype, shape and bytes; the data is zeros."""
    header, place = {"__metadata__": {"format": "pt"}}, 0
    for name, (dtype, shape, size) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [place, place + size]}  # type: ignore[dict-item]
        place += size
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + bytes(place))
    return path


def _text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def gguf(
    path: Path,
    keys: dict[str, int | str | list[str]],
    tensors: list[tuple[str, list[int], int, int]],
) -> Path:
    """Tensors are name, dims, type and offset."""
    out = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(keys))
    for name, value in keys.items():
        out += _text(name)
        if isinstance(value, str):
            out += struct.pack("<I", 8) + _text(value)
        elif isinstance(value, int):
            out += struct.pack("<II", 4, value)
        else:
            out += struct.pack("<IIQ", 9, 8, len(value)) + b"".join(map(_text, value))
    for name, dims, kind, offset in tensors:
        out += _text(name) + struct.pack("<I", len(dims))
        out += struct.pack(f"<{len(dims)}Q", *dims) + struct.pack("<IQ", kind, offset)
    path.write_bytes(out)
    return path


def _varint(value: int) -> bytes:
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def _bytes_field(number: int, value: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(value)) + value


def _number_field(number: int, value: int) -> bytes:
    return _varint(number << 3) + _varint(value)


def onnx(path: Path, tensors: list[tuple[str, list[int], int]], *, packed: bool) -> Path:
    """Tensors are name, dims and data type; raw data of three bytes follows each."""
    graph = _bytes_field(1, b"a node")
    for name, dims, kind in tensors:
        if packed:
            tensor = _bytes_field(1, b"".join(map(_varint, dims)))
        else:
            tensor = b"".join(_number_field(1, dim) for dim in dims)
        tensor += _number_field(2, kind) + _bytes_field(8, name.encode()) + _bytes_field(9, b"raw")
        graph += _bytes_field(5, tensor)
    path.write_bytes(_number_field(1, 8) + _bytes_field(7, graph))
    return path
