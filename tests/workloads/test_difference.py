"""The first difference between two graphs, in words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from lanescope.workloads import GraphBuilder, TaskGraph, Tensor
from lanescope.workloads.arguments import Arguments, TaskArguments
from lanescope.workloads.difference import first_difference
from lanescope.workloads.pipes import PipeKernel
from lanescope.workloads.spread import LengthSpread

X, Y = (Tensor(name, (2,), data=np.zeros(2, np.float32)) for name in "xy")
SHAPES = {"blocks": 1, "partners": 0, "nodes": 0, "early": 0, "together": 0, "wait_ns": 0}


def graph(**columns: Any) -> TaskGraph:
    builder = GraphBuilder("g")
    builder.task("A", spin_ns=5)
    builder.task("B", spin_ns=5, after=[0])
    return replace(builder.graph(), **columns)


@pytest.mark.parametrize("column", SHAPES)
def test_a_column_that_is_left_out_has_the_usual_values(column: str) -> None:
    absent, usual = graph(**{column: None}), graph(**{column: np.full(2, SHAPES[column])})
    other = graph(**{column: np.array([SHAPES[column], SHAPES[column] + 1])})
    assert first_difference(absent, usual) is None
    assert first_difference(usual, absent) is None
    assert first_difference(other, absent) == (
        f"the {column} of task 1 is {SHAPES[column] + 1}, then {SHAPES[column]}"
    )


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ({"func": np.array([0, 0])}, "the function of task 1 is B, then A"),
        (
            {"kinds": ("aiv", "aic"), "kind": np.array([0, 1])},
            "the kind of task 1 is aiv, then aic",
        ),
        ({"pred": np.array([1])}, "the pred of edge 0 is 0, then 1"),
        ({"succ": np.array([0])}, "the succ of edge 0 is 1, then 0"),
        ({"amount": np.array([5, 6])}, "the amount of task 1 is 5, then 6"),
        ({"work": np.array([1, 2])}, "the work of task 1 is SPIN, then COPY"),
        ({"edge_kind": np.array([1])}, "the kind of edge 0 is explicit, then tensormap"),
        ({"edge_arg": np.array([2])}, "the arg of edge 0 is -1, then 2"),
        ({"edge_kind": None, "edge_arg": None}, None),
        ({"scopes": np.array([[0, 2]])}, "the scopes are not the same"),
        ({"kinds": ("aiv", "aic")}, "the kinds are aiv, then aiv, aic"),
        ({"functions": ("A", "B", "C")}, "the functions are A, B, then A, B, C"),
        ({"kernels": (PipeKernel("k", ()),)}, "the kernel of function A is not the same"),
        ({"kernels": (None, PipeKernel("k", ()))}, "the kernel of function B is not the same"),
        ({"kernels": ()}, None),
        ({"spreads": (LengthSpread(sigma_ns=1),)}, "the spread of function A is not the same"),
        (
            {"spreads": (None, LengthSpread(sigma_ns=1))},
            "the spread of function B is not the same",
        ),
        ({"name": "another"}, None),
    ],
)
def test_what_differs_is_named(columns: dict[str, Any], sentence: str | None) -> None:
    assert first_difference(graph(), graph(**columns)) == sentence


def test_tasks_are_counted_before_edges() -> None:
    one, two = GraphBuilder("g"), GraphBuilder("g")
    one.task("A")
    one.task("A", after=[0])
    two.task("A")
    assert first_difference(one.graph(), two.graph()) == "the number of tasks is 2, then 1"
    two.task("A")
    assert first_difference(one.graph(), two.graph()) == "the number of edges is 1, then 0"


def test_another_order_of_the_functions_is_a_difference_after_those_of_tasks() -> None:
    swapped = graph(functions=("B", "A"), func=np.array([1, 0]))
    assert first_difference(graph(), swapped) == "the functions are A, B, then B, A"


def arguments(**changed: Any) -> Arguments:
    by_task = {0: TaskArguments((X.whole(),), (Y.whole(),))}
    return Arguments(by_task, {}, {X: np.zeros(2, np.float32)})._replace(**changed)


def zeros() -> np.ndarray:
    return np.zeros(2, np.float32)


@pytest.mark.parametrize(
    ("one", "other", "sentence"),
    [
        (arguments(), arguments(), None),
        (None, arguments(), "the arguments of task 0 are not the same"),
        (arguments(by_task={}), None, "tensor x has an array in one of them only"),
        (
            arguments(),
            arguments(by_task={0: TaskArguments((), (Y.whole(),))}),
            "the arguments of task 0 are not the same",
        ),
        (
            arguments(by_task={}),
            arguments(by_task={5: TaskArguments((), ()), 1: TaskArguments((), ())}),
            "the arguments of task 1 are not the same",
        ),
        (
            arguments(compute={0: print, 1: print}),
            arguments(compute={}),
            "function A computes in one of them only",
        ),
        (
            arguments(compute={0: print}),
            arguments(compute={0: zeros, 1: print}),
            "function B computes in one of them only",
        ),
        (arguments(compute={0: print}), arguments(compute={0: zeros}), None),
        (
            arguments(data={Y: zeros(), X: zeros()}),
            arguments(data={}),
            "tensor x has an array in one of them only",
        ),
        (
            arguments(data={X: zeros(), Y: zeros()}),
            arguments(data={Y: zeros() + 1, X: zeros()}),
            "the array of tensor y is not the same",
        ),
        (
            arguments(data={X: zeros()}),
            arguments(data={X: zeros().astype(np.int32)}),
            "the array of tensor x is not the same",
        ),
        (arguments(data={X: zeros() * np.nan}), arguments(data={X: zeros() * np.nan}), None),
        (
            arguments(data={X: zeros}),
            arguments(data={X: zeros()}),
            "the array of tensor x is not the same",
        ),
        (
            arguments(data={X: zeros()}),
            arguments(data={X: zeros}),
            "the array of tensor x is not the same",
        ),
        (arguments(data={X: zeros}), arguments(data={X: lambda: zeros() + 1}), None),
        (
            arguments(data={X: zeros, Y: zeros()}),
            arguments(data={X: zeros, Y: zeros() + 1}),
            "the array of tensor y is not the same",
        ),
    ],
)
def test_arguments_and_arrays_are_compared(
    one: Arguments | None, other: Arguments | None, sentence: str | None
) -> None:
    assert first_difference(graph(arguments=one), graph(arguments=other)) == sentence
