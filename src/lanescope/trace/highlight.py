"""Bars that an analysis wants drawn beside the trace, for the exporters and the viewer."""

from __future__ import annotations

from dataclasses import dataclass

from lanescope.trace.table import Array


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
