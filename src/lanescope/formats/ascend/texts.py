"""Texts of a database: columns hold numbers, STRING_IDS and the ENUM tables say what they mean."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.formats.sqlite_columns import SqliteFile
from lanescope.trace import MISSING
from lanescope.trace.numbering import different, places
from lanescope.trace.table import Array


@dataclass(frozen=True, slots=True)
class Texts:
    """Number → text."""

    by_id: dict[int, str]

    @classmethod
    def of(cls, file: SqliteFile) -> Texts:
        """Read STRING_IDS; texts are cut at a length that people can read."""
        texts = file.texts("STRING_IDS", "id", "value")
        return cls({key: text[:_LONGEST] for key, text in texts.items() if isinstance(key, int)})

    def codes(self, numbers: Array) -> tuple[Array, list[str]]:
        """A code per row and the different texts; -1 where there is no such text."""
        ids = different(numbers[numbers != MISSING])
        names = [self.by_id.get(number) for number in ids.tolist()]
        code = np.full(len(ids) + 1, -1, np.int64)
        known = [k for k, name in enumerate(names) if name is not None]
        code[known] = np.arange(len(known))
        return code[places(ids, numbers)], [name for name in names if name is not None]

    def get(self, number: int) -> str:
        """The text of a number; empty where there is none."""
        return self.by_id.get(number, "")


_LONGEST = 1024
