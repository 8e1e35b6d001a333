"""The frozen Trace and the pool of words its text columns point into."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from lanescope.trace.meta import Meta
from lanescope.trace.schema import MISSING, NO_WORD
from lanescope.trace.table import Array, Table


class Words:
    """Grows the pool while a trace is built: the same text always gets the same code."""

    def __init__(self, words: tuple[str, ...] = ()) -> None:
        self._codes = {word: code for code, word in enumerate(words)}

    def code(self, word: str) -> int:
        return self._codes.setdefault(word, len(self._codes))

    def codes(self, words: list[str]) -> Array:
        return np.array([self.code(word) for word in words], np.int32)

    def freeze(self) -> tuple[str, ...]:
        return tuple(self._codes)


def _empty(name: str) -> Any:
    return field(default_factory=lambda: Table.build(name))


@dataclass(frozen=True, eq=False, kw_only=True)
class Trace:
    """One run: eight tables, the words they use, and what the trace says about itself."""

    meta: Meta
    words: tuple[str, ...] = ()
    tasks: Table = _empty("tasks")
    phases: Table = _empty("phases")
    marks: Table = _empty("marks")
    counters: Table = _empty("counters")
    edges: Table = _empty("edges")
    cores: Table = _empty("cores")
    functions: Table = _empty("functions")
    stalls: Table = _empty("stalls")

    def table(self, name: str) -> Table:
        table = getattr(self, name)
        assert isinstance(table, Table)
        return table

    def code(self, word: str) -> int:
        """The word's code, or one that no row has when the trace does not use it."""
        try:
            return self.words.index(word)
        except ValueError:
            return NO_WORD - 1

    def word(self, code: int) -> str:
        return "" if code < 0 else self.words[code]

    def text(self, table: str, column: str) -> list[str]:
        """A word column as strings; '' where there is none."""
        return [self.word(code) for code in self.table(table)[column].tolist()]

    def with_meta(self, **changes: Any) -> Trace:
        import msgspec

        return replace(self, meta=msgspec.structs.replace(self.meta, **changes))

    def ran(self) -> Array:
        """Mask of the task rows that ran on a core and have both start and end."""
        return (self.tasks["start_ns"] != MISSING) & (self.tasks["end_ns"] != MISSING)
