"""Structs of the C headers as numpy dtypes, and constants of the headers.

Both are read from the C library, so native/include/lanescope is their only definition.
"""

from __future__ import annotations

import struct
from functools import cache

from lanescope.native.tables import constant as constant
from lanescope.native.tables import constants as constants
from lanescope.native.tables import layout as layout


def now_place() -> int:
    """Return the offset of the ls_slice_now in an ls_lane, in bytes."""
    fields = layout("ls_lane").fields
    assert fields is not None
    return int(fields["segment"][1])


_STRUCT_CODES = {"u8": "Q", "u4": "I", "i4": "i", "i2": "h"}


@cache
def packer(*names: str) -> struct.Struct:
    """Return a packer for structs that follow each other.

    It takes all fields in order, with each element of an array apart, and fills gaps with zeros.
    """
    return struct.Struct("<" + "".join(map(_struct_codes, names)))


def _struct_codes(name: str) -> str:
    kind = layout(name)
    code, at = "", 0
    for field in kind.names or ():
        part, offset = kind.fields[field][:2]  # type: ignore[index]
        many = part.shape[0] if part.shape else 1
        code += f"{offset - at}x{many}{_STRUCT_CODES[part.base.str[1:]]}"
        at = offset + part.itemsize
    return f"{code}{kind.itemsize - at}x"
