"""Tensor names and sizes of an ONNX file: a walk over the graph's initializers.

Only field numbers are needed: ModelProto.graph 7, GraphProto.initializer 5, TensorProto.dims 1,
data_type 2, name 8. Data is skipped, wherever it lies; subgraphs are not entered.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from lanescope.errors import InputError
from lanescope.model.manifest.tensors import FileTensor, FileTensors

_GRAPH, _INITIALIZER = 7, 5
_DIMS, _DATA_TYPE, _NAME = 1, 2, 8
_MOST_TENSORS = 1_000_000
_BITS = {
    **dict.fromkeys((7, 11, 13, 14), 64),
    **dict.fromkeys((1, 6, 12), 32),
    **dict.fromkeys((4, 5, 10, 16), 16),
    **dict.fromkeys((2, 3, 9, 17, 18, 19, 20, 24), 8),
    **dict.fromkeys((21, 22, 23), 4),
    15: 128,
}
"""TensorProto.DataType to bits per element (onnx.proto)."""


class _Field(NamedTuple):
    """One field of a protobuf message: its number, its wire type, and where its bytes lie."""

    number: int
    wire: int
    value: int
    """The number of a varint; 0 for other wire types."""
    begin: int
    end: int


class _BadMessage(Exception):
    """Bytes that are no ONNX model; the text says what is wrong and where."""


def read_onnx(path: Path) -> FileTensors:
    """Read name and size of every initializer of the main graph."""
    with path.open("rb") as file:
        if path.stat().st_size == 0:
            raise InputError(path, "expected an ONNX model, found an empty file")
        with closing(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)) as data:
            try:
                tensors = tuple(_initializers(data, path.name))
            except _BadMessage as error:
                raise InputError(path, f"expected an ONNX model, found {error}") from error
    if not tensors:
        raise InputError(path, "expected an ONNX model with initializers, found none")
    return FileTensors(tensors, ("only the main graph's initializers are counted, no subgraphs",))


def _initializers(data: mmap.mmap, file_name: str) -> Iterator[FileTensor]:
    count = 0
    for graph in _fields(data, 0, len(data)):
        if graph.number != _GRAPH:
            continue
        for field in _fields(data, graph.begin, graph.end):
            if field.number == _INITIALIZER:
                count += 1
                if count > _MOST_TENSORS:
                    raise _BadMessage(f"more than {_MOST_TENSORS:,} tensors")
                yield _tensor(data, field, file_name)


def _tensor(data: mmap.mmap, tensor: _Field, file_name: str) -> FileTensor:
    elements, kind, name = 1, 0, ""
    dims: list[int] = []
    for field in _fields(data, tensor.begin, tensor.end):
        if field.number == _DIMS:
            dims += _packed(data, field) if field.wire == 2 else [field.value]
        elif field.number == _DATA_TYPE:
            kind = field.value
        elif field.number == _NAME:
            name = data[field.begin : min(field.end, field.begin + 200)].decode(errors="replace")
    for dim in dims:
        elements *= dim
        if dim < 0 or dim >= 1 << 40 or elements >= 1 << 56 or len(dims) > 16:
            raise _BadMessage(f"a tensor of impossible shape at byte {tensor.begin:,}")
    if kind not in _BITS:
        raise _BadMessage(f"tensor {name!r} with data type {kind}, whose size is not known")
    return FileTensor(name, -(-elements * _BITS[kind] // 8), f"{file_name}: dims × data type")


def _packed(data: mmap.mmap, field: _Field) -> list[int]:
    """The numbers of a packed field; no more than 17 are read."""
    values = []
    place = field.begin
    while place < field.end:
        value, place = _varint(data, place, field.end)
        values.append(value)
        if len(values) > 16:
            break
    return values


def _fields(data: mmap.mmap, begin: int, end: int) -> Iterator[_Field]:
    """The fields of the message between two bytes; nested messages are not entered."""
    place = begin
    while place < end:
        key, place = _varint(data, place, end)
        number, wire = key >> 3, key & 7
        value = 0
        start = place
        if wire == 0:
            value, place = _varint(data, place, end)
            start = place
        elif wire == 1:
            place += 8
        elif wire == 2:
            length, start = _varint(data, place, end)
            place = start + length
        elif wire == 5:
            place += 4
        else:
            raise _BadMessage(f"wire type {wire} at byte {place:,}")
        if number == 0 or place > end:
            raise _BadMessage(f"a field that does not fit at byte {start:,}")
        yield _Field(number, wire, value, start, place)


def _varint(data: mmap.mmap, place: int, end: int) -> tuple[int, int]:
    """A number of variable length, and the place behind it."""
    value = 0
    for shift in range(0, 70, 7):
        if place >= end:
            break
        byte = data[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, place
    raise _BadMessage(f"a number that does not end at byte {place:,}")
