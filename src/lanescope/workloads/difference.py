"""The first difference between two graphs, in words."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

import numpy as np

from lanescope.native import Array
from lanescope.workloads.arguments import Arguments, same_values
from lanescope.workloads.graph import EDGE_KINDS, TaskGraph, WorkKind

_SHAPES = {"blocks": 1, "partners": 0, "nodes": 0, "early": 0, "together": 0, "wait_ns": 0}
"""Columns that may be left out, with the value that every task then has."""


def first_difference(first: TaskGraph, second: TaskGraph) -> str | None:
    """Say where two graphs differ, or None where only their names do.

    Both must have passed `check`.
    """
    for what, rows in (("tasks", "func"), ("edges", "pred")):
        counts = len(getattr(first, rows)), len(getattr(second, rows))
        if counts[0] != counts[1]:
            return f"the number of {what} is {counts[0]}, then {counts[1]}"
    for (what, one), (_, other) in zip(_columns(first), _columns(second), strict=True):
        different = np.flatnonzero(one != other)
        if len(different):
            row = different[0]
            return f"{what} {row} is {one[row]}, then {other[row]}"
    if _scopes(first) != _scopes(second):
        return "the scopes are not the same"
    return _in_names(first, second) or _in_arguments(first, second)


def _scopes(graph: TaskGraph) -> list[list[int]]:
    scopes: list[list[int]] = [] if graph.scopes is None else graph.scopes.tolist()
    return scopes


def _columns(graph: TaskGraph) -> Iterator[tuple[str, Array]]:
    """Yield the columns with names for codes: two graphs may number functions differently."""
    yield "the function of task", np.array(graph.functions, object)[graph.func]
    yield "the kind of task", np.array(graph.kinds, object)[graph.kind]
    yield "the work of task", np.array([work.name for work in WorkKind], object)[graph.work]
    yield "the amount of task", graph.amount
    for what, usual in _SHAPES.items():
        column = getattr(graph, what)
        yield f"the {what} of task", np.full(len(graph), usual) if column is None else column
    yield "the pred of edge", graph.pred
    yield "the succ of edge", graph.succ
    edges = len(graph.pred)
    kind = np.zeros(edges, np.int32) if graph.edge_kind is None else graph.edge_kind
    yield "the kind of edge", np.array(EDGE_KINDS, object)[kind]
    yield "the arg of edge", np.full(edges, -1) if graph.edge_arg is None else graph.edge_arg


def _in_names(first: TaskGraph, second: TaskGraph) -> str | None:
    """Compare functions, kinds, kernels and spreads, also those that no task uses."""
    for what in ("functions", "kinds"):
        one, other = getattr(first, what), getattr(second, what)
        if one != other:
            return f"the {what} are {', '.join(one)}, then {', '.join(other)}"
    for name, kernel, other in zip_longest(first.functions, first.kernels, second.kernels):
        if kernel != other:
            return f"the kernel of function {name} is not the same"
    for name, spread, its in zip_longest(first.functions, first.spreads, second.spreads):
        if spread != its:
            return f"the spread of function {name} is not the same"
    return None


def _in_arguments(first: TaskGraph, second: TaskGraph) -> str | None:
    """Compare views and arrays.

    A function that makes an array is called, and compared, only when a run computes. What a
    function computes cannot be compared, only whether it computes.
    """
    none = Arguments({}, {}, {})
    one, other = first.arguments or none, second.arguments or none
    for task in sorted(one.by_task.keys() | other.by_task.keys()):
        if one.by_task.get(task) != other.by_task.get(task):
            return f"the arguments of task {task} are not the same"
    if one.compute.keys() != other.compute.keys():
        func = min(one.compute.keys() ^ other.compute.keys())
        return f"function {first.functions[func]} computes in one of them only"
    if one.data.keys() != other.data.keys():
        names = sorted(tensor.name for tensor in one.data.keys() ^ other.data.keys())
        return f"tensor {names[0]} has an array in one of them only"
    for tensor, data in one.data.items():
        again = other.data[tensor]
        if callable(data) and callable(again):
            continue
        if callable(data) or callable(again) or not same_values(data, again):
            return f"the array of tensor {tensor.name} is not the same"
    return None
