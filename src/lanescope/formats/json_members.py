"""Cuts a large JSON object or array into its members with the C library, without Python's lock.

Values are only walked from bracket to bracket: what is wrong inside one is found when it is read.
"""

from __future__ import annotations

import ctypes
from itertools import chain
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from lanescope.formats.json_rows import TextSpan, release
from lanescope.native import library

LARGE = 1 << 20
"""Bytes from which on it pays."""
_AT_ONCE = 1 << 12
_FIELDS = 4
"""Numbers of an ls_json_member: offset and length of its key, then of its value."""


def large_object(span: TextSpan) -> dict[str, TextSpan] | None:
    """The values of a large object by key; None where the piece is small or no such object."""
    rows = _members(span, b"{")
    if rows is None:
        return None
    try:
        keys = [msgspec.json.decode(_piece(span, row[0], row[1]).data.data) for row in rows]
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    return {key: _piece(span, row[2], row[3]) for key, row in zip(keys, rows, strict=True)}


def large_array(span: TextSpan) -> list[TextSpan] | None:
    """The elements of a large array; None where the piece is small or no such array."""
    rows = _members(span, b"[")
    return None if rows is None else [_piece(span, row[2], row[3]) for row in rows]


def _members(span: TextSpan, opening: bytes) -> list[list[int]] | None:
    if len(span.data) < LARGE or bytes(span.data[:_AT_ONCE]).lstrip()[:1] != opening:
        return None
    position = ctypes.c_int64(0)
    parts: list[npt.NDArray[Any]] = []
    while position.value >= 0:
        room = np.empty((_AT_ONCE, _FIELDS), np.int64)
        count = library().ls_json_members(
            span.data.ctypes.data,
            len(span.data),
            ctypes.byref(position),
            room.ctypes.data,
            _AT_ONCE,
        )
        if count < 0:
            return None
        parts.append(room[:count])
    release(span)
    return list(chain.from_iterable(part.tolist() for part in parts))


def _piece(span: TextSpan, offset: int, length: int) -> TextSpan:
    return TextSpan(span.path, span.data[offset : offset + length], span.whole)
