"""Task graphs: what is derived from them and what is refused."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from lanescope.device.layouts import constant
from lanescope.errors import UsageError
from lanescope.workloads import GraphBuilder, TaskGraph, WorkKind
from lanescope.workloads.sound import sound


def diamond() -> TaskGraph:
    builder = GraphBuilder("diamond")
    top = builder.task("QK", kind="aic", spin_ns=500)
    left = builder.task("SF", kind="aiv", after=[top], work=WorkKind.COPY, amount=64)
    right = builder.task("SF", kind="aiv", after=[top])
    builder.task("PV", kind="aic", after=[left, right])
    return builder.graph()


def test_a_builder_numbers_tasks_functions_and_kinds_in_order() -> None:
    graph = diamond()
    assert (graph.functions, graph.kinds, len(graph)) == (("QK", "SF", "PV"), ("aic", "aiv"), 4)
    assert graph.func.tolist() == [0, 1, 1, 2]
    assert graph.kind.tolist() == [0, 1, 1, 0]
    assert graph.work.tolist() == [WorkKind.SPIN, WorkKind.COPY, WorkKind.NONE, WorkKind.NONE]
    assert graph.amount.tolist() == [500, 64, 0, 0]
    assert list(zip(graph.pred.tolist(), graph.succ.tolist(), strict=True)) == [
        (0, 1),
        (0, 2),
        (1, 3),
        (2, 3),
    ]


def test_successors_are_grouped_by_task() -> None:
    offsets, successors = diamond().successors()
    assert (offsets.tolist(), successors.tolist()) == ([0, 2, 3, 4, 4], [1, 2, 3, 3])


def test_predecessors_are_counted_repeated_edges_too() -> None:
    builder = GraphBuilder("twice")
    first = builder.task("A")
    builder.task("B", after=[first, first])
    graph = builder.graph()
    assert graph.predecessor_counts().tolist() == [0, 2]
    assert graph.successors()[1].tolist() == [1, 1]


def test_an_empty_graph_is_sound() -> None:
    graph = GraphBuilder("empty").graph()
    graph.check()
    assert len(graph) == 0
    assert graph.successors()[0].tolist() == [0]


def test_an_edge_to_a_missing_task_is_refused() -> None:
    builder = GraphBuilder("open")
    builder.task("A", after=[7])
    with pytest.raises(
        UsageError, match="an edge of open names task 7, but there are only tasks 0"
    ):
        builder.graph().check()


def test_a_cycle_is_refused_with_its_tasks() -> None:
    builder = GraphBuilder("ring")
    for _ in range(3):
        builder.task("A")
    builder.edge(1, 2)
    builder.edge(2, 1)
    with pytest.raises(UsageError, match="ring can never finish: tasks 1, 2 wait for each other"):
        builder.graph().check()


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("func", 3, "task 2 of diamond has func 3, which is not below 3"),
        ("kind", -1, "task 2 of diamond has kind -1, which is not below 2"),
        ("work", 9, "task 2 of diamond has work 9, which is not below 6"),
        ("amount", -5, "task 2 of diamond has the amount -5"),
    ],
)
def test_a_code_without_meaning_is_refused(column: str, value: int, message: str) -> None:
    graph = diamond()
    codes = getattr(graph, column).copy()
    codes[2] = value
    with pytest.raises(UsageError, match=message):
        dataclasses.replace(graph, **{column: codes}).check()


def test_kinds_of_work_have_the_codes_of_the_c_library() -> None:
    for work in WorkKind:
        if work is WorkKind.PIPES:
            continue  # simulated chips only
        assert int(work) == constant(f"LS_WORK_{work.name}")


def test_columns_have_the_types_they_promise() -> None:
    graph = diamond()
    types = [getattr(graph, name).dtype for name in ("func", "kind", "work", "amount", "pred")]
    assert types == [np.int32, np.int32, np.int32, np.int64, np.int64]


def test_columns_that_were_left_out_or_given_as_lists_have_their_types() -> None:
    """A wait may be longer than 32 bits of nanoseconds; everything else is a code or a count."""
    small: dict[str, Any] = {"blocks": [1, 2, 1, 1], "partners": [0] * 4, "nodes": [0] * 4}
    small |= {"early": [1, 0, 0, 0], "together": [0, 1, 0, 0]}
    waits: Any = [0, 1 << 40, 0, 0]
    graph = sound(dataclasses.replace(diamond(), **small, wait_ns=waits))
    for name, values in small.items():
        column = getattr(graph, name)
        assert (name, column.dtype, column.tolist()) == (name, np.int32, values)
    assert graph.wait_ns is not None
    assert (graph.wait_ns.dtype, graph.wait_ns.tolist()) == (np.int64, waits)
    absent: dict[str, Any] = dict.fromkeys((*small, "wait_ns"))
    plain = sound(dataclasses.replace(diamond(), **absent))
    assert [getattr(plain, name) for name in absent] == [None] * 6
