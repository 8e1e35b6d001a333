"""Maps a JSON file into memory and cuts it into its top-level values without building objects."""

from __future__ import annotations

import mmap
import os
import re
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from lanescope.errors import InputError
from lanescope.formats.json_members import large_array, large_object
from lanescope.formats.json_rows import TextSpan, located
from lanescope.formats.packed import LONGEST_MAGIC, is_packed, unpacked

T = TypeVar("T")

Count = Annotated[int, msgspec.Meta(ge=0, lt=1 << 61)]
"""A number of things, bytes or nanoseconds: two of them can be added in 64 bits."""
Label = Annotated[str, msgspec.Meta(max_length=4096)]
"""A text that is shown to people."""

_BYTE = re.compile(r" ?\(byte (\d+)\)")


def map_file(path: Path) -> npt.NDArray[np.uint8]:
    """Map the file's bytes, unpacked, as a read-only array backed by the page cache.

    Raises InputError where the file is empty or cannot be read.
    """
    try:
        with path.open("rb") as file:
            packed = is_packed(file.read(LONGEST_MAGIC))
            with unpacked(path, file) if packed else nullcontext(file) as content:
                if not content.seek(0, 2):
                    raise InputError(path, "the file is empty")
                mapped = mmap.mmap(content.fileno(), 0, access=mmap.ACCESS_READ)
    except OSError as error:
        raise InputError(path, f"cannot be read ({error.strerror or error})") from error
    return np.frombuffer(mapped, np.uint8)


@dataclass(frozen=True, slots=True)
class JsonFile:
    """A JSON object's top level: every key with the piece of the file that is its value."""

    path: Path
    whole: npt.NDArray[np.uint8]
    values: dict[str, TextSpan]

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def decode(self, key: str, kind: type[T]) -> T:
        """Decode a small value into Python objects and check it against a type."""
        return decode_span(self.values[key], kind, what=repr(key))


def open_object(path: Path) -> JsonFile:
    """Map a file, check that it is one JSON object, and find its top-level values."""
    return as_object(path, map_file(path))


def as_object(path: Path, whole: npt.NDArray[np.uint8]) -> JsonFile:
    """Check that a mapped file is one JSON object, and find its top-level values."""
    span = TextSpan(path, whole, whole)
    return JsonFile(path, whole, split_object(span, what="the file"))


def split_object(span: TextSpan, *, what: str) -> dict[str, TextSpan]:
    """Cut an object into its values, each a piece of the file; `what` names it in errors."""
    values = large_object(span)
    if values is None:
        raw = _decode(span, dict[str, msgspec.Raw], what)
        values = {key: part_of(span, value) for key, value in raw.items()}
    return values


def split_array(span: TextSpan, *, what: str) -> list[TextSpan]:
    """Cut an array into its elements, each a piece of the file; `what` names it in errors."""
    elements = large_array(span)
    if elements is None:
        elements = [part_of(span, value) for value in _decode(span, list[msgspec.Raw], what)]
    return elements


def part_of(span: TextSpan, raw: msgspec.Raw) -> TextSpan:
    """A value that was cut out of a piece, as a piece."""
    return TextSpan(span.path, np.frombuffer(raw, np.uint8), span.whole)


def decode_span(span: TextSpan, kind: type[T], *, what: str) -> T:
    """Decode a piece into Python objects and check it against a type."""
    value: T = _decode(span, kind, what)
    return value


def decode_line(path: Path, number: int, line: bytes, kind: type[T]) -> T:
    """Decode one line of a file of JSON lines and check it against a type."""
    try:
        return msgspec.json.decode(line, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(path, f"line {number}: {error}") from error


def storable(path: str | Path) -> str:
    """A path as text for a trace; bytes that are no UTF-8 are replaced by U+FFFD."""
    return os.fsencode(path).decode("utf-8", "replace")


def _decode(span: TextSpan, kind: Any, what: str) -> Any:
    try:
        return msgspec.json.decode(span.data.data, type=kind)
    except msgspec.ValidationError as error:
        raise InputError(span.path, f"{what} is not what it should be: {error}") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        message = str(error)
        place = _BYTE.search(message)
        at = int(place.group(1)) if place else len(span.data)
        reason = _BYTE.sub("", message).removeprefix("JSON is malformed: ")
        if "truncated" in reason:
            reason = "it ends too early, cut off while it was written or copied"
        raise located(span, at, f"is not valid JSON: {reason}") from error
    except RecursionError as error:
        raise InputError(
            span.path, f"{what} is nested too deeply to be what it should be"
        ) from error
