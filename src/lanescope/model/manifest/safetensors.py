"""Tensor names and sizes of safetensors files: a length, a JSON header, then the data.

Only the header is read. Sizes are those of the data, checked against dtype and shape.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from pathlib import Path

import msgspec

from lanescope.errors import InputError
from lanescope.model.manifest.tensors import FileTensor, FileTensors

_MOST_HEADER = 100_000_000
"""The format's own limit."""
_MOST_SHARDS = 4096
_BITS = {
    **dict.fromkeys(("F64", "I64", "U64", "C64"), 64),
    **dict.fromkeys(("F32", "I32", "U32"), 32),
    **dict.fromkeys(("F16", "BF16", "I16", "U16"), 16),
    **dict.fromkeys(("I8", "U8", "BOOL", "F8_E4M3", "F8_E5M2", "F8_E8M0"), 8),
    **dict.fromkeys(("F6_E2M3", "F6_E3M2"), 6),
    "F4": 4,
}


class _Entry(msgspec.Struct):
    dtype: str
    shape: list[int]
    data_offsets: tuple[int, int]


class _Index(msgspec.Struct):
    weight_map: dict[str, str]


def is_safetensors(head: bytes) -> bool:
    """Whether the first nine bytes are a plausible length and the brace of a header."""
    return len(head) >= 9 and head[8:9] == b"{" and int.from_bytes(head[:8], "little") < 1 << 27


def read_safetensors(path: Path) -> FileTensors:
    """Read the tensors of one file, in the order of their data."""
    header = _header(path)
    header.pop("__metadata__", None)
    try:
        entries = msgspec.convert(header, dict[str, _Entry])
    except msgspec.ValidationError as error:
        raise InputError(path, f"expected a safetensors header, found: {error}") from error
    ordered = sorted(entries.items(), key=lambda item: item[1].data_offsets)
    tensors = tuple(_tensor(path, name, entry) for name, entry in ordered)
    data_end = max((entry.data_offsets[1] for entry in entries.values()), default=0)
    missing = _data_start(path) + data_end - path.stat().st_size
    notes = (f"{path.name} is cut short by {missing:,} bytes",) if missing > 0 else ()
    return FileTensors(tensors, notes)


def read_index(path: Path) -> FileTensors:
    """Read the tensors of all files that an index names; they must lie beside it."""
    try:
        index = msgspec.json.decode(path.read_bytes(), type=_Index)
    except (msgspec.DecodeError, RecursionError) as error:
        raise InputError(path, f"expected a safetensors index, found: {error}") from error
    shards = sorted(set(index.weight_map.values()))
    if len(shards) > _MOST_SHARDS:
        raise InputError(path, f"expected at most {_MOST_SHARDS:,} shards, found {len(shards):,}")
    return _join([read_safetensors(_beside(path, shard)) for shard in shards])


def _join(files: Sequence[FileTensors]) -> FileTensors:
    return FileTensors(
        tuple(tensor for file in files for tensor in file.tensors),
        tuple(note for file in files for note in file.notes),
    )


def _beside(path: Path, shard: str) -> Path:
    if Path(shard).name != shard:
        raise InputError(path, f"expected shards beside the index, found {shard[:80]!r}")
    file = path.with_name(shard)
    if not file.is_file():
        raise InputError(path, f"expected the shard {shard!r} beside it, found none")
    return file


def _header(path: Path) -> dict[str, object]:
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if not 2 <= length <= _MOST_HEADER:
            raise InputError(
                path, f"expected a header of 2 to {_MOST_HEADER:,} bytes, found {length:,}"
            )
        text = file.read(length)
    if len(text) < length:
        raise InputError(path, f"expected a header of {length:,} bytes, found {len(text):,}")
    try:
        return msgspec.json.decode(text, type=dict[str, object])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(path, f"expected a header in JSON, found: {error}") from error


def _data_start(path: Path) -> int:
    with path.open("rb") as file:
        return 8 + int.from_bytes(file.read(8), "little")


def _tensor(path: Path, name: str, entry: _Entry) -> FileTensor:
    begin, end = entry.data_offsets
    size = end - begin
    if size < 0 or begin < 0 or min(entry.shape, default=0) < 0 or len(entry.shape) > 16:
        raise InputError(path, f"tensor {name[:80]!r}: expected data_offsets in order and a shape")
    bits = _BITS.get(entry.dtype)
    if bits is not None and -(-prod(entry.shape) * bits // 8) != size:
        raise InputError(
            path,
            f"tensor {name[:80]!r}: expected {-(-prod(entry.shape) * bits // 8):,} bytes for "
            f"{entry.dtype} {entry.shape}, found data of {size:,}",
        )
    return FileTensor(name, size, f"{path.name}: data_offsets")
