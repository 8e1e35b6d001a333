"""The frozen Trace and the pool of words its text columns point into."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import msgspec
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


@dataclass(frozen=True, eq=False, kw_only=True)
class Trace:
    """One run: eight tables, the words they use, and what the trace says about itself."""

    meta: Meta
    words: tuple[str, ...] = ()
    tasks: Table = field(default_factory=partial(Table.build, "tasks"))
    phases: Table = field(default_factory=partial(Table.build, "phases"))
    marks: Table = field(default_factory=partial(Table.build, "marks"))
    counters: Table = field(default_factory=partial(Table.build, "counters"))
    edges: Table = field(default_factory=partial(Table.build, "edges"))
    cores: Table = field(default_factory=partial(Table.build, "cores"))
    functions: Table = field(default_factory=partial(Table.build, "functions"))
    stalls: Table = field(default_factory=partial(Table.build, "stalls"))

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
        return replace(self, meta=msgspec.structs.replace(self.meta, **changes))

    def of_runs(self, *names: str) -> list[Array]:
        """Columns of the task rows that ran; the table's own where all did."""
        ran = self.ran()
        columns = [self.tasks[name] for name in names]
        return columns if ran.all() else [column[ran] for column in columns]

    def ran(self) -> Array:
        """Mask of the task rows that ran on a core and have both start and end."""
        tasks = self.tasks
        mask: Array = (tasks["start_ns"] != MISSING) & (tasks["end_ns"] != MISSING)
        return mask
