"""Tensors with arrays and functions that compute: what a graph keeps, and what is refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lanescope.errors import InputError, LanescopeError, UsageError
from lanescope.native import Array
from lanescope.workloads import (
    COMPUTING,
    WORKLOADS,
    GraphBuilder,
    TaskGraph,
    Tensor,
    build_workload,
    load_graph_file,
)
from lanescope.workloads.arguments import TaskArguments, check_array
from lanescope.workloads.arrays import Arrays
from lanescope.workloads.sound import sound


def zeros(name: str, *shape: int) -> Tensor:
    return Tensor(name, shape, data=np.zeros(shape, np.float32))


def copy(source: Array, target: Array) -> None:
    target[...] = source


def one_task(compute: Callable[..., None] = copy, **tensors: Tensor) -> TaskGraph:
    builder = GraphBuilder("g")
    source, target = tensors.get("x", zeros("x", 4)), tensors.get("y", zeros("y", 4))
    builder.task("copy", spin_ns=5, reads=[source], writes=[target], compute=compute)
    return builder.graph()


# ---- what is kept ----------------------------------------------------------------------------


def test_a_graph_without_arrays_keeps_nothing() -> None:
    builder = GraphBuilder("g")
    builder.task("f", reads=[Tensor("x", (4,))], writes=[Tensor("y", (4,))])
    assert builder.graph().arguments is None


def test_the_workloads_that_compute_are_those_that_say_so() -> None:
    having = [name for name in WORKLOADS if build_workload(name, {}).arguments is not None]
    assert having == list(COMPUTING)


def test_no_array_is_made_before_a_run_computes() -> None:
    made: list[int] = []

    def make() -> Array:
        made.append(1)
        return np.zeros(4, np.float32)

    graph = one_task(x=Tensor("x", (4,), data=make))
    graph.check()
    assert made == []
    Arrays(graph)
    assert len(made) == 2  # once more, to see that it makes the same


def test_an_argument_is_inout_where_the_same_elements_are_read_and_written() -> None:
    x = zeros("x", 4, 6)
    builder = GraphBuilder("g")
    builder.task("f", reads=[x[:, :3], x[0]], writes=[x[:, :3], x[1]])
    arguments = builder.graph().arguments
    assert arguments is not None
    assert [arguments.by_task[0].role(n) for n in range(4)] == ["inout", "input", "inout", "output"]


def test_every_run_begins_with_the_same_values() -> None:
    given = np.arange(4, dtype=np.float32)
    graph = one_task(lambda x, y: np.copyto(y, x + 1), y=Tensor("y", (4,), data=given))
    for _ in range(2):
        arrays = Arrays(graph)
        assert arrays.whole("y").tolist() == [0, 1, 2, 3]
        arrays.compute(0)
        assert arrays.whole("y").tolist() == [1, 1, 1, 1]
    assert given.tolist() == [0, 1, 2, 3]


def test_big_endian_arrays_are_turned_round() -> None:
    given = np.arange(4, dtype=">f4")
    arrays = Arrays(one_task(x=Tensor("x", (4,), data=given)))
    assert arrays.whole("x").dtype == np.dtype("<f4")
    assert arrays.whole("x").tolist() == [0, 1, 2, 3]


# ---- what is refused -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tensor", "sentence"),
    [
        (
            Tensor("x", (4,)),
            "task 0 (copy) of g computes, but tensor x has no array; give it one with "
            "Tensor('x', …, data=…)",
        ),
        (
            Tensor("x", (4,), data=np.zeros(5, np.float32)),
            "tensor x has the shape (4,) and 4 bytes per element, but its array the shape (5,) and "
            "4 bytes",
        ),
        (
            Tensor("x", (4,), data=np.zeros(4)),
            "tensor x has the shape (4,) and 4 bytes per element, but its array the shape (4,) and "
            "8 bytes",
        ),
        (
            Tensor("x", (4,), 8, data=np.zeros(4, np.complex64)),
            "the array of tensor x has the dtype complex64, expected bool, int8 to int64, uint8 to "
            "uint64, float16, float32 or float64",
        ),
    ],
)
def test_arrays_that_do_not_fit_are_refused(tensor: Tensor, sentence: str) -> None:
    with pytest.raises(UsageError, match=f"^{re.escape(sentence)}$"):
        one_task(x=tensor).check()


def test_a_made_array_that_does_not_fit_is_refused_when_it_is_made() -> None:
    graph = one_task(x=Tensor("x", (4,), data=lambda: np.zeros(5, np.float32)))
    graph.check()
    with pytest.raises(UsageError, match=r"^tensor x has the shape \(4,\) and 4 bytes per element"):
        Arrays(graph)


def test_a_made_array_that_differs_each_time_is_refused() -> None:
    rng = np.random.default_rng(1)
    graph = one_task(x=Tensor("x", (4,), data=lambda: rng.random(4, np.float32)))
    with pytest.raises(UsageError, match=r"tensor x makes another one each time it is called; "):
        Arrays(graph)


def test_a_task_that_computes_must_write() -> None:
    builder = GraphBuilder("g")
    builder.task("f", reads=[zeros("x", 4)], compute=copy)
    with pytest.raises(UsageError, match=r"^task 0 \(f\) of g computes, but writes no tensor; "):
        builder.graph().check()


def test_a_function_computes_in_one_way() -> None:
    builder = GraphBuilder("g")
    x = zeros("x", 4)
    builder.task("f", writes=[x], compute=copy)
    with pytest.raises(UsageError, match=r"^function f of g computes in two different ways$"):
        builder.task("f", writes=[x], compute=print)


def test_a_tensor_has_one_array() -> None:
    builder = GraphBuilder("g")
    builder.task("f", writes=[zeros("x", 4)])
    with pytest.raises(UsageError, match=r"^tensor x is given two arrays; make it only once$"):
        builder.task("f", writes=[zeros("x", 4)])


def test_arguments_of_another_type_are_refused() -> None:
    graph = replace(one_task(), arguments={})  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"^arguments must be of type Arguments or None, not dict"):
        sound(graph)


def fails(x: Array, y: Array) -> None:
    raise ValueError("no such value")


@pytest.mark.parametrize(
    ("compute", "sentence"),
    [
        (fails, "computing task 0 (copy) of g raised ValueError: no such value"),
        (
            lambda x, y: np.copyto(x, y),
            "computing task 0 (copy) of g raised ValueError: assignment destination is read-only",
        ),
        (
            np.add,
            "task 0 (copy) of g computed a value of type ndarray and returned it; write into the "
            "output arrays instead, and return nothing",
        ),
    ],
)
def test_a_function_that_computes_wrongly_is_named(
    compute: Callable[..., None], sentence: str
) -> None:
    with pytest.raises(LanescopeError, match=f"^{re.escape(sentence)}$"):
        Arrays(one_task(compute)).compute(0)


def test_a_function_that_makes_an_array_and_fails_is_named() -> None:
    graph = one_task(x=Tensor("x", (4,), data=lambda: np.zeros(-4)))
    sentence = r"^making the array of tensor x raised ValueError: negative dimensions are not allo"
    with pytest.raises(LanescopeError, match=sentence):
        Arrays(graph)


@pytest.mark.parametrize("data", [[0, 0], lambda: [0, 0]])
def test_data_that_is_no_array_is_refused(data: object) -> None:
    graph = one_task(x=Tensor("x", (2,), data=data))  # type: ignore[arg-type]
    sentence = "the data of tensor x is a list, expected a numpy array or a function that makes one"
    with pytest.raises(UsageError, match=f"^{sentence}$"):
        graph.check()
        Arrays(graph)


def test_what_a_users_function_prints_is_no_output(capsys: pytest.CaptureFixture[str]) -> None:
    def talk(x: Array, y: Array) -> None:
        print("computing")

    Arrays(one_task(talk)).compute(0)
    assert capsys.readouterr() == ("", "computing\n")


def test_an_array_that_is_not_there_is_refused_with_those_there_are() -> None:
    with pytest.raises(UsageError, match=r"^g has no array 'z'; it has: x, y$"):
        Arrays(one_task()).whole("z")


# ---- two graphs ------------------------------------------------------------------------------


def test_a_file_with_random_arrays_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "import numpy as np\n"
        "from lanescope.workloads import GraphBuilder, Tensor\n"
        "def graph():\n"
        "    builder = GraphBuilder('')\n"
        "    x = Tensor('x', (4,), 8, data=np.random.default_rng().random(4))\n"
        "    builder.task('f', spin_ns=5, writes=[x])\n"
        "    return builder\n"
    )
    with pytest.raises(InputError, match=r"\(the array of tensor x is not the same\); seed your"):
        load_graph_file(file, {})


# ---- the other side of each refusal ----------------------------------------------------------


def test_an_argument_that_is_written_alone_is_an_output_wherever_it_stands() -> None:
    x = zeros("x", 4, 6)
    arguments = TaskArguments((x[0],), (x[1], x[0]))
    assert [arguments.role(number) for number in range(3)] == ["inout", "output", "inout"]
    assert arguments.views == (x[0], x[1], x[0])
    reads = TaskArguments((x[0], x[2]), (x[1],))
    assert [reads.role(number) for number in range(3)] == ["input", "input", "output"]


@pytest.mark.parametrize(
    "dtype",
    [
        *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
        *("float16", "float32", "float64"),
    ],
)
def test_arrays_of_these_types_pass(dtype: str) -> None:
    data = np.zeros(3, dtype)
    check_array(Tensor("x", (3,), data.dtype.itemsize), data)


@pytest.mark.parametrize(
    "array",
    [np.zeros(3, np.complex64), np.zeros(3, "S4"), np.zeros(3, "M8[s]"), np.zeros(3, "longdouble")],
)
def test_arrays_of_other_types_are_refused(array: Array) -> None:
    with pytest.raises(UsageError) as refused:
        check_array(Tensor("x", (3,), array.dtype.itemsize), array)
    assert str(refused.value) == (
        f"the array of tensor x has the dtype {array.dtype}, expected bool, int8 to int64, uint8 "
        "to uint64, float16, float32 or float64"
    )


@pytest.mark.parametrize("shape", [(6,), (3, 2), (2, 3, 1)])
def test_arrays_of_another_shape_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(UsageError) as refused:
        check_array(Tensor("x", (2, 3), 2), np.zeros(shape, np.int16))
    assert str(refused.value) == (
        f"tensor x has the shape (2, 3) and 2 bytes per element, but its array the shape {shape} "
        "and 2 bytes"
    )


def test_the_task_that_has_no_array_is_named_whichever_it_is() -> None:
    builder = GraphBuilder("g")
    builder.task("idle", writes=[zeros("x", 4)])
    builder.task("copy", reads=[zeros("a", 4)], writes=[zeros("b", 4)], compute=copy)
    builder.task("copy", reads=[zeros("c", 4)], writes=[Tensor("d", (4,))])
    sentence = (
        "task 2 (copy) of g computes, but tensor d has no array; give it one with "
        "Tensor('d', …, data=…)"
    )
    with pytest.raises(UsageError, match=f"^{re.escape(sentence)}$"):
        builder.graph().check()


@pytest.mark.parametrize("by_task", [{}, {0: TaskArguments((zeros("x", 4).whole(),), ())}])
def test_a_task_that_computes_and_writes_nothing_says_what_to_do(
    by_task: dict[int, TaskArguments],
) -> None:
    graph = one_task()
    assert graph.arguments is not None
    bad = replace(graph, arguments=graph.arguments._replace(by_task=by_task))
    sentence = "task 0 (copy) of g computes, but writes no tensor; name one with writes="
    with pytest.raises(UsageError, match=f"^{re.escape(sentence)}$"):
        bad.check()


def test_a_made_array_that_differs_says_what_to_do() -> None:
    made = iter([np.zeros(2, np.float32), np.ones(2, np.float32)])
    graph = one_task(x=Tensor("x", (2,), data=lambda: next(made)))
    sentence = (
        "the function that makes the array of tensor x makes another one each time it is called; "
        "seed your random numbers in it"
    )
    with pytest.raises(UsageError, match=f"^{re.escape(sentence)}$"):
        Arrays(graph)
