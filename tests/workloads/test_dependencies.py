"""Edges from the tensors that tasks read and write."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lanescope
from lanescope.errors import UsageError
from lanescope.workloads import GraphBuilder, TaskGraph, Tensor, TensorView
from lanescope.workloads.difference import first_difference
from lanescope.workloads.sound import sound

X = Tensor("X", (8, 8))
Y = Tensor("Y", (8, 8))
LEFT, RIGHT = X[:, :4], X[:, 4:]

Uses = list[TensorView | Tensor]
Edge = tuple[int, int, int]


def graph(*tasks: tuple[Uses, Uses]) -> TaskGraph:
    """Tasks by what they read and what they write."""
    builder = GraphBuilder("uses")
    for reads, writes in tasks:
        builder.task("A", spin_ns=100, reads=reads, writes=writes)
    return builder.graph()


def derived(*tasks: tuple[Uses, Uses]) -> list[Edge]:
    """(pred, succ, arg) of their edges."""
    made = graph(*tasks)
    made.check()
    assert made.edge_kind is not None
    assert made.edge_arg is not None
    assert set(made.edge_kind.tolist()) <= {1}
    columns = (made.pred.tolist(), made.succ.tolist(), made.edge_arg.tolist())
    return list(zip(*columns, strict=True))


def test_a_reader_waits_for_the_writer() -> None:
    assert derived(([], [X]), ([X], [])) == [(0, 1, 0)]


def test_a_writer_waits_for_the_writer_before() -> None:
    assert derived(([], [X]), ([], [LEFT])) == [(0, 1, 0)]


def test_a_writer_waits_for_the_readers_before() -> None:
    assert derived(([X], []), ([LEFT], []), ([], [X])) == [(0, 2, 0), (1, 2, 0)]


def test_readers_do_not_wait_for_each_other() -> None:
    assert derived(([X], []), ([X], []), ([X, Y], [])) == []


def test_other_tensors_and_other_elements_are_not_waited_for() -> None:
    assert derived(([], [X]), ([Y], [])) == []
    assert derived(([], [LEFT]), ([RIGHT], []), ([], [RIGHT])) == [(1, 2, 0)]


def test_interleaved_columns_are_apart() -> None:
    even, odd = X[:, ::2], X[:, 1::2]
    assert derived(([], [even]), ([], [odd]), ([odd], []), ([even], [])) == [(1, 2, 0), (0, 3, 0)]


def test_arguments_are_what_is_read_then_what_is_written() -> None:
    first: tuple[Uses, Uses] = ([], [X, Y])
    assert derived(first, ([Y, X], [])) == [(0, 1, 0), (0, 1, 1)]
    assert derived(first, ([X], [Tensor("Z", (1,)), Y])) == [(0, 1, 0), (0, 1, 2)]
    assert derived(first, ([X], [X])) == [(0, 1, 0), (0, 1, 1)]
    assert derived(first, ([X[2:2], X], [])) == [(0, 1, 1)]


def test_a_task_does_not_wait_for_itself() -> None:
    assert derived(([X], [X, X])) == []


def test_a_full_overwrite_hides_earlier_writers_and_readers() -> None:
    assert derived(([], [LEFT]), ([X], []), ([], [X]), ([X], []), ([], [LEFT])) == [
        (0, 1, 0),
        (0, 2, 0),
        (1, 2, 0),
        (2, 3, 0),
        (2, 4, 0),
        (3, 4, 0),
    ]


def test_partial_writers_do_not_hide_the_one_before() -> None:
    assert derived(([], [X]), ([], [LEFT]), ([X], [])) == [(0, 1, 0), (0, 2, 0), (1, 2, 0)]
    assert derived(([], [X]), ([], [LEFT]), ([], [RIGHT]), ([X[0]], [])) == [
        (0, 1, 0),
        (0, 2, 0),
        (0, 3, 0),
        (1, 3, 0),
        (2, 3, 0),
    ]


def test_who_uses_only_what_was_overwritten_waits_for_that_writer_only() -> None:
    assert derived(([], [X]), ([X], []), ([], [LEFT]), ([X[0:2, 1:3]], []))[-1:] == [(2, 3, 0)]
    assert derived(([], [X]), ([X], []), ([], [LEFT]), ([], [LEFT])) == [
        (0, 1, 0),
        (0, 2, 0),
        (1, 2, 0),
        (2, 3, 0),
    ]


def test_a_writer_that_was_hidden_is_waited_for_by_nobody_though_others_reach_further() -> None:
    """The last one reads more than the second one wrote over; it begins at the first element."""
    assert derived(([], [X[:2]]), ([], [X[:4]]), ([X[:6]], [])) == [(0, 1, 0), (1, 2, 0)]


def test_explicit_edges_stay_explicit() -> None:
    builder = GraphBuilder("both")
    first = builder.task("A", writes=[X])
    builder.task("B", after=[first], reads=[X])
    builder.edge(0, 1)
    made = builder.graph()
    assert made.edge_kind is not None
    assert made.edge_arg is not None
    assert (made.edge_kind.dtype, made.edge_arg.dtype) == (np.int32, np.int32)
    assert (made.edge_kind.tolist(), made.edge_arg.tolist()) == ([0, 1, 0], [-1, 0, -1])
    assert made.predecessor_counts().tolist() == [0, 3]
    assert made.successors()[1].tolist() == [1, 1, 1]


def test_two_tensors_of_one_name_are_refused() -> None:
    with pytest.raises(
        UsageError,
        match=r"^there are two tensors X: of shape \(8, 8\) and 4 bytes per element, then of "
        r"shape \(64,\) and 2$",
    ):
        graph(([], [X]), ([Tensor("X", (64,), 2)], []))


@pytest.mark.parametrize("tasks", [15, 16, 17, 33, 40])
def test_a_writer_waits_for_as_many_readers_as_there_are(tasks: int) -> None:
    """The first one reads the first element alone."""
    line = Tensor("L", (64,))
    readers: list[tuple[Uses, Uses]] = [([line[n]], []) for n in range(tasks)]
    assert derived(*readers, ([], [line])) == [(task, tasks, 0) for task in range(tasks)]
    assert derived(*readers, ([], [line[0]])) == [(0, tasks, 0)]


@pytest.mark.parametrize("tasks", [15, 16, 17, 33, 40])
def test_of_many_writers_each_waits_for_the_one_before_alone(tasks: int) -> None:
    writers: list[tuple[Uses, Uses]] = [([], [X])] * tasks
    assert derived(*writers, ([X], [])) == [(task, task + 1, 0) for task in range(tasks)]


def test_writers_that_are_hidden_are_forgotten_and_the_others_are_not() -> None:
    """Twelve stay on the right while the left is written over and over."""
    right: list[tuple[Uses, Uses]] = [([], [X[row, 4:]]) for row in range(8)]
    left: list[tuple[Uses, Uses]] = [([], [LEFT])] * 20
    found = derived(*right, *left, ([], [X]))
    assert found == [
        *[(task, task + 1, 0) for task in range(8, 27)],
        *[(task, 28, 0) for task in [*range(8), 27]],
    ]


def test_views_that_touch_in_one_element_are_waited_for_and_neighbours_are_not() -> None:
    line = Tensor("L", (8,))
    first: tuple[Uses, Uses] = ([], [line[2:5]])
    assert derived(first, ([line[4]], [])) == derived(first, ([line[2]], [])) == [(0, 1, 0)]
    assert derived(first, ([line[5]], [])) == derived(first, ([line[1]], [])) == []
    assert derived(([], [line[0]]), ([line[0]], [])) == [(0, 1, 0)]


def test_a_task_that_reads_and_writes_is_waited_for_once() -> None:
    assert derived(([X], [X]), ([X], [X])) == [(0, 1, 0), (0, 1, 1)]
    assert derived(([X], [LEFT]), ([], [X])) == [(0, 1, 0)]


def test_an_empty_view_is_no_use_of_a_tensor() -> None:
    assert derived(([], [X[2:2]]), ([X], [X[3:3]]), ([], [X])) == [(1, 2, 0)]


PIECES = st.lists(
    st.builds(
        lambda row, column, height, width, step: X[
            row : min(row + height, 8) : step, column : min(column + width, 8) : step
        ],
        st.integers(0, 7),
        st.integers(0, 7),
        st.integers(1, 8),
        st.integers(1, 8),
        st.integers(1, 2),
    ),
    max_size=2,
)


def cells(views: list[TensorView]) -> set[int]:
    return {
        view.offset + i * view.strides[0] + j * view.strides[1]
        for view in views
        for i in range(view.shape[0])
        for j in range(view.shape[1])
    }


@given(st.lists(st.tuples(PIECES, PIECES), max_size=8))
def test_a_task_comes_after_all_that_it_conflicts_with(
    tasks: list[tuple[list[TensorView], list[TensorView]]],
) -> None:
    edges = derived(*tasks)  # type: ignore[arg-type]
    reached: list[set[int]] = [set() for _ in tasks]
    for pred, succ, _ in edges:
        reached[succ] |= {pred, *reached[pred]}
    reads, writes = ([cells(task[which]) for task in tasks] for which in (0, 1))
    conflicts = [
        {
            first
            for first in range(second)
            if writes[first] & (reads[second] | writes[second]) or reads[first] & writes[second]
        }
        for second in range(len(tasks))
    ]
    assert all(after >= before for after, before in zip(reached, conflicts, strict=True))
    assert all(pred in conflicts[succ] for pred, succ, _ in edges)
    assert len(set(edges)) == len(edges)


# ---- the columns -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("column", "values", "sentence"),
    [
        ("edge_kind", [1, 2], "edge 1 of uses has edge_kind 2, expected 0 to 1"),
        ("edge_kind", [1], "uses has 2 edges, but edge_kind has 1 rows"),
        ("edge_arg", [-2, 0], "edge 0 of uses has edge_arg -2, expected -1 to 2147483647"),
        ("edge_arg", [0, 0, 0], "uses has 2 edges, but edge_arg has 3 rows"),
    ],
)
def test_causes_that_mean_nothing_are_refused(
    column: str, values: list[int], sentence: str
) -> None:
    made = graph(([], [X]), ([X], []), ([X], []))
    with pytest.raises(UsageError, match=f"^{sentence}$"):
        dataclasses.replace(made, **{column: np.array(values)}).check()


def test_causes_may_be_lists_or_left_out() -> None:
    made = graph(([], [X]), ([X], []))
    given = dataclasses.replace(made, edge_kind=[1], edge_arg=None)  # type: ignore[arg-type]
    found = sound(given)
    assert found.edge_arg is None
    assert found.edge_kind is not None
    assert (found.edge_kind.dtype, found.edge_kind.tolist()) == (np.int32, [1])


def test_other_causes_make_another_graph() -> None:
    made = graph(([], [X]), ([X], [X]))
    plain = dataclasses.replace(made, edge_kind=None, edge_arg=None)
    explicit = dataclasses.replace(made, edge_kind=np.array([0, 0]), edge_arg=np.array([-1, -1]))
    assert first_difference(plain, explicit) is None
    assert first_difference(made, plain) == "the kind of edge 0 is tensormap, then explicit"
    other = dataclasses.replace(made, edge_arg=np.array([0, 0]))
    assert first_difference(made, other) == "the arg of edge 1 is 1, then 0"


@pytest.mark.parametrize("platform", ["threads", "a2a3"])
def test_pairs_that_repeat_run_on_every_platform(platform: str) -> None:
    made = graph(*[([X, Y], [X, Y])] * 5)
    trace = lanescope.run(made, platform=platform)
    assert trace.ran().sum() == 5
    assert trace.text("edges", "kind") == ["tensormap"] * len(made.pred)
    for name, column in (("pred", made.pred), ("succ", made.succ), ("arg", made.edge_arg)):
        assert np.array_equal(trace.edges[name], column), name
    order = np.argsort(trace.tasks["task"])
    starts, ends = (trace.tasks[name][order] for name in ("start_ns", "end_ns"))
    assert np.all(starts[1:] >= ends[:-1])
