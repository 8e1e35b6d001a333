"""Protobuf files as columns: no Python object per message, every error with its byte.

A file is walked kind of message by kind of message: `repeated` finds all messages of one kind
with the message that each is in, `columns` reads their fields.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lanescope.errors import InputError
from lanescope.formats.json_file import map_file
from lanescope.native.proto import (
    BYTES,
    FIXED32,
    FIXED64,
    VARINT,
    ProtoDamage,
    ProtoField,
    proto_codes,
    proto_columns,
    proto_repeated,
)
from lanescope.trace import MISSING
from lanescope.trace.table import Array

_SENTENCES = {
    "truncated": "a field is longer than what is left of the message around it",
    "long_varint": "a number has more than ten bytes",
    "no_field": "a field has a number that protobuf does not allow",
    "no_wire_type": "a field has a type that protobuf does not have",
}
_REPLACED = b"\xef\xbf\xbd"
"""U+FFFD in UTF-8: what text decoders put in place of bytes that are no text."""
_MANY = 16
_NAN = int(np.array(np.nan).view(np.int64))


def number(field: int, *, missing: int = 0) -> ProtoField:
    """A field with a whole number; proto3 leaves out a number that is 0."""
    return ProtoField(field, VARINT, missing)


def optional(field: int) -> ProtoField:
    """A field with a whole number that is MISSING where it is left out."""
    return ProtoField(field, VARINT, MISSING)


def double(field: int) -> ProtoField:
    """A field with a double; `as_doubles` makes floats of the column, NaN where it is left out."""
    return ProtoField(field, FIXED64, _NAN)


def content(field: int) -> ProtoField:
    """A field with a text, bytes or a message: its span; it begins at -1 where it is left out."""
    return ProtoField(field, BYTES, -1)


def as_doubles(column: Array) -> Array:
    """A column of `double` fields as floats."""
    return column.view(np.float64)


@dataclass(frozen=True, slots=True)
class ProtoFile:
    """A file that is one protobuf message."""

    path: Path
    data: Array
    """uint8"""
    what: str
    """What the file claims to be, for errors: "an XSpace"."""

    @classmethod
    def open(cls, path: Path, what: str) -> ProtoFile:
        """Map a file; a packed one is unpacked."""
        return cls(path, map_file(path), what)

    @property
    def whole(self) -> Array:
        """The file as a message."""
        return np.array([[0, len(self.data)]], np.int64)

    def columns(self, spans: Array, *fields: ProtoField) -> list[Array]:
        """A column per field, a row per message. Absent messages (begin -1) have no fields."""
        try:
            return proto_columns(self.data, _present(spans), fields)
        except ProtoDamage as damage:
            raise self._refused(damage) from damage

    def repeated(self, spans: Array, field: int) -> tuple[Array, Array]:
        """The messages or texts of a repeated field: the row that each is in, and their spans."""
        return self._repeated(spans, field, BYTES)

    def numbers(self, spans: Array, field: int, *, wire: int = VARINT) -> tuple[Array, Array]:
        """The numbers of a repeated field, packed or not: the row that each is in, and values."""
        return self._repeated(spans, field, wire)

    def texts(self, spans: Array) -> tuple[Array, list[str]]:
        """Texts with a code each: per row the place in the list, -1 where the text is absent.

        Bytes that are no UTF-8 are replaced by U+FFFD.
        """
        known = spans[:, 0] >= 0
        some = spans[known]
        code, first = proto_codes(self.data, some)
        texts = [self.text(span) for span in some[first].tolist()]
        codes = np.full(len(spans), -1, np.int64)
        codes[known] = code
        return codes, texts

    def text(self, span: list[int] | Array) -> str:
        """One text; empty where it is absent."""
        begin, length = int(span[0]), int(span[1])
        raw = bytes(self.data[begin : begin + length]) if begin >= 0 else b""
        return raw.decode("utf-8", "replace")

    def _repeated(self, spans: Array, field: int, wire: int) -> tuple[Array, Array]:
        try:
            return proto_repeated(self.data, _present(spans), field, wire)
        except ProtoDamage as damage:
            raise self._refused(damage) from damage

    def _refused(self, damage: ProtoDamage) -> InputError:
        problem = (
            f"is not {self.what} in protobuf: byte {damage.at:,}: {_SENTENCES[damage.problem]}"
        )
        replaced = _replacements(self.data)
        if replaced >= _MANY:
            problem += (
                f"; it went through a text decoder, which replaced bytes in {replaced:,} places: "
                "copy the original again as binary"
            )
        else:
            problem += "; it was damaged or cut off while it was written or copied"
        return InputError(self.path, problem)


def _present(spans: Array) -> Array:
    """Absent messages as empty ones."""
    absent = spans[:, 0] < 0
    return np.where(absent[:, None], 0, spans) if absent.any() else spans


def _replacements(data: Array) -> int:
    """How often a text decoder replaced bytes, where the file is text from end to end; else 0."""
    raw = bytes(data)
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as error:
        if len(raw) - error.start > 3:  # A cut may go through a character.
            return 0
    return raw.count(_REPLACED)


__all__ = [
    "FIXED32",
    "FIXED64",
    "VARINT",
    "ProtoFile",
    "as_doubles",
    "content",
    "double",
    "number",
    "optional",
]
