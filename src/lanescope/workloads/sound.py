"""Refuses a graph made by hand whose columns are not what TaskGraph documents."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from lanescope.errors import UsageError
from lanescope.native import Array
from lanescope.render.cells import many_text
from lanescope.workloads.arguments import Arguments
from lanescope.workloads.graph import TaskGraph
from lanescope.workloads.spread import LengthSpread

_TASK_COLUMNS = ("func", "kind", "work", "amount")
_EDGE_COLUMNS = ("pred", "succ")
_CAUSE_COLUMNS = ("edge_kind", "edge_arg")
"""Columns of edges that may be left out."""
_SHAPE_COLUMNS = ("blocks", "partners", "nodes", "early", "together", "wait_ns")
"""Columns of tasks that may be left out."""
_CODES = ("func", "kind", "work", *_SHAPE_COLUMNS[:-1], "edge_kind", "edge_arg")


def sound(graph: TaskGraph) -> TaskGraph:
    """Return the graph with columns of the documented types; refuse a wrong one or an empty one."""
    for name in (graph.name, *graph.functions, *graph.kinds):
        if not isinstance(name, str):
            raise UsageError(f"names must be text, but one is {name!r}")
    if not isinstance(graph.arguments, Arguments | None):
        kind = type(graph.arguments).__name__
        raise UsageError(f"arguments must be of type Arguments or None, not {kind}")
    if not all(isinstance(spread, LengthSpread | None) for spread in graph.spreads):
        raise UsageError("spreads must be of type LengthSpread or None, one for each function")
    shapes, causes = (
        [name for name in names if getattr(graph, name) is not None]
        for names in (_SHAPE_COLUMNS, _CAUSE_COLUMNS)
    )
    columns: dict[str, Any] = _columns(graph, (*_TASK_COLUMNS, *shapes))
    columns |= _columns(graph, (*_EDGE_COLUMNS, *causes))
    if len(columns["func"]) == 0:
        raise UsageError("has no task; add at least one with GraphBuilder.task()")
    functions, kinds = tuple(graph.functions), tuple(graph.kinds)
    wide = replace(graph, functions=functions, kinds=kinds, **columns)
    wide.check()
    # After the check: a code too large for int32 would have become another one.
    codes: dict[str, Any] = {
        column: columns[column].astype(np.int32) for column in _CODES if column in columns
    }
    return replace(wide, **codes)


def _columns(graph: TaskGraph, names: tuple[str, ...]) -> dict[str, Array]:
    """Return these columns as int64; all must be as long as the first."""
    columns = {name: _whole_numbers(graph, name) for name in names}
    rows = len(columns[names[0]])
    for name, values in columns.items():
        if len(values) != rows:
            raise UsageError(
                f"the column {name} has {many_text(len(values), 'row')}, but {names[0]} has "
                f"{rows}; they must be equally long"
            )
    return columns


def _whole_numbers(graph: TaskGraph, name: str) -> Array:
    values = np.asarray(getattr(graph, name))
    if values.ndim != 1 or (values.size and values.dtype.kind not in "iu"):
        raise UsageError(
            f"the column {name} must be a row of whole numbers, not of type {values.dtype} "
            f"with {many_text(values.ndim, 'dimension')}"
        )
    return values.astype(np.int64)
