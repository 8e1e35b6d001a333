"""Values of a graph's tensors during a run: which elements a task is given, and what it may do."""

from __future__ import annotations

import numpy as np
import pytest

from lanescope.errors import LanescopeError, UsageError
from lanescope.native import Array
from lanescope.workloads import GraphBuilder, TaskGraph, Tensor, TensorView
from lanescope.workloads.arguments import same_values
from lanescope.workloads.arrays import Arrays

NUMBERS = np.arange(24, dtype=np.int16).reshape(4, 6)
X = Tensor("x", (4, 6), 2, data=NUMBERS)
Y = Tensor("y", (3,), 8, data=lambda: np.ones(3))
PLAIN = Tensor("plain", (5,))


def graph() -> TaskGraph:
    builder = GraphBuilder("g")
    builder.task("f", reads=[X, PLAIN], writes=[Y])
    return builder.graph()


@pytest.mark.parametrize(
    ("view", "values"),
    [
        (X.whole(), NUMBERS.tolist()),
        (X[1:4:2, 2:5], [[8, 9, 10], [20, 21, 22]]),
        (X[:, ::3], [[0, 3], [6, 9], [12, 15], [18, 21]]),
        (X[3, 5], 23),
        (X.view((3,), (7,), offset=1), [1, 8, 15]),
        (X.view((2, 2), (0, 1), offset=4), [[4, 5], [4, 5]]),
        (X[2:2], []),
        (Y.whole(), [1, 1, 1]),
    ],
)
def test_a_view_has_its_own_elements(view: TensorView, values: object) -> None:
    found = Arrays(graph()).of(view)
    assert found is not None
    assert (found.shape, found.tolist()) == (view.shape, values)
    assert found.dtype == (np.int16 if view.tensor == X else np.float64)


def test_what_is_written_to_a_view_is_seen_in_the_whole() -> None:
    arrays = Arrays(graph())
    column = arrays.of(X[:, 1])
    assert column is not None
    column[...] = 77
    assert arrays.whole("x")[:, :3].tolist() == [[0, 77, 2], [6, 77, 8], [12, 77, 14], [18, 77, 20]]
    assert arrays.whole("x").shape == (4, 6)
    assert NUMBERS[0, 1] == 1


def test_a_tensor_without_an_array_has_no_values() -> None:
    assert Arrays(graph()).of(PLAIN.whole()) is None


def test_a_graph_without_arrays_has_no_values_at_all() -> None:
    with pytest.raises(UsageError, match=r"^empty works on no arrays$"):
        Arrays(GraphBuilder("empty").graph())


def test_columns_that_were_stored_first_are_turned_into_rows() -> None:
    builder = GraphBuilder("g")
    builder.task("f", writes=[Tensor("x", (4, 6), 2, data=np.asfortranarray(NUMBERS))])
    assert Arrays(builder.graph()).whole("x").tolist() == NUMBERS.tolist()


def test_a_task_computes_with_what_it_reads_and_then_what_it_writes() -> None:
    def compute(a: Array, b: Array, out: Array, last: Array) -> None:
        assert [one.flags.writeable for one in (a, b, out, last)] == [False, False, True, True]
        out[...] = a + 10 * b
        last[...] = 5

    a, b, out, last = (Tensor(n, (2,), data=np.ones(2, np.float32)) for n in ("a", "b", "o", "l"))
    builder = GraphBuilder("g")
    builder.task("idle", writes=[last])
    builder.task("f", reads=[a, b], writes=[out, last], compute=compute)
    arrays = Arrays(builder.graph())
    arrays.compute(0)
    assert arrays.whole("l").tolist() == [1, 1]
    arrays.compute(1)
    assert [arrays.whole(name).tolist() for name in "abol"] == [[1, 1], [1, 1], [11, 11], [5, 5]]


def test_a_division_by_zero_is_computed_and_not_warned_of() -> None:
    def divide(one: Array, other: Array) -> None:
        np.divide(one, other, out=other)

    ones, zeros = (Tensor(n, (2,), data=np.full(2, n == "a", np.float32)) for n in ("a", "b"))
    builder = GraphBuilder("g")
    builder.task("divide", reads=[ones], writes=[zeros], compute=divide)
    arrays = Arrays(builder.graph())
    arrays.compute(0)
    assert arrays.whole("b").tolist() == [np.inf, np.inf]


def test_the_task_that_fails_is_named_with_its_function() -> None:
    def fail(out: Array) -> None:
        raise KeyError("nothing")

    builder = GraphBuilder("g")
    builder.task("first", writes=[PLAIN])
    builder.task("second", writes=[Y], compute=fail)
    with pytest.raises(LanescopeError) as raised:
        Arrays(builder.graph()).compute(1)
    assert str(raised.value) == "computing task 1 (second) of g raised KeyError: 'nothing'"


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (np.array([[0.0, np.nan]], np.float32), True),
        (np.array([0.0, np.nan], np.float32), False),
        (np.array([[0.0, np.nan]], np.float64), False),
        (np.array([[-0.0, np.nan]], np.float32), False),
        (np.array([[0, 0x7FC00000]], np.int32), False),
    ],
)
def test_values_are_the_same_where_type_shape_and_bytes_are(other: Array, same: bool) -> None:
    assert same_values(np.array([[0.0, np.nan]], np.float32), other) is same
