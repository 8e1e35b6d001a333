"""What an input reached that none before it did: ways through the C library, lines of Python."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np

import lanescope

WAYS = 65536
_SOURCE = str(Path(lanescope.__file__).parent)
_BUCKETS = np.zeros(256, np.uint8)
for _bit, _least in enumerate((1, 2, 3, 4, 8, 16, 32, 128)):
    _BUCKETS[_least:] = 1 << _bit
"""A count to the bit of its size: a loop that runs 5 or 6 times is the same, 5 or 50 is not."""


class Coverage:
    """Says of each input whether it reached something new."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self._ways = np.frombuffer(
            (ctypes.c_uint8 * WAYS).in_dll(library, "ls_fuzz_ways"), np.uint8
        )
        self._seen = np.zeros(WAYS, np.uint8)
        self._unseen: dict[CodeType, set[int]] = {}
        self._new_line = False

    @property
    def reached(self) -> tuple[int, int]:
        """Ways through the library, and lines of Python that no input has reached yet."""
        return int(np.count_nonzero(self._seen)), sum(map(len, self._unseen.values()))

    def __enter__(self) -> Coverage:
        self._ways[:] = 0
        self._new_line = False
        sys.settrace(self._call)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)

    def is_new(self) -> bool:
        """Whether the last input reached something that none before it did."""
        bits = _BUCKETS[self._ways]
        new = bool((bits & ~self._seen).any())
        self._seen |= bits
        return new or self._new_line

    def _call(self, frame: FrameType, _event: str, _value: Any) -> Any:
        code = frame.f_code
        lines = self._unseen.get(code)
        if lines is None:
            own = code.co_filename.startswith(_SOURCE)
            lines = {line for *_, line in code.co_lines() if line} if own else set()
            lines.discard(code.co_firstlineno)
            self._unseen[code] = lines
        return self._line if lines else None

    def _line(self, frame: FrameType, _event: str, _value: Any) -> Any:
        lines = self._unseen[frame.f_code]
        if frame.f_lineno in lines:
            lines.discard(frame.f_lineno)
            self._new_line = True
        return self._line
