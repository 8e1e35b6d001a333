"""The graph that a builder makes, column by column, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

from lanescope.errors import UsageError
from lanescope.workloads import GraphBuilder, TaskGraph, Tensor, WorkKind
from lanescope.workloads.graph import NodeKind
from lanescope.workloads.pipes import PipeKernel, PipeOp
from lanescope.workloads.spread import LengthSpread

OPTIONAL = ("blocks", "partners", "nodes", "early", "together", "wait_ns", "scopes")


def kernel(ps: int) -> PipeKernel:
    return PipeKernel("spin", (PipeOp("scalar", ps=ps),))


def listed(graph: TaskGraph, *names: str) -> list[list[int] | None]:
    columns = (getattr(graph, name) for name in names)
    return [None if column is None else column.tolist() for column in columns]


def test_a_task_is_one_block_of_a_vector_core_that_does_nothing_unless_told_otherwise() -> None:
    builder = GraphBuilder("g")
    assert (builder.task("A"), builder.task("B")) == (0, 1)
    graph = builder.graph()
    graph.check()
    assert (graph.name, graph.functions, graph.kinds) == ("g", ("A", "B"), ("aiv",))
    assert listed(graph, "work", "amount") == [[WorkKind.NONE] * 2, [0, 0]]
    assert listed(graph, *OPTIONAL) == [[1, 1], [0, 0], [0, 0], None, None, None, None]
    assert listed(graph, "pred", "succ", "edge_kind", "edge_arg") == [[], [], [], []]
    assert (graph.kernels, graph.spreads) == ((None, None), (None, None))
    assert graph.arguments is None


def test_every_option_of_a_task_has_its_column() -> None:
    builder = GraphBuilder("g")
    builder.task("A", kind="aic", spin_ns=7, blocks=3, partners=2)
    builder.task("B", work=WorkKind.COPY, amount=64, early=True)
    builder.task("C", blocks=4, together=True, spin_ns=0)
    builder.task("D", wait_ns=1 << 40, spin_ns=5)
    builder.task("E", node=NodeKind.SKIPPED)
    graph = builder.graph()
    graph.check()
    work = [WorkKind.SPIN, WorkKind.COPY, WorkKind.SPIN, WorkKind.SPIN, WorkKind.NONE]
    assert listed(graph, "func", "kind", "work", "amount") == [
        *([0, 1, 2, 3, 4], [0, 1, 1, 1, 1], work, [7, 64, 0, 5, 0])
    ]
    assert listed(graph, *OPTIONAL) == [
        *([3, 1, 4, 1, 1], [2, 0, 0, 0, 0], [0, 0, 0, 0, 3]),
        *([0, 1, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 1 << 40, 0], None),
    ]
    types = [getattr(graph, name).dtype for name in ("blocks", "partners", "nodes", "early")]
    assert types == [np.int32] * 4
    assert graph.together is not None and graph.together.dtype == np.int32
    assert graph.wait_ns is not None and graph.wait_ns.dtype == np.int64


def test_a_stated_length_counts_more_than_other_work_and_a_kernel_more_than_both() -> None:
    builder = GraphBuilder("g")
    builder.task("A", spin_ns=3, work=WorkKind.COPY, amount=9)
    builder.task("B", kernel=kernel(5), spin_ns=3, work=WorkKind.COPY, amount=9)
    builder.task("C")
    graph = builder.graph()
    assert listed(graph, "work", "amount") == [[WorkKind.SPIN, WorkKind.PIPES, 0], [3, 3, 0]]
    assert graph.kernels == (None, kernel(5), None)


def test_a_function_keeps_its_kernel_and_has_no_second_one() -> None:
    builder = GraphBuilder("g")
    builder.task("A", kernel=kernel(5))
    builder.task("A")
    builder.task("A", kernel=kernel(5))
    with pytest.raises(UsageError, match=r"^function A of g has two different kernels$"):
        builder.task("A", kernel=kernel(6))
    assert builder.graph().kernels == (kernel(5),)


def test_edges_come_in_the_order_in_which_they_were_said() -> None:
    builder = GraphBuilder("g")
    tensor = Tensor("x", (4,))
    builder.edge(1, 2)
    builder.task("A", writes=[tensor])
    builder.task("A", after=(0,), reads=[tensor])
    builder.task("A")
    graph = builder.graph()
    assert listed(graph, "pred", "succ", "edge_kind", "edge_arg") == [
        *([1, 0, 0], [2, 1, 1], [0, 0, 1], [-1, -1, 0])
    ]
    types = [getattr(graph, name).dtype for name in ("pred", "succ", "edge_kind", "edge_arg")]
    assert types == [np.int64, np.int64, np.int32, np.int32]


def test_scopes_are_kept_in_the_order_of_their_ends_and_empty_ones_are_not() -> None:
    builder = GraphBuilder("g")
    with builder.scope():
        builder.task("A")
        with builder.scope():
            builder.task("A")
        with builder.scope():
            pass
        builder.task("A")
    builder.task("A")
    graph = builder.graph()
    graph.check()
    assert graph.scopes is not None
    assert (graph.scopes.tolist(), graph.scopes.dtype) == ([[1, 2], [0, 3]], np.int64)


def test_spreads_stand_at_the_place_of_their_function() -> None:
    builder = GraphBuilder("g")
    builder.task("A", spin_ns=5)
    builder.vary("B", sample_ns=[3.0, 4.0], basis="measured", source="a run")  # type: ignore[list-item]
    builder.vary("C", sigma_ns=2.5)
    graph = builder.graph()
    assert graph.functions == ("A", "B", "C")
    measured = LengthSpread(sample_ns=(3, 4), basis="measured", source="a run")
    assert graph.spreads == (None, measured, LengthSpread(sigma_ns=2.5, basis="assumed", source=""))


def test_a_tensor_with_an_array_is_an_argument_of_every_task_that_uses_it() -> None:
    builder = GraphBuilder("g")
    data = np.zeros(4, np.float32)
    x, plain = Tensor("x", (4,), data=data), Tensor("plain", (4,))
    builder.task("A", reads=[plain])
    builder.task("B", reads=[Tensor("x", (4,))[:2]])
    builder.task("C", reads=[plain, x[:2]])
    builder.task("D", writes=[x])
    builder.task("E", writes=[Tensor("x", (4,))])
    arguments = builder.graph().arguments
    assert arguments is not None
    assert list(arguments.by_task) == [2, 3, 4]
    assert arguments.by_task[2] == ((plain.whole(), x[:2]), ())
    assert arguments.by_task[2].views == (plain.whole(), x[:2])
    assert arguments.by_task[3] == ((), (x.whole(),))
    assert list(arguments.data) == [x] and arguments.data[x] is data
    assert arguments.compute == {}


def test_a_task_that_computes_has_arguments_though_its_tensors_have_no_arrays() -> None:
    builder = GraphBuilder("g")
    plain = Tensor("plain", (4,))
    builder.task("A")
    builder.task("B", writes=[plain], compute=print)
    arguments = builder.graph().arguments
    assert arguments is not None
    assert arguments == ({1: ((), (plain.whole(),))}, {1: print}, {})
