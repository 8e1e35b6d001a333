"""Names of bars: per row a place in a tuple of names."""

from __future__ import annotations

import numpy as np

from lanescope.trace import Trace
from lanescope.trace.numbering import find
from lanescope.trace.rows import Rows
from lanescope.trace.table import Array


def function_names(trace: Trace, rows: Rows) -> tuple[Array, tuple[str, ...]]:
    """The functions of these task rows; the last name is for functions that are not known."""
    names = (*(name or "task" for name in trace.text("functions", "name")), "task")
    return _last_where_unknown(find(trace.functions["func"], trace.tasks["func"][rows]), names)


def word_names(code: Array, words: tuple[str, ...], unknown: str) -> tuple[Array, tuple[str, ...]]:
    """The words of these codes; `unknown` is the last name, for rows without a word."""
    return _last_where_unknown(code, (*words, unknown))


def _last_where_unknown(place: Array, names: tuple[str, ...]) -> tuple[Array, tuple[str, ...]]:
    """Places of -1 become the last place."""
    return np.where(place < 0, len(names) - 1, place), names
