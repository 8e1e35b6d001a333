"""A cheap look into a file: enough to tell which format it is, shared by all importers."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Literal

from lanescope.errors import InputError
from lanescope.formats.json_file import JsonFile, as_object, map_file

_HEAD_BYTES = 4096
_BLOCK = 1 << 20

Shape = Literal["object", "array", "lines", "other"]


class FileLook:
    """One file, mapped into memory; a packed one is unpacked. JSON is opened when asked for.

    Raises InputError where the file is empty or cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._whole = map_file(path)
        self._json: JsonFile | None = None
        self._opened = False
        self.problem: InputError | None = None
        """Why `json` is None although the file claims to be a JSON object."""

    @property
    def size(self) -> int:
        """Bytes of the file, after unpacking."""
        return len(self._whole)

    @cached_property
    def head(self) -> bytes:
        """The first 4096 bytes, after unpacking."""
        return bytes(self._whole[:_HEAD_BYTES])

    @cached_property
    def start(self) -> bytes:
        """The head without the white space before the first character."""
        return self.head.lstrip()

    def holds(self, text: bytes) -> bool:
        """Whether a text stands anywhere in the file, after unpacking."""
        whole = self._whole
        return any(
            text in whole[at : at + _BLOCK + len(text)].tobytes()
            for at in range(0, self.size, _BLOCK)
        )

    @cached_property
    def shape(self) -> Shape:
        """What the file claims to be: JSON (object or array), JSON lines, or something else."""
        if self.path.suffix == ".jsonl" or _is_lines(self.start):
            return "lines"
        if self.path.suffix == ".csv":
            return "other"
        if self.start[:1] == b"[":
            return "array"
        return "object" if self.start[:1] in (b"{", b"") else "other"

    @property
    def json(self) -> JsonFile | None:
        """The JSON object's top-level values, which are not decoded; None where it is none.

        A cached_property would let the files of a folder be opened only one after another: up to
        Python 3.11 all objects share its lock.
        """
        if not self._opened and self.shape == "object":
            try:
                self._json = as_object(self.path, self._whole)
            except InputError as problem:
                self.problem = problem
        self._opened = True
        return self._json


def _is_lines(start: bytes) -> bool:
    first, _, rest = start.partition(b"\n")
    return first.rstrip().endswith(b"}") and rest[:1] == b"{"
