"""Protobuf messages to columns, through the C library (native/src/proto_rows.c).

Messages of one kind are an int64 array with a row per message: where it begins, and its bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import Structure, byref, c_int32, c_int64, c_void_p
from dataclasses import dataclass

import numpy as np

from lanescope.native import Array, library

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
"""Wire types as protobuf numbers them."""

PROBLEMS = ("ok", "truncated", "long_varint", "no_field", "no_wire_type", "outside")
"""Why reading stopped, by the number in ls_proto_error."""


class ProtoDamage(Exception):
    """Bytes that are no protobuf: what is wrong, and the byte at which the bad field begins."""

    def __init__(self, problem: str, at: int) -> None:
        super().__init__(problem, at)
        self.problem = problem
        self.at = at


@dataclass(frozen=True, slots=True)
class ProtoField:
    """A field of a message: its number, its wire type, and what stands for one that is absent."""

    number: int
    wire: int = VARINT
    missing: int = 0


class _Messages(Structure):
    _fields_ = (("bytes", c_void_p), ("length", c_int64), ("spans", c_void_p), ("count", c_int64))


class _Column(Structure):
    _fields_ = (("field", c_int32), ("wire", c_int32), ("missing", c_int64), ("out", c_void_p))


class _List(Structure):
    _fields_ = (
        ("field", c_int32),
        ("wire", c_int32),
        ("room", c_int64),
        ("owner", c_void_p),
        ("out", c_void_p),
    )


class _Error(Structure):
    _fields_ = (("problem", c_int32), ("pad", c_int32), ("at", c_int64), ("row", c_int64))


def proto_columns(data: Array, spans: Array, fields: Sequence[ProtoField]) -> list[Array]:
    """One array per field, a row per message; of bytes the array has their spans.

    Raises:
        ProtoDamage: a message cannot be read.
    """
    spans = np.ascontiguousarray(spans, np.int64)
    outs = [
        np.empty((len(spans), 2) if field.wire == BYTES else len(spans), np.int64)
        for field in fields
    ]
    columns = (_Column * max(len(fields), 1))(
        *(
            _Column(field.number, field.wire, field.missing, out.ctypes.data)
            for field, out in zip(fields, outs, strict=True)
        )
    )
    error = _Error()
    messages = _messages(data, spans)
    done = library().ls_proto_columns(byref(messages), columns, len(fields), byref(error))
    if done < 0:
        raise _damage(error)
    return outs


def proto_repeated(
    data: Array, spans: Array, number: int, wire: int = BYTES
) -> tuple[Array, Array]:
    """All values of a repeated field: the message that each is in, and the value or its span.

    Raises:
        ProtoDamage: a message cannot be read.
    """
    spans = np.ascontiguousarray(spans, np.int64)
    messages, error = _messages(data, spans), _Error()
    room = 2 * len(spans) + 64
    while True:
        owner = np.empty(room, np.int64)
        out = np.empty((room, 2) if wire == BYTES else room, np.int64)
        asked = _List(number, wire, room, owner.ctypes.data, out.ctypes.data)
        count = library().ls_proto_repeated(byref(messages), byref(asked), byref(error))
        if count < 0:
            raise _damage(error)
        if count <= room:
            return owner[:count].copy(), out[:count].copy()
        room = count


def proto_codes(data: Array, spans: Array) -> tuple[Array, Array]:
    """Number the different contents of spans: the code of each, and the first span of each code."""
    spans = np.ascontiguousarray(spans, np.int64)
    if len(spans) >= 1 << 30:
        raise MemoryError
    capacity = 1 << len(spans).bit_length()
    slots = np.full(2 * capacity, -1, np.int32)
    first, code = np.empty(capacity, np.int32), np.empty(len(spans), np.int32)
    messages = _messages(data, spans)
    used = library().ls_proto_codes(
        byref(messages), capacity, slots.ctypes.data, first.ctypes.data, code.ctypes.data
    )
    if used < 0:
        raise IndexError("a span leaves the bytes")
    return code, first[:used]


def _messages(data: Array, spans: Array) -> _Messages:
    return _Messages(data.ctypes.data, len(data), spans.ctypes.data, len(spans))


def _damage(error: _Error) -> Exception:
    problem = PROBLEMS[error.problem]
    if problem == "outside":
        return IndexError("a span leaves the bytes")
    return ProtoDamage(problem, int(error.at))
