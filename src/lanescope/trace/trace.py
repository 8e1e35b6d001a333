"""The frozen Trace and the pool of words its text columns point into."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import msgspec
import numpy as np

from lanescope.trace.meta import Meta
from lanescope.trace.schema import MISSING, NO_WORD
from lanescope.trace.selection import select
from lanescope.trace.summary import summary_lines
from lanescope.trace.table import Array, Table
from lanescope.trace.tables import SCHEMA
from lanescope.trace.window import Cores, Functions, Numbers, Time


class Words:
    """The pool of words while a trace is built: the same text always gets the same code."""

    def __init__(self, words: tuple[str, ...] = ()) -> None:
        """Start with the words of another trace, which keep their codes, or with none."""
        self._codes = {word: code for code, word in enumerate(words)}

    def code(self, word: str) -> int:
        """The word's code; a new word gets the next one."""
        return self._codes.setdefault(word, len(self._codes))

    def codes(self, words: list[str]) -> Array:
        """A text column: the code of each word."""
        return np.array([self.code(word) for word in words], np.int32)

    def freeze(self) -> tuple[str, ...]:
        """The words in the order of their codes, for `Trace.words`."""
        return tuple(self._codes)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Trace:
    """One run, or several: its tables, the words they use, and what it says about itself.

    Every table knows the trace's words, so `trace.tasks.to_pandas()` has text and no codes.
    """

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
    controllers: Table = field(default_factory=partial(Table.build, "controllers"))
    runs: Table = field(default_factory=partial(Table.build, "runs"))
    steps: Table = field(default_factory=partial(Table.build, "steps"))
    waits: Table = field(default_factory=partial(Table.build, "waits"))
    collectives: Table = field(default_factory=partial(Table.build, "collectives"))
    launches: Table = field(default_factory=partial(Table.build, "launches"))
    blocks: Table = field(default_factory=partial(Table.build, "blocks"))

    def __post_init__(self) -> None:
        """Give the tables this trace's words; their columns stay where they are."""
        for name in SCHEMA:
            table = self.table(name)
            if table.words is not self.words:
                object.__setattr__(self, name, table.with_words(self.words))

    def __repr__(self) -> str:
        """At most five lines; of a lazily opened trace no column is read for them."""
        return "\n".join(summary_lines(self))

    def _repr_html_(self) -> str:
        from lanescope.trace.notebook import trace_html

        return trace_html(self)

    def table(self, name: str) -> Table:
        """The table of this name."""
        table = getattr(self, name)
        assert isinstance(table, Table)
        return table

    def code(self, word: str) -> int:
        """The word's code, or a code that no row has when the trace does not use the word."""
        try:
            return self.words.index(word)
        except ValueError:
            return NO_WORD - 1

    def word(self, code: int) -> str:
        """The word of a code; `""` where there is none."""
        return "" if code < 0 else self.words[code]

    def text(self, table: str, column: str) -> list[str]:
        """A text column as strings; `""` where a row has no text."""
        return self.table(table).text(column)

    def select(
        self,
        *,
        since: Time | None = None,
        until: Time | None = None,
        core: Cores | None = None,
        function: Functions | None = None,
        run: Numbers | None = None,
        rank: Numbers | None = None,
    ) -> Trace:
        """A part of the trace as another trace: see `lanescope.select`."""
        limits = {"since": since, "until": until, "core": core, "function": function}
        return select(self, **limits, run=run, rank=rank)  # type: ignore[arg-type]

    def view(self, html: str | None = None) -> Any:
        """The trace as a page that a notebook shows: see `lanescope.view`."""
        import lanescope

        return lanescope.view(self, html=html)

    def with_meta(self, **changes: Any) -> Trace:
        """The same tables with some fields of `meta` changed."""
        return replace(self, meta=msgspec.structs.replace(self.meta, **changes))

    def of_runs(self, *names: str) -> list[Array]:
        """These columns of the task rows that ran, one array each.

        Where every row ran, they are the table's own columns and no copies.
        """
        ran = self.ran()
        columns = [self.tasks[name] for name in names]
        return columns if ran.all() else [column[ran] for column in columns]

    def ran(self) -> Array:
        """Mask of the task rows that have both a start and an end: those that ran on a core."""
        tasks = self.tasks
        mask: Array = (tasks["start_ns"] != MISSING) & (tasks["end_ns"] != MISSING)
        return mask
