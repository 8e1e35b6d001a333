"""What tables are made of: columns and their types, what stands for "not known", bits of flags.

`tables.py` has the tables. Changing a column's meaning or type moves SCHEMA_VERSION; adding a
column that readers may ignore does not.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntFlag
from typing import Any

import numpy as np
import numpy.typing as npt

SCHEMA_VERSION = 1

MISSING = int(np.iinfo(np.int64).min)
"""Stands for "not known" in an int64 column. Stored as null."""
MISSING32 = int(np.iinfo(np.int32).min)
"""Stands for "not known" in an int32 column. Stored as null."""
NO_WORD = -1
"""Stands for "no text" in a text column. Stored as null."""


class TaskFlag(IntFlag):
    """Bits of `tasks.flags`."""

    NO_CORE_RECORD = 1
    """The core's record is absent or carries no time: start and end are null."""
    NO_CONTROLLER_RECORD = 2
    """The level records dispatch and finish, but this row's controller record is absent."""
    DUPLICATE_TOKEN = 4
    """Another row carries the same (core, token); neither was joined."""
    BACKWARDS = 8
    """The record ends before it starts; its times are null, the cycles are as found."""
    MIX = 16
    """The task runs on more than one kind of core."""
    FUNCTION_AMBIGUOUS = 32
    """The source does not say which of the task's functions ran here; the first one is shown."""
    EARLY_DISPATCH = 64
    """The controller may dispatch the task before its predecessors have finished."""
    MANUAL_SCOPE = 128
    """Submitted in a scope whose dependencies the program states by hand."""
    TOGETHER = 256
    """All blocks of the task start at the same time, once enough cores are idle."""
    AWAITS_ENGINE = 512
    """An engine beside the cores works on after the kernel; the task is done when the engine is."""
    WILD_TIME = 1024
    """A time is zero or far outside the run; the row's times are null, the cycles are as found."""


class EdgeFlag(IntFlag):
    """Bits of `edges.flags`."""

    WAIT = 1
    """The successor waits for the predecessor."""
    RETAIN = 2
    """The successor keeps the predecessor's output alive."""
    CYCLIC = 4
    """The edge is part of a cycle or between two cycles; such edges are kept only on request."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column; its type is i64, i32, f64 or word.

    A word is text: a code into `Trace.words` in memory, a string in the files.
    """

    name: str
    type: str
    doc: str
    since: str = ""
    """The version that added it; in a trace of an older one all its values are missing."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The numpy type of the column's values."""
        return _DTYPES[self.type]

    @property
    def missing(self) -> float | int:
        """The value that stands for "not known"."""
        return _MISSING[self.type]

    def is_missing(self, values: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """Mask of the values of this column that are not known."""
        mask: npt.NDArray[np.bool_] = (
            np.isnan(values) if self.type == "f64" else values == self.missing
        )
        return mask


@dataclass(frozen=True, slots=True)
class TableSchema:
    """One table: its name, its meaning, and its columns in the order in which they are stored."""

    name: str
    doc: str
    columns: tuple[Column, ...]
    since: str = ""
    """The version that added it; in a trace of an older one it has no rows."""

    def column(self, name: str) -> Column:
        """The column of this name; a KeyError names the table where it has none."""
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(f"table {self.name!r} has no column {name!r}")


_DTYPES: dict[str, np.dtype[Any]] = {
    "i64": np.dtype(np.int64),
    "i32": np.dtype(np.int32),
    "f64": np.dtype(np.float64),
    "word": np.dtype(np.int32),
}
_MISSING: dict[str, float | int] = {
    "i64": MISSING,
    "i32": MISSING32,
    "f64": float("nan"),
    "word": NO_WORD,
}
