"""Bars that an analysis wants drawn beside the trace, for the exporters and the viewer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from lanescope.trace.table import Array

if TYPE_CHECKING:
    from lanescope.trace.trace import Trace


@dataclass(frozen=True, slots=True, eq=False)
class Highlight:
    """A group of rows with bars in the trace's time.

    `lane` points into `lanes`, `name` into `names`; `task` is a task id or MISSING.
    """

    title: str
    lanes: tuple[str, ...]
    lane: Array
    start_ns: Array
    end_ns: Array
    name: Array
    names: tuple[str, ...]
    task: Array


Highlighter: TypeAlias = "Callable[[Trace], Highlight | None]"
"""Makes the highlight of a trace; exporters that draw none do not call it."""
